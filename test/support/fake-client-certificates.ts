import type { ClientCertificateCalls, ClientCertificateInfo } from '#contract';

type Handlers = {
  readonly [Name in keyof ClientCertificateCalls]: (
    input: ClientCertificateCalls[Name]['input'],
  ) => ClientCertificateCalls[Name]['output'];
};

/** The calls for client certificates over a list in memory, with one invented entry. */
export function fakeClientCertificateCalls(): Handlers {
  let certificates: readonly ClientCertificateInfo[] = [
    {
      id: '1',
      host: 'bank.example',
      subject: 'CN=Ada Lovelace',
      notAfter: '2031-01-31T00:00:00.000Z',
      fingerprint: 'AB:CD:EF:01',
    },
  ];
  return {
    'clientCertificates.list': () => ({ certificates }),
    'clientCertificates.add': ({ host }) => {
      certificates = [
        ...certificates,
        { id: host, host, subject: `CN=${host}`, notAfter: '2031-01-31T00:00:00.000Z', fingerprint: 'AB:CD' },
      ];
      return { certificates };
    },
    'clientCertificates.remove': ({ id }) => {
      certificates = certificates.filter((certificate) => certificate.id !== id);
      return { certificates };
    },
  };
}
