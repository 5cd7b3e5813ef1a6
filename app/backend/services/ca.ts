import {
  authorityFacts,
  createCertificateAuthority,
  exportAuthority,
  importAuthority,
  listKeptAuthorities,
  PkiError,
  removeKeptAuthority,
  replaceAuthority,
  type CertificateAuthorityPem,
  type KeptAuthority,
} from '#engine';
import { ContractError, type AuthorityCalls, type AuthorityChange, type KeptAuthorityInfo } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import { trustAuthority } from '../platform/trust/trust-authority.ts';
import type { TrustAuthority } from '../platform/trust/trust-store.ts';
import type { CallHandlers } from '../transport/server.ts';
import { leftTrust, moveTrust } from './ca/moved-trust.ts';

/** The certificate leaves by these calls; its key never does. */
export function createCaCalls(core: BackendCore): Pick<CallHandlers, 'ca.export' | keyof AuthorityCalls> {
  const { authority } = core;
  const folder = core.folder.certificateAuthority;
  const present = (): TrustAuthority => trustAuthority(authority.pem.certificate, authority.file);
  // One change after the other: each must find the folder whole.
  let before: Promise<unknown> = Promise.resolve();

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = before.then(work).catch((error: unknown) => {
      throw failureOf(error);
    });
    before = done.catch(() => undefined);
    return done;
  }

  async function change(next: CertificateAuthorityPem, notices: readonly string[]): Promise<AuthorityChange> {
    const known = authorityFacts(next.certificate, Date.now()).fingerprint;
    if (known === authority.info().fingerprint) {
      throw new ContractError('bad-input', 'This authority is in use already.');
    }
    const kept = await replaceAuthority(folder, next, Date.now());
    authority.use(next);
    core.engine.useAuthority(next);
    // The pages of the magic host hand out the certificate.
    core.engine.configure(core.engineSettings(core.settings.current));
    return {
      authority: authority.info(),
      kept: describe(kept),
      left: await leftTrust(asTrusted(kept), present()),
      notices,
    };
  }

  async function find(name: string): Promise<KeptAuthority> {
    const found = (await listKeptAuthorities(folder)).find((kept) => kept.name === name);
    if (found === undefined) throw new ContractError('not-found', `There is no old authority ${name}.`);
    return found;
  }

  return {
    'ca.export': ({ format }) => ({
      bytes: exportAuthority(authority.pem.certificate, format),
      fileName: `weir-ca.${format}`,
    }),
    'ca.rotate': () => inTurn(() => change(createCertificateAuthority('ecdsa', Date.now()), [])),
    'ca.import': ({ certificate, key, passphrase }) =>
      inTurn(() => {
        const given = {
          certificate: Buffer.from(certificate),
          key: key === null ? null : Buffer.from(key),
          passphrase,
        };
        const { pem, notices } = importAuthority(given, Date.now());
        return change(pem, notices);
      }),
    'ca.kept': () =>
      inTurn(async () => {
        const all = await listKeptAuthorities(folder);
        const kept = await Promise.all(
          all.map(async (one) => ({ ...describe(one), left: await leftTrust(asTrusted(one), present()) })),
        );
        return { kept };
      }),
    'ca.moveTrust': ({ name }) =>
      inTurn(async () => ({ stores: await moveTrust(asTrusted(await find(name)), present()) })),
    'ca.forget': ({ name }) =>
      inTurn(async () => {
        const left = await leftTrust(asTrusted(await find(name)), present());
        const [first] = left;
        if (first !== undefined) {
          throw new ContractError(
            'conflict',
            `${left.map((store) => store.name).join(', ')}: the old authority is still trusted there. Take it out first: ${first.untrustLine}`,
          );
        }
        await removeKeptAuthority(folder, name);
        return {};
      }),
  };
}

function asTrusted({ certificate, certificateFile }: KeptAuthority): TrustAuthority {
  return trustAuthority(certificate, certificateFile);
}

function describe({ name, certificate }: KeptAuthority): KeptAuthorityInfo {
  const { subject, notAfter, fingerprint } = authorityFacts(certificate, Date.now());
  return { name, subject, notAfter, fingerprint };
}

function failureOf(error: unknown): unknown {
  if (!(error instanceof PkiError)) return error;
  return new ContractError(error.code === 'pki.files' ? 'unavailable' : 'bad-input', error.message);
}
