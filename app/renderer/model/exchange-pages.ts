import type { ExchangeId, ExchangeSummary } from '#contract';

/** Rows of one page. */
export const PAGE_ROWS = 128;

/** Pages kept; the ones used longest ago go first. 64 pages are about 8,000 rows. */
const MOST_PAGES = 64;

interface LoadedPage {
  readonly rows: ExchangeSummary[];
  usedAt: number;
}

/** The loaded part of a list: pages of rows by position, and where each loaded id stands. */
export class ExchangePages {
  readonly #pages = new Map<number, LoadedPage>();
  readonly #places = new Map<ExchangeId, number>();
  #clock = 0;

  /** The row at a position of the list; undefined when it is not loaded. */
  at(index: number): ExchangeSummary | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.rows[index % PAGE_ROWS];
  }

  /** The position of a loaded row; undefined when it is not loaded. */
  indexOf(id: ExchangeId): number | undefined {
    return this.#places.get(id);
  }

  /** The loaded row with this id. */
  get(id: ExchangeId): ExchangeSummary | undefined {
    const index = this.#places.get(id);
    return index === undefined ? undefined : this.at(index);
  }

  /** Whether all rows from `first` up to, not including, `end` are loaded. */
  covers(first: number, end: number): boolean {
    for (let index = first; index < end;) {
      const number = Math.floor(index / PAGE_ROWS);
      const page = this.#pages.get(number);
      const pageEnd = Math.min(end, (number + 1) * PAGE_ROWS);
      if (page === undefined || page.rows.length < pageEnd - number * PAGE_ROWS) return false;
      index = pageEnd;
    }
    return true;
  }

  /** Marks the pages of a range as used, so that they outlive others. */
  touch(first: number, end: number): void {
    this.#clock += 1;
    for (let number = Math.floor(first / PAGE_ROWS); number * PAGE_ROWS < end; number += 1) {
      const page = this.#pages.get(number);
      if (page !== undefined) page.usedAt = this.#clock;
    }
  }

  /** Takes rows that stand at `index` and after, in place of what was there. `index` is the first row of a page. */
  put(index: number, rows: readonly ExchangeSummary[]): void {
    for (let offset = 0; offset < rows.length; offset += PAGE_ROWS) {
      this.#putPage((index + offset) / PAGE_ROWS, rows.slice(offset, offset + PAGE_ROWS));
    }
    this.#evict();
  }

  /** Adds a row after the last one, whose position is `index`. Does nothing when the page before it is not loaded. */
  append(index: number, row: ExchangeSummary): void {
    const number = Math.floor(index / PAGE_ROWS);
    let page = this.#pages.get(number);
    if (page === undefined && index % PAGE_ROWS === 0) {
      page = { rows: [], usedAt: this.#clock };
      this.#pages.set(number, page);
      this.#evict();
    }
    if (page?.rows.length !== index % PAGE_ROWS) return;
    page.rows.push(row);
    this.#places.set(row.id, index);
  }

  /** Replaces a loaded row by its newer state; false when it is not loaded. */
  replace(row: ExchangeSummary): boolean {
    const index = this.#places.get(row.id);
    if (index === undefined) return false;
    const page = this.#pages.get(Math.floor(index / PAGE_ROWS));
    if (page === undefined) return false;
    page.rows[index % PAGE_ROWS] = row;
    return true;
  }

  /**
   * Takes rows out; those behind them close up. What is loaded then may have gaps at the ends of pages.
   * @returns false when not all of them are loaded: nobody knows then how far the others move, and nothing was done
   */
  remove(ids: readonly ExchangeId[]): boolean {
    const gone = ids.map((id) => this.#places.get(id)).filter((place) => place !== undefined);
    if (gone.length < ids.length) return false;
    gone.sort((one, other) => one - other);
    const kept: { readonly index: number; readonly row: ExchangeSummary }[] = [];
    let before = 0;
    for (const number of [...this.#pages.keys()].sort((one, other) => one - other)) {
      this.#pages.get(number)?.rows.forEach((row, offset) => {
        const index = number * PAGE_ROWS + offset;
        while ((gone[before] ?? Infinity) < index) before += 1;
        if (gone[before] !== index) kept.push({ index: index - before, row });
      });
    }
    this.clear();
    for (const { index, row } of kept) this.append(index, row);
    return true;
  }

  clear(): void {
    this.#pages.clear();
    this.#places.clear();
  }

  #putPage(number: number, rows: ExchangeSummary[]): void {
    this.#forgetPlaces(number);
    this.#clock += 1;
    this.#pages.set(number, { rows, usedAt: this.#clock });
    rows.forEach((row, offset) => this.#places.set(row.id, number * PAGE_ROWS + offset));
  }

  #evict(): void {
    while (this.#pages.size > MOST_PAGES) {
      let oldest = -1;
      let oldestUse = Infinity;
      for (const [number, page] of this.#pages) {
        if (page.usedAt < oldestUse) {
          oldest = number;
          oldestUse = page.usedAt;
        }
      }
      this.#forgetPlaces(oldest);
      this.#pages.delete(oldest);
    }
  }

  #forgetPlaces(number: number): void {
    const start = number * PAGE_ROWS;
    this.#pages.get(number)?.rows.forEach((row, offset) => {
      // The row may have moved to another page meanwhile.
      if (this.#places.get(row.id) === start + offset) this.#places.delete(row.id);
    });
  }
}
