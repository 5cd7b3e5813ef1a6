/** Our certificate authority, as stores of trust see it. */
export interface TrustAuthority {
  /** The certificate, PEM. */
  readonly pem: string;
  /** Where the certificate lies. */
  readonly file: string;
  /** SHA-256, upper-case hex with colons. */
  readonly fingerprint: string;
  /** SHA-1, upper-case hex: what some systems find a certificate by. */
  readonly sha1: string;
  /** Its nickname in stores that want one; `Weir CA …` always. */
  readonly nickname: string;
}

/** An authority of a Weir that lies in a store. */
export interface StoredAuthority {
  readonly fingerprint: string;
  /** What the store calls it and removes it by. */
  readonly handle: string;
  /** False when it lies there without being trusted. */
  readonly trusted: boolean;
}

/** One place that programs take their trust from. */
export interface TrustStore {
  /** Names it in commands. */
  readonly id: string;
  readonly name: string;
  /** Programs that read it. */
  readonly readers: string;
  /** Whether Weir itself may change it as it runs now; else a person runs the lines. */
  readonly changeable: boolean;
  /** Authorities of any Weir in it, by looking. @throws TrustError */
  list(): Promise<readonly StoredAuthority[]>;
  /** @throws TrustError */
  install(authority: TrustAuthority): Promise<void>;
  /** @throws TrustError */
  remove(stored: StoredAuthority): Promise<void>;
  /** The line by which a person installs it. */
  trustLine(authority: TrustAuthority): string;
  /** The line by which a person takes it out again. */
  untrustLine(authority: TrustAuthority): string;
}

/** A store of trust could not be read or changed; the message says what to do. */
export class TrustError extends Error {
  override readonly name = 'TrustError';
}

/** How an authority stands in a store. */
export type TrustState =
  | { readonly kind: 'trusted' | 'absent' | 'untrusted'; readonly others: number }
  | { readonly kind: 'unreadable'; readonly reason: string };

/** Looks whether a store trusts `authority`, and how many other authorities of a Weir it holds. Never throws. */
export async function examineStore(store: TrustStore, authority: TrustAuthority): Promise<TrustState> {
  try {
    const all = await store.list();
    const own = all.filter(({ fingerprint }) => fingerprint === authority.fingerprint);
    const others = all.length - own.length;
    if (own.length === 0) return { kind: 'absent', others };
    return { kind: own.some(({ trusted }) => trusted) ? 'trusted' : 'untrusted', others };
  } catch (error: unknown) {
    return { kind: 'unreadable', reason: error instanceof Error ? error.message : String(error) };
  }
}

/** Makes a store trust `authority`; nothing happens where it does. @throws TrustError */
export async function trust(store: TrustStore, authority: TrustAuthority): Promise<void> {
  const state = await examineStore(store, authority);
  if (state.kind === 'trusted') return;
  if (state.kind === 'unreadable') throw new TrustError(state.reason);
  await store.install(authority);
  const after = await examineStore(store, authority);
  if (after.kind === 'trusted') return;
  throw new TrustError(
    `${store.name} took the certificate and does not trust it. By hand: ${store.trustLine(authority)}`,
  );
}

/**
 * Takes authorities out of a store.
 *
 * @param whose `ours` alone, or those of every Weir
 * @returns how many were taken out
 * @throws TrustError
 */
export async function untrust(store: TrustStore, authority: TrustAuthority, whose: 'ours' | 'all'): Promise<number> {
  const all = await store.list();
  const chosen = all.filter(({ fingerprint }) => whose === 'all' || fingerprint === authority.fingerprint);
  for (const stored of chosen) await store.remove(stored);
  return chosen.length;
}
