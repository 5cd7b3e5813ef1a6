import type { ImportReport, SkippedEntry } from '#contract';

/** Entries that are named one by one in a report; further ones are only counted. */
const MOST_NAMED = 100;

/** Keeps count of what a file held and of what was left out of it. */
export class ImportTally {
  /** Why reading ended before the file's end; null while it did not. */
  problem: string | null = null;
  readonly #named: SkippedEntry[] = [];
  #seen = 0;
  #imported = 0;
  #left = 0;

  get counts(): { readonly imported: number; readonly skipped: number } {
    return { imported: this.#imported, skipped: this.#left };
  }

  /** The next entry of the file begins. */
  see(): void {
    this.#seen += 1;
  }

  take(): void {
    this.#imported += 1;
  }

  /** Leaves out the entry that was seen last. @param reason completes "left out, since …" */
  skip(reason: string): void {
    this.#left += 1;
    if (this.#named.length < MOST_NAMED) this.#named.push({ entry: this.#seen, reason });
  }

  report(): Omit<ImportReport, 'session'> {
    return { ...this.counts, named: this.#named, problem: this.problem };
  }
}
