import type { ExchangeId } from '#contract';

/** Which exchanges are chosen, by id, so that a refresh of the list does not lose them. */
export class Selection {
  #active = $state<ExchangeId | null>(null);
  #ids = $state.raw<ReadonlySet<ExchangeId>>(new Set());
  #anchor: ExchangeId | null = null;

  /** The one that the detail shows. */
  get active(): ExchangeId | null {
    return this.#active;
  }

  get ids(): ReadonlySet<ExchangeId> {
    return this.#ids;
  }

  /** Where a range begins: the last exchange chosen without Shift. */
  get anchor(): ExchangeId | null {
    return this.#anchor;
  }

  has(id: ExchangeId): boolean {
    return this.#ids.has(id);
  }

  /** Chooses one and forgets the others. */
  choose(id: ExchangeId): void {
    this.#active = id;
    this.#anchor = id;
    this.#ids = new Set([id]);
  }

  /** Adds one, or takes it away. */
  toggle(id: ExchangeId): void {
    const ids = new Set(this.#ids);
    this.#anchor = id;
    if (ids.delete(id)) {
      this.#active = id === this.#active ? (last(ids) ?? null) : this.#active;
    } else {
      ids.add(id);
      this.#active = id;
    }
    this.#ids = ids;
  }

  /** Chooses all of `ids`; `active` is the end that the user moved to. The anchor stays. */
  chooseRange(ids: Iterable<ExchangeId>, active: ExchangeId): void {
    this.#ids = new Set([...ids, active]);
    this.#active = active;
    this.#anchor ??= active;
  }

  clear(): void {
    this.#active = null;
    this.#anchor = null;
    this.#ids = new Set();
  }
}

function last<Item>(items: Iterable<Item>): Item | undefined {
  let found: Item | undefined;
  for (const item of items) found = item;
  return found;
}
