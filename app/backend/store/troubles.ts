import type { StoreTrouble } from '#contract';
import { codeOf, surroundingsOf } from './store-error.ts';

const EFFECTS = {
  nothing: 'Nothing is recorded.',
  bodies: 'Bodies over 16 KiB are cut short.',
  some: 'Some exchanges could not be recorded.',
} as const;

/** What is wrong with the store at present, as the user is told. */
export class Troubles {
  readonly #tell: (trouble: StoreTrouble | null) => void;
  #standing: StoreTrouble | null = null;

  /** @param tell is called when something changed, never twice with the same */
  constructor(tell: (trouble: StoreTrouble | null) => void) {
    this.#tell = tell;
  }

  get standing(): StoreTrouble | null {
    return this.#standing;
  }

  /**
   * @param effect what the user misses
   * @param now microseconds since the Unix epoch
   * @param lost exchanges that are gone for good by it
   */
  report(error: unknown, effect: keyof typeof EFFECTS, now: number, lost = 0): void {
    const known = surroundingsOf(error) ?? {
      code: 'failed' as const,
      cause: `The store met an error that it does not know (${codeOf(error) || String(error)}).`,
      remedy: 'Please report it.',
    };
    this.#stand(known.code, `${known.cause} ${EFFECTS[effect]} ${known.remedy}`.trimEnd(), now, lost);
  }

  /** A damaged database was kept under this path and a new one begun. */
  reportSetAside(path: string, now: number, lost = 0): void {
    this.#stand(
      'damaged',
      `The database was damaged. It is kept as ${path}; recording goes on in a new one.`,
      now,
      lost,
    );
  }

  clear(): void {
    if (this.#standing === null) return;
    this.#standing = null;
    this.#tell(null);
  }

  #stand(code: StoreTrouble['code'], message: string, now: number, lost: number): void {
    const before = this.#standing;
    const lostExchanges = (before?.lostExchanges ?? 0) + lost;
    if (before !== null && before.message === message && before.lostExchanges === lostExchanges) return;
    this.#standing = { code, message, since: before?.since ?? now, lostExchanges };
    this.#tell(this.#standing);
  }
}
