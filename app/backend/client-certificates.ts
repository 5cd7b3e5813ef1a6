import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import * as v from 'valibot';
import type { EngineSettings } from '#engine';
import { certificateFacts } from '#engine';
import type { ClientCertificateInfo } from '#contract';
import { ContractError } from '#contract';
import { writePrivateFile } from './private-file.ts';

const text = v.pipe(v.string(), v.maxLength(1_048_576));
const STORED = v.array(
  v.strictObject({
    id: v.string(),
    host: v.string(),
    identity: v.variant('kind', [
      v.strictObject({ kind: v.literal('pem'), certificate: text, key: text, passphrase: v.nullable(text) }),
      v.strictObject({ kind: v.literal('p12'), base64: text, passphrase: text }),
    ]),
    subject: v.string(),
    notAfter: v.string(),
    fingerprint: v.string(),
  }),
);

type Stored = v.InferOutput<typeof STORED>[number];

/** What a person gave: the files, and the word that opens them. */
export interface GivenCertificate {
  readonly host: string;
  readonly certificate: Uint8Array;
  /** The key's file, where it is one of its own. */
  readonly key: Uint8Array | null;
  readonly passphrase: string;
}

/** Certificates for origins that ask for one, kept with their keys in a file of mode 0600. */
export class ClientCertificates {
  readonly #path: string;
  #stored: readonly Stored[];

  /** @param report hears of a stored file that is damaged; nothing of it is used */
  constructor(path: string, report: (message: string) => void) {
    this.#path = path;
    this.#stored = load(path, report);
  }

  list(): readonly ClientCertificateInfo[] {
    return this.#stored.map(({ id, host, subject, notAfter, fingerprint }) => ({
      id,
      host,
      subject,
      notAfter,
      fingerprint,
    }));
  }

  forEngine(): EngineSettings['clientCertificates'] {
    return this.#stored.map(({ host, identity }) => ({
      host,
      identity:
        identity.kind === 'pem'
          ? identity
          : { kind: 'p12', bytes: Buffer.from(identity.base64, 'base64'), passphrase: identity.passphrase },
    }));
  }

  /**
   * Takes a certificate; one for the same host is replaced.
   *
   * @throws ContractError `bad-input` when it cannot be used, `unavailable` when it cannot be stored
   */
  add(given: GivenCertificate): void {
    const identity = readIdentity(given);
    const entry: Stored = {
      id: randomBytes(8).toString('hex'),
      host: given.host,
      identity,
      ...describe(identity),
    };
    this.#store([...this.#stored.filter(({ host }) => host !== given.host), entry]);
  }

  /** @throws ContractError `not-found`, or `unavailable` when that cannot be stored */
  remove(id: string): void {
    const rest = this.#stored.filter((entry) => entry.id !== id);
    if (rest.length === this.#stored.length) throw new ContractError('not-found', 'This certificate is not there.');
    this.#store(rest);
  }

  #store(next: readonly Stored[]): void {
    try {
      writePrivateFile(this.#path, `${JSON.stringify(next, null, 2)}\n`);
    } catch (error: unknown) {
      throw new ContractError('unavailable', `The certificate cannot be stored: ${messageOf(error)}.`);
    }
    this.#stored = next;
  }
}

function load(path: string, report: (message: string) => void): readonly Stored[] {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch {
    return [];
  }
  try {
    return v.parse(STORED, JSON.parse(content));
  } catch (error: unknown) {
    report(`The client certificates in ${path} are not usable (${messageOf(error)}) and are left out.`);
    return [];
  }
}

/** Reads what was given and tries it, so that a wrong word is known now and not at the first handshake. */
function readIdentity({ certificate, key, passphrase }: GivenCertificate): Stored['identity'] {
  const first = Buffer.from(certificate);
  const isPem = first.includes('-----BEGIN ');
  if (!isPem) {
    const identity = { kind: 'p12', base64: first.toString('base64'), passphrase } as const;
    attempt(() => createSecureContext({ pfx: first, passphrase }));
    return identity;
  }
  const all = `${first.toString('latin1')}\n${key === null ? '' : Buffer.from(key).toString('latin1')}`;
  const certificates = blocks(all, 'CERTIFICATE');
  const keys = blocks(all, '[A-Z ]*PRIVATE KEY');
  if (certificates === '') throw new ContractError('bad-input', 'There is no certificate in the file.');
  if (keys === '') {
    throw new ContractError('bad-input', 'There is no private key in the file. Choose the file of the key as well.');
  }
  const word = passphrase === '' ? null : passphrase;
  attempt(() => {
    createPrivateKey({ key: keys, ...(word === null ? {} : { passphrase: word }) });
    createSecureContext({ cert: certificates, key: keys, ...(word === null ? {} : { passphrase: word }) });
  });
  return { kind: 'pem', certificate: certificates, key: keys, passphrase: word };
}

function attempt(use: () => void): void {
  try {
    use();
  } catch (error: unknown) {
    throw new ContractError('bad-input', explain(messageOf(error)));
  }
}

/** What OpenSSL's words mean for whoever chose the file. */
function explain(message: string): string {
  if (/mac verify|bad decrypt|bad password|passphrase|interrupted or cancelled/i.test(message)) {
    return 'The password is missing or wrong.';
  }
  if (/key values mismatch/i.test(message)) return 'The key belongs to another certificate.';
  if (/unsupported/i.test(message)) {
    return 'The file is encrypted in a way that is no longer supported. Convert it: openssl pkcs12 -legacy -in OLD.p12 -nodes -out NEW.pem';
  }
  return `The file cannot be used: ${message}.`;
}

function blocks(pem: string, label: string): string {
  const pattern = new RegExp(`-----BEGIN (${label})-----[^]*?-----END \\1-----`, 'g');
  return (pem.match(pattern) ?? []).map((block) => `${block}\n`).join('');
}

function describe(identity: Stored['identity']): Pick<Stored, 'subject' | 'notAfter' | 'fingerprint'> {
  const leaf = identity.kind === 'pem' ? identity.certificate : leafOfPkcs12(identity.base64, identity.passphrase);
  try {
    const { subject, notAfter, fingerprint } = certificateFacts(new X509Certificate(leaf ?? ''));
    return { subject, notAfter, fingerprint };
  } catch {
    return { subject: '', notAfter: '', fingerprint: '' };
  }
}

/** Node reads PKCS #12 into a context and shows the certificate only there, outside of its documented interface. */
function leafOfPkcs12(base64: string, passphrase: string): Buffer | null {
  const { context } = createSecureContext({ pfx: Buffer.from(base64, 'base64'), passphrase }) as {
    readonly context?: { getCertificate?(): unknown };
  };
  const der = context?.getCertificate?.();
  return Buffer.isBuffer(der) ? der : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
