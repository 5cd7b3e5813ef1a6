import type { PipelineContext } from '../pipeline/context.ts';

/** So many refusals of one host's leaf let it pass. */
const ENOUGH = 2;
/** Refusals count together within this, ms. */
const COUNTED_FOR_MS = 600_000;
/** How long a host then passes, ms; a refusal after that counts anew. */
const PASSES_FOR_MS = 3_600_000;
const REMEMBERED = 1_024;

interface Refused {
  times: number;
  /** Coarse milliseconds. */
  until: number;
}

/**
 * Hosts whose leaves clients refuse. With the setting `autoPassthrough` they are relayed unopened for a while, so that a
 * program that pins its certificates goes on working; each such relay says so in its row.
 */
export class Refusals {
  readonly #settings: () => PipelineContext['settings'];
  readonly #now: () => number;
  readonly #hosts = new Map<string, Refused>();

  /** @param now coarse milliseconds */
  constructor(settings: () => PipelineContext['settings'], now: () => number) {
    this.#settings = settings;
    this.#now = now;
  }

  /** A client refused the leaf of a host. */
  note(host: string): void {
    if (!this.#settings().autoPassthrough) return;
    const now = this.#now();
    const known = this.#hosts.get(host);
    const times = known === undefined || known.until <= now ? 1 : known.times + 1;
    this.#hosts.delete(host);
    this.#hosts.set(host, { times, until: now + (times >= ENOUGH ? PASSES_FOR_MS : COUNTED_FOR_MS) });
    const [oldest] = this.#hosts.keys();
    if (this.#hosts.size > REMEMBERED && oldest !== undefined) this.#hosts.delete(oldest);
  }

  /** Whether TLS to a host passes unopened. */
  passes(host: string): boolean {
    if (this.#hosts.size === 0) return false;
    if (!this.#settings().autoPassthrough) {
      this.#hosts.clear();
      return false;
    }
    const known = this.#hosts.get(host);
    if (known === undefined) return false;
    if (known.until > this.#now()) return known.times >= ENOUGH;
    this.#hosts.delete(host);
    return false;
  }
}
