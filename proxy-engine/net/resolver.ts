import { lookup as systemLookup, Resolver as DnsClient, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { ErrorCode } from '../model/error-code.ts';

/** Addresses of a host in the order in which to try them, or why there are none. */
export type ResolveResult =
  | { readonly ok: true; readonly addresses: readonly string[] }
  | {
      readonly ok: false;
      readonly code: Extract<ErrorCode, 'dns.not-found' | 'dns.failed' | 'dns.timeout'>;
      readonly message: string;
    };

export interface ResolverOptions {
  /** The system's resolver; replaced in tests. */
  readonly lookup?: typeof systemLookup;
  /** Asks DNS servers itself; replaced in tests. */
  readonly dnsClient?: Pick<DnsClient, 'resolve4' | 'resolve6'>;
  /** Milliseconds that the system's resolver has to itself before DNS servers are asked beside it. */
  readonly rescueAfter?: number;
}

const RESCUE_AFTER_MS = 1_000;
const FOUND_FOR_MS = 30_000;
const NOT_FOUND_FOR_MS = 1_000;
const CACHED_NAMES = 4_096;

interface Cached {
  readonly result: ResolveResult;
  readonly until: number;
}

/** Browsers take names below localhost for loopback by themselves, and many systems do not (RFC 6761 §6.3). */
const LOCALHOST_NAME = /\.localhost\.?$/i;
const LOOPBACK: ResolveResult = { ok: true, addresses: ['127.0.0.1', '::1'] };

type Waiter = (result: ResolveResult) => void;

/**
 * Finds the addresses of hosts. The system's own resolver is asked first, since only it knows the hosts file, mDNS and
 * the split DNS of a VPN. It runs on few threads, and a few names whose servers are silent would make every other name
 * wait: so when it has not answered within a second, DNS servers are asked directly beside it and the first good answer
 * counts. Callers that ask for the same name at the same time share one look-up.
 */
export class HostResolver {
  readonly #lookup: typeof systemLookup;
  #dnsClient: Pick<DnsClient, 'resolve4' | 'resolve6'> | null;
  readonly #rescueAfter: number;
  readonly #cache = new Map<string, Cached>();
  readonly #pending = new Map<string, Set<Waiter>>();

  constructor(options: ResolverOptions = {}) {
    this.#lookup = options.lookup ?? systemLookup;
    this.#dnsClient = options.dnsClient ?? null;
    this.#rescueAfter = options.rescueAfter ?? RESCUE_AFTER_MS;
  }

  /**
   * @param host name in ASCII (IDN already in punycode) or address without brackets
   * @param timeoutMs 0 for no limit of ours
   * @param done called once; at once when the answer is known
   * @returns makes `done` be forgotten
   */
  resolve(host: string, timeoutMs: number, done: Waiter): () => void {
    if (isIP(host.split('%', 1)[0] ?? host) !== 0) {
      done({ ok: true, addresses: [host] });
      return nothingToCancel;
    }
    const cached = this.#cache.get(host);
    if (cached !== undefined) {
      if (cached.until > performance.now()) {
        done(cached.result);
        return nothingToCancel;
      }
      this.#cache.delete(host);
    }
    return this.#join(host, timeoutMs, done);
  }

  #join(host: string, timeoutMs: number, done: Waiter): () => void {
    let timer: NodeJS.Timeout | null = null;
    const waiters = this.#pending.get(host) ?? new Set<Waiter>();
    const waiter: Waiter = (result) => {
      if (timer !== null) clearTimeout(timer);
      done(result);
    };
    waiters.add(waiter);
    if (timeoutMs > 0) {
      timer = setTimeout(() => {
        waiters.delete(waiter);
        done({
          ok: false,
          code: 'dns.timeout',
          message: `No address of ${host} was found within ${String(timeoutMs)} ms (setting timeouts.resolve).`,
        });
      }, timeoutMs);
    }
    if (!this.#pending.has(host)) {
      this.#pending.set(host, waiters);
      this.#ask(host);
    }
    return () => {
      if (timer !== null) clearTimeout(timer);
      waiters.delete(waiter);
    };
  }

  #ask(host: string): void {
    let settled = false;
    let rescue: NodeJS.Timeout | null = null;
    const settle = (result: ResolveResult): void => {
      if (settled) return;
      settled = true;
      if (rescue !== null) clearTimeout(rescue);
      this.#settle(host, result);
    };
    rescue = setTimeout(() => {
      this.#askServers(host, settle);
    }, this.#rescueAfter);
    this.#lookup(host, { all: true, order: 'verbatim' }, (error, addresses) => {
      if (error === null && addresses.length > 0) settle(found(addresses));
      else settle(LOCALHOST_NAME.test(host) ? LOOPBACK : notFound(host, error));
    });
  }

  /** Only a found address counts here: the system's resolver may know names that no DNS server does. */
  #askServers(host: string, settle: (result: ResolveResult) => void): void {
    const client = (this.#dnsClient ??= new DnsClient());
    let missing = 2;
    const all: LookupAddress[] = [];
    const take = (family: 4 | 6, error: Error | null, addresses: readonly string[] | undefined): void => {
      if (error === null) for (const address of addresses ?? []) all.push({ address, family });
      missing -= 1;
      if (missing === 0 && all.length > 0) settle(found(all));
    };
    client.resolve4(host, (error, addresses) => {
      take(4, error, addresses);
    });
    client.resolve6(host, (error, addresses) => {
      take(6, error, addresses);
    });
  }

  #settle(host: string, result: ResolveResult): void {
    const waiters = this.#pending.get(host);
    this.#pending.delete(host);
    if (this.#cache.size >= CACHED_NAMES) this.#cache.clear();
    this.#cache.set(host, { result, until: performance.now() + (result.ok ? FOUND_FOR_MS : NOT_FOUND_FOR_MS) });
    for (const waiter of waiters ?? []) waiter(result);
  }
}

function nothingToCancel(): void {
  // The answer was known at once.
}

/** Families take turns, the system's first choice first (RFC 8305 §4). */
function found(addresses: readonly LookupAddress[]): ResolveResult {
  const first = addresses[0]?.family;
  const preferred = addresses.filter(({ family }) => family === first);
  const others = addresses.filter(({ family }) => family !== first);
  const ordered: string[] = [];
  for (let index = 0; index < Math.max(preferred.length, others.length); index += 1) {
    for (const list of [preferred, others]) {
      const entry = list[index];
      if (entry !== undefined) ordered.push(entry.address);
    }
  }
  return { ok: true, addresses: ordered };
}

function notFound(host: string, error: NodeJS.ErrnoException | null): ResolveResult {
  const code = error?.code ?? 'ENOTFOUND';
  return code === 'ENOTFOUND' || code === 'ENODATA'
    ? { ok: false, code: 'dns.not-found', message: `The name ${host} has no address.` }
    : { ok: false, code: 'dns.failed', message: `Looking up ${host} failed (${code}).` };
}
