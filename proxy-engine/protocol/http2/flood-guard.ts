/** What a peer may send that costs us work without any use; each is counted apart. */
export type FloodKind =
  'settingsFrames' | 'pings' | 'resets' | 'emptyFrames' | 'ignoredFrames' | 'windowUpdates' | 'malformedStreams';

/** Most of each kind within `FLOOD_WINDOW_MS`; each is a setting whose key is its name here. */
export type FloodLimits = Readonly<Record<FloodKind, number>>;

const FLOOD_WINDOW_MS = 10_000;

/**
 * Counts useless frames of one connection in coarse windows of time. Resets are set off against streams that ran to their
 * end, so that a busy browser that cancels much is not mistaken for a rapid reset.
 */
export class FloodGuard {
  readonly #limits: FloodLimits;
  readonly #now: () => number;
  readonly #counts: Record<FloodKind, number> = {
    settingsFrames: 0,
    pings: 0,
    resets: 0,
    emptyFrames: 0,
    ignoredFrames: 0,
    windowUpdates: 0,
    malformedStreams: 0,
  };
  #windowEnds: number;

  /** @param now milliseconds, from any origin, never going back */
  constructor(limits: FloodLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#windowEnds = now() + FLOOD_WINDOW_MS;
  }

  /** @returns false when this one is past the limit */
  allow(kind: FloodKind): boolean {
    const count = (this.#counts[kind] += 1);
    if (count <= this.#limits[kind]) return true;
    // The clock is read only where a limit seems reached.
    const now = this.#now();
    if (now < this.#windowEnds) return false;
    this.#windowEnds = now + FLOOD_WINDOW_MS;
    for (const each of Object.keys(this.#counts) as FloodKind[]) this.#counts[each] = 0;
    this.#counts[kind] = 1;
    return true;
  }

  /** A stream ran to its end: one reset is forgiven for it. */
  finished(): void {
    if (this.#counts.resets > 0) this.#counts.resets -= 1;
  }
}
