/** The part of `Storage` that is used; tests hand in a map. */
export interface KeyValueStore {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** One choice of the user that lasts: reactive, written through to the page's storage, checked when read back. */
export class Remembered<Value> {
  readonly #key: string;
  readonly #store: KeyValueStore;
  readonly #fallback: Value;
  #value: Value = $state.raw() as Value;

  /**
   * @param key name in the storage, without the application's prefix
   * @param accepts whether a stored value (of an older version, or edited by hand) may be used; otherwise `fallback` is
   */
  constructor(
    key: string,
    fallback: Value,
    accepts: (value: unknown) => value is Value,
    store: KeyValueStore = localStorage,
  ) {
    this.#key = `weir.${key}`;
    this.#store = store;
    this.#fallback = fallback;
    this.#value = readBack(store, this.#key, fallback, accepts);
  }

  get value(): Value {
    return this.#value;
  }

  set value(value: Value) {
    this.#value = value;
    try {
      this.#store.setItem(this.#key, JSON.stringify(value));
    } catch {
      // A full or forbidden storage costs the memory of the choice, never the choice.
    }
  }

  reset(): void {
    this.value = this.#fallback;
  }
}

function readBack<Value>(
  store: KeyValueStore,
  key: string,
  fallback: Value,
  accepts: (value: unknown) => value is Value,
): Value {
  try {
    const text = store.getItem(key);
    if (text === null) return fallback;
    const value: unknown = JSON.parse(text);
    return accepts(value) ? value : fallback;
  } catch {
    return fallback;
  }
}

/** A check for {@link Remembered}: one of a few words. */
export function oneOf<Word extends string>(...words: readonly Word[]): (value: unknown) => value is Word {
  return (value): value is Word => words.some((word) => word === value);
}

/** A check for {@link Remembered}: a number within bounds. */
export function numberBetween(least: number, most: number): (value: unknown) => value is number {
  return (value): value is number => typeof value === 'number' && value >= least && value <= most;
}

/** A check for {@link Remembered}. */
export function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}
