import { kindAt } from '../content/json-index.ts';
import type { JsonTable } from '../content/json-index.ts';
import { jsonPath } from '../content/json-path.ts';
import { carriedFolds, firstFolds, rowOf, rowsOf } from '../content/json-rows.ts';
import type { Folds } from '../content/json-rows.ts';
import { searchJson } from '../content/json-search.ts';

/** A JSON text as a tree: what is folded, which value is current, what a search found. Values go by their place in the table. */
export class JsonTreeModel {
  #text = $state.raw('');
  #table = $state.raw<JsonTable | null>(null);
  #folds: Folds = new Uint8Array();
  #rows = $state.raw(new Int32Array());
  #current = $state(0);
  #wanted = $state('');
  #matches = $state.raw<readonly number[]>([]);

  readonly matched = $derived(new Set(this.#matches));

  get text(): string {
    return this.#text;
  }

  get table(): JsonTable | null {
    return this.#table;
  }

  /** Values that have a row, in order. */
  get rows(): Int32Array {
    return this.#rows;
  }

  get current(): number {
    return this.#current;
  }

  get currentRow(): number {
    return rowOf(this.#rows, this.#current);
  }

  get path(): string {
    return this.#table === null || this.#table.count === 0 ? '' : jsonPath(this.#text, this.#table, this.#current);
  }

  get wanted(): string {
    return this.#wanted;
  }

  get matches(): readonly number[] {
    return this.#matches;
  }

  /** Place of the current value among the matches, from 0; -1 when it is none. */
  get match(): number {
    return this.#matches.indexOf(this.#current);
  }

  /** Shows another text, or more of the same: of that the reader's folds and place stay. */
  show(text: string, table: JsonTable): void {
    const isMore = this.#table !== null && this.#text !== '' && text.startsWith(this.#text);
    this.#folds = isMore ? carriedFolds(this.#folds, table) : firstFolds(table);
    if (!isMore) this.#current = 0;
    this.#text = text;
    this.#table = table;
    this.#draw();
    if (this.#wanted !== '') this.#matches = searchJson(text, table, this.#wanted);
  }

  isContainer(value: number): boolean {
    return (this.#table?.sizes[value] ?? 0) > 0;
  }

  isFolded(value: number): boolean {
    // The rows change whenever a fold does.
    void this.#rows;
    return this.#folds[value] === 1;
  }

  choose(value: number): void {
    this.#current = value;
  }

  /** Makes the value so many rows further on the current one. */
  move(rows: number): void {
    const row = Math.min(this.#rows.length - 1, Math.max(0, this.currentRow + rows));
    this.#current = this.#rows[row] ?? 0;
  }

  toggle(value: number): void {
    this.#fold(value, !this.isFolded(value));
  }

  /** Right: unfolds, or goes to the first value within. */
  inward(): void {
    if (!this.isContainer(this.#current)) return;
    if (this.isFolded(this.#current)) this.#fold(this.#current, false);
    else this.#current += 1;
  }

  /** Left: folds, or goes to the container. */
  outward(): void {
    if (this.isContainer(this.#current) && !this.isFolded(this.#current)) {
      this.#fold(this.#current, true);
      return;
    }
    const parent = this.#table?.parents[this.#current] ?? -1;
    if (parent >= 0) this.#current = parent;
  }

  /** Folds or unfolds a value with all that is within it. */
  setAll(value: number, folded: boolean): void {
    const after = this.#table?.afters[value] ?? value + 1;
    this.#folds.fill(folded ? 1 : 0, value, after);
    this.#draw();
  }

  /** Unfolds all values beside the current one. */
  unfoldSiblings(): void {
    const table = this.#table;
    if (table === null) return;
    const parent = table.parents[this.#current] ?? -1;
    const after = parent < 0 ? table.count : (table.afters[parent] ?? table.count);
    for (let value = parent + 1; value < after; value = table.afters[value] ?? after) this.#folds[value] = 0;
    this.#draw();
  }

  /** Makes a value the current one and unfolds all that it stands in. */
  reveal(value: number): void {
    let hidden = false;
    for (let at = this.#table?.parents[value] ?? -1; at >= 0; at = this.#table?.parents[at] ?? -1) {
      hidden ||= this.#folds[at] === 1;
      this.#folds[at] = 0;
    }
    if (hidden) this.#draw();
    this.#current = value;
  }

  /** Finds a text and goes to its first place from the current value on. */
  find(wanted: string): void {
    this.#wanted = wanted;
    this.#matches = this.#table === null ? [] : searchJson(this.#text, this.#table, wanted);
    const next = this.#matches.find((value) => value >= this.#current) ?? this.#matches[0];
    if (next !== undefined) this.reveal(next);
  }

  /** Goes to the next match, or the one before, round and round. */
  step(by: 1 | -1): void {
    const found = this.#matches;
    const next =
      by === 1 ? found.find((value) => value > this.#current) : found.findLast((value) => value < this.#current);
    const value = next ?? found.at(by === 1 ? 0 : -1);
    if (value !== undefined) this.reveal(value);
  }

  /** The kind of a value; `null` before there is a table. */
  kind(value: number): ReturnType<typeof kindAt> {
    return this.#table === null ? 'null' : kindAt(this.#table, value);
  }

  #fold(value: number, folded: boolean): void {
    if (!this.isContainer(value)) return;
    this.#folds[value] = folded ? 1 : 0;
    this.#draw();
    // What is folded away cannot be current.
    this.#current = this.#rows[this.currentRow] ?? 0;
  }

  #draw(): void {
    if (this.#table !== null) this.#rows = rowsOf(this.#table, this.#folds);
  }
}
