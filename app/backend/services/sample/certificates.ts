import { createHash } from 'node:crypto';
import type { CertificateFacts, TlsFacts } from '#contract';
import type { SampleClient } from './script.ts';

function fingerprint(of: string): string {
  const hex = createHash('sha256').update(of).digest('hex').toUpperCase();
  return (hex.match(/../g) ?? []).join(':');
}

function certificate(
  facts: Omit<CertificateFacts, 'fingerprint' | 'serialNumber'> & { readonly serialNumber?: string },
): CertificateFacts {
  const digest = fingerprint(`${facts.subject} ${facts.notAfter}`);
  return { serialNumber: digest.replaceAll(':', '').slice(0, 32), ...facts, fingerprint: digest };
}

const WEIR_CA = certificate({
  subject: 'CN=Weir CA, O=Weir (this computer)',
  issuer: 'CN=Weir CA, O=Weir (this computer)',
  names: [],
  notBefore: '2026-06-01T07:00:00.000Z',
  notAfter: '2036-05-29T07:00:00.000Z',
  key: 'EC P-256',
});

const SHOP_ROOT = certificate({
  subject: 'CN=Weir Shop Root X1, O=Weir Shop (invented)',
  issuer: 'CN=Weir Shop Root X1, O=Weir Shop (invented)',
  names: [],
  notBefore: '2020-01-01T00:00:00.000Z',
  notAfter: '2040-01-01T00:00:00.000Z',
  key: 'RSA 4096',
});

const SHOP_INTERMEDIATE = certificate({
  subject: 'CN=Weir Shop E5, O=Weir Shop (invented)',
  issuer: SHOP_ROOT.subject,
  names: [],
  notBefore: '2024-03-13T00:00:00.000Z',
  notAfter: '2027-03-12T23:59:59.000Z',
  key: 'EC P-384',
});

/** The chain that the invented origin shows for a host. */
function originChain(host: string): readonly CertificateFacts[] {
  const expired = host.startsWith('old.');
  const leaf = certificate({
    subject: `CN=${expired ? host : '*.weir.test'}`,
    issuer: SHOP_INTERMEDIATE.subject,
    names: expired ? [host] : ['*.weir.test', 'weir.test'],
    notBefore: expired ? '2025-12-03T00:00:00.000Z' : '2026-05-02T00:00:00.000Z',
    notAfter: expired ? '2026-03-03T23:59:59.000Z' : '2026-07-31T23:59:59.000Z',
    key: 'EC P-256',
  });
  return [leaf, SHOP_INTERMEDIATE, SHOP_ROOT];
}

const FINGERPRINTS: Readonly<Record<SampleClient, { readonly ja3: string; readonly ja4: string }>> = {
  browser: { ja3: 'f1a9e7c4b86f0d3e25c1a7409d6b83f2', ja4: 't13d1516h2_8daaf6152771_d8a2da3f94cd' },
  app: { ja3: '7c02dbae662670040c7af9bd15fb7e2f', ja4: 't13d1713h2_5b57614c22b0_748f4c70de1c' },
  terminal: { ja3: '0149f47eabf9a20d0893e2a44e5a6323', ja4: 't13d3112h2_e8f1e7e78f70_6bebaf5329ac' },
  watcher: { ja3: '3b5074b1b5d032e5620f69f9f700ff0e', ja4: 't13d1010h1_a7cb8e9f24c1_3aa2c4b7f0d1' },
};

/** What the client's handshake with Weir agreed on. */
export function clientTls(client: SampleClient, host: string, resumed: boolean, alpn: string): TlsFacts {
  return {
    version: 'TLSv1.3',
    cipher: 'TLS_AES_128_GCM_SHA256',
    alpn,
    sni: host,
    resumed,
    chain: [
      certificate({
        subject: `CN=${host}`,
        issuer: WEIR_CA.subject,
        names: [host],
        notBefore: '2026-06-13T09:30:00.000Z',
        notAfter: '2026-12-29T09:30:00.000Z',
        key: 'EC P-256',
      }),
      WEIR_CA,
    ],
    verified: true,
    ...FINGERPRINTS[client],
    offeredAlpn: client === 'watcher' ? ['http/1.1'] : ['h2', 'http/1.1'],
  };
}

/** What Weir's handshake with the origin agreed on. */
export function originTls(host: string, resumed: boolean, alpn: string): TlsFacts {
  return {
    version: host.startsWith('cdn.') ? 'TLSv1.2' : 'TLSv1.3',
    cipher: host.startsWith('cdn.') ? 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384' : 'TLS_AES_256_GCM_SHA384',
    alpn,
    sni: host,
    resumed,
    chain: originChain(host),
    verified: !host.startsWith('old.'),
    ja3: null,
    ja4: null,
    offeredAlpn: [],
  };
}
