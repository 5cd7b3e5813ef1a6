/** Bits of a sort key that number the row; the others hold its value. */
const ROW_BITS = 24n;
const ROW_RANGE = 2 ** 24;
const MOST_VALUE = 2 ** 40 - 1;
const GROWTH = 2;
const FIRST_CAPACITY = 4_096;

/** Collects the rows that match a query, and puts them in order. Most rows: 2^24. */
export class MatchCollector {
  #ids = new Float64Array(FIRST_CAPACITY);
  #values = new Float64Array(FIRST_CAPACITY);
  #length = 0;

  /** @param value a whole number from -1 up; what is beyond 2^40 - 2 counts as that */
  add(id: number, value: number): void {
    if (this.#length === this.#ids.length) this.#grow();
    this.#ids[this.#length] = id;
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  /** Ids in the order in which they came. */
  asCollected(): Float64Array {
    return this.#ids.slice(0, this.#length);
  }

  /**
   * Ids by rising value, equal ones in the order in which they came. Value and row are packed into one 64-bit number, since
   * plain numbers are sorted a dozen times faster than through a comparing function.
   */
  sorted(): Float64Array {
    const keys = new BigUint64Array(this.#length);
    const halves = new Uint32Array(keys.buffer);
    for (let row = 0; row < this.#length; row += 1) {
      const value = Math.min((this.#values[row] ?? 0) + 1, MOST_VALUE);
      // Low half first, as every machine that Weir runs on keeps its numbers.
      halves[2 * row] = (value % 256) * ROW_RANGE + row;
      halves[2 * row + 1] = Math.floor(value / 256);
    }
    keys.sort();
    const ids = new Float64Array(this.#length);
    const mask = (1n << ROW_BITS) - 1n;
    for (let at = 0; at < this.#length; at += 1) ids[at] = this.#ids[Number((keys[at] ?? 0n) & mask)] ?? 0;
    return ids;
  }

  #grow(): void {
    const ids = new Float64Array(this.#ids.length * GROWTH);
    const values = new Float64Array(ids.length);
    ids.set(this.#ids);
    values.set(this.#values);
    this.#ids = ids;
    this.#values = values;
  }
}

/** A list that is being made or was made, and who waits for it. */
interface Entry {
  readonly version: number | null;
  readonly list: Promise<Float64Array>;
  readonly waiting: Set<Cancellation>;
}

/** A long query asks this between two steps. */
export interface Cancellation {
  readonly cancelled: boolean;
}

const KEPT_LISTS = 4;

/**
 * Keeps the last few lists of matches: a list view asks for one window of the same query after another. Several questions
 * about one query share the work, which is given up when all of them were cancelled.
 */
export class MatchLists {
  readonly #entries = new Map<string, Entry>();

  /**
   * @param key names query and order
   * @param version a list made at another version is made anew; null when later changes do not matter to it
   * @param make walks the rows; its cancellation is that of everyone who waits
   */
  async get(
    key: string,
    version: number | null,
    cancellation: Cancellation,
    make: (all: Cancellation) => Promise<Float64Array>,
  ): Promise<Float64Array> {
    let entry = this.#entries.get(key);
    this.#entries.delete(key);
    if (entry?.version !== version) entry = this.#make(version, make);
    this.#entries.set(key, entry);
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= KEPT_LISTS) break;
      this.#entries.delete(oldest);
    }
    entry.waiting.add(cancellation);
    try {
      return await entry.list;
    } catch (error: unknown) {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
      throw error;
    } finally {
      entry.waiting.delete(cancellation);
    }
  }

  #make(version: number | null, make: (all: Cancellation) => Promise<Float64Array>): Entry {
    const waiting = new Set<Cancellation>();
    const all = {
      get cancelled(): boolean {
        return waiting.size > 0 && [...waiting].every(({ cancelled }) => cancelled);
      },
    };
    return { version, waiting, list: make(all) };
  }
}
