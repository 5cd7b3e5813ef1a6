import {
  createSecureContext,
  getCACertificates,
  rootCertificates,
  type SecureContext,
  type SecureContextOptions,
} from 'node:tls';
import type { ClientCertificate, EngineSettings } from '../model/engine-config.ts';
import type { OriginRoute } from '../pipeline/origins.ts';
import { passesThrough } from './passthrough.ts';

/** What to speak TLS with an origin with, or why that is impossible. */
export type ChosenContext =
  { readonly context: SecureContext; readonly isLegacy: boolean } | { readonly problem: string };

/** Ciphers and key sizes of long ago; only OpenSSL knows these words. */
const LEGACY: SecureContextOptions = { minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' };
/** The same as far as any library goes. */
const LEGACY_ANYWHERE: SecureContextOptions = { minVersion: 'TLSv1' };

/** TLS contexts towards origins: one for most, others for hosts with a client certificate and for old ones. */
export class OriginContexts {
  readonly #settings: () => EngineSettings;
  readonly #special = new Map<string, ChosenContext>();
  #common: SecureContext | null = null;

  constructor(settings: () => EngineSettings) {
    this.#settings = settings;
  }

  /** Settings changed. */
  forget(): void {
    this.#common = null;
    this.#special.clear();
  }

  /** Reads the certificates that origins are verified with, which takes some hundred milliseconds, unless that was done. */
  common(): SecureContext {
    return (this.#common ??= createSecureContext({ ca: this.#authorities() }));
  }

  /** Does the same piece by piece, so that traffic which needs none of it hardly waits. */
  async prepare(): Promise<void> {
    const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    await pause();
    systemRoots();
    await pause();
    this.common();
  }

  for(route: OriginRoute): ChosenContext {
    const { clientCertificates, legacyHosts } = this.#settings();
    if (clientCertificates.length === 0 && legacyHosts.length === 0) return { context: this.common(), isLegacy: false };
    const names = [route.serverName, route.host];
    const index = clientCertificates.findIndex(({ host }) => passesThrough([host.toLowerCase()], names, route.port));
    const isLegacy = passesThrough(legacyHosts, names, route.port);
    if (index === -1 && !isLegacy) return { context: this.common(), isLegacy };
    const key = `${String(index)} ${String(isLegacy)}`;
    const known = this.#special.get(key);
    if (known !== undefined) return known;
    const chosen = this.#create(clientCertificates[index] ?? null, isLegacy);
    this.#special.set(key, chosen);
    return chosen;
  }

  #create(certificate: ClientCertificate | null, isLegacy: boolean): ChosenContext {
    const identity = certificate === null ? {} : identityOptions(certificate);
    const variants = isLegacy ? [LEGACY, LEGACY_ANYWHERE] : [{}];
    let problem = '';
    for (const variant of variants) {
      try {
        const context = createSecureContext({ ca: this.#authorities(), ...identity, ...variant });
        return { context, isLegacy };
      } catch (error: unknown) {
        problem = error instanceof Error ? error.message : String(error);
      }
    }
    return { problem: `The client certificate for ${certificate?.host ?? ''} cannot be used (${problem}).` };
  }

  #authorities(): string[] {
    return [...systemRoots(), ...this.#settings().originCertificateAuthorities];
  }
}

function identityOptions({ identity }: ClientCertificate): SecureContextOptions {
  if (identity.kind === 'p12') return { pfx: Buffer.from(identity.bytes), passphrase: identity.passphrase };
  const { certificate, key, passphrase } = identity;
  return { cert: certificate, key, ...(passphrase === null ? {} : { passphrase }) };
}

/** The system's roots; Node's own copy of Mozilla's where the system has none that Node can read. */
function systemRoots(): readonly string[] {
  // Many systems keep each root in a bundle and in a folder of its own kind, and each costs its time.
  const roots = [...new Set(getCACertificates('system'))];
  return roots.length > 0 ? roots : rootCertificates;
}
