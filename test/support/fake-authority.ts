import { ContractError } from '../../app/contract/index.ts';
import type {
  AuthorityCalls,
  CertificateAuthorityInfo,
  KeptAuthorityInfo,
  LeftTrust,
} from '../../app/contract/index.ts';

type Handlers = {
  readonly [Name in keyof AuthorityCalls]: (input: AuthorityCalls[Name]['input']) => AuthorityCalls[Name]['output'];
};

const LEFT: LeftTrust = {
  store: 'nss:/home/ada/.pki/nssdb',
  name: 'Chromium and Chrome',
  changeable: true,
  trustLine: 'certutil -A …',
  untrustLine: 'certutil -D …',
};

/** The calls that change the authority, in memory. A file whose first byte is not `-` is refused. */
export function fakeAuthorityCalls(authority: () => CertificateAuthorityInfo): Handlers {
  let kept: (KeptAuthorityInfo & { left: readonly LeftTrust[] })[] = [];
  const change = (): AuthorityCalls['ca.rotate']['output'] => {
    const { subject, notAfter, fingerprint } = authority();
    const old = { name: 'ca-until-2026-03-03-094105', subject, notAfter, fingerprint };
    kept = [...kept, { ...old, left: [LEFT] }];
    return { authority: authority(), kept: old, left: [LEFT], notices: [] };
  };
  return {
    'ca.rotate': change,
    'ca.import': ({ certificate }) => {
      if (certificate[0] !== 0x2d) throw new ContractError('bad-input', 'The file is no certificate.');
      return change();
    },
    'ca.kept': () => ({ kept }),
    'ca.moveTrust': () => {
      kept = kept.map((one) => ({ ...one, left: [] }));
      return { stores: [{ name: LEFT.name, problem: null }] };
    },
    'ca.forget': ({ name }) => {
      kept = kept.filter((one) => one.name !== name);
      return {};
    },
  };
}
