import type { SortColumn } from '#contract';
import { Remembered } from './remembered.svelte.ts';
import type { KeyValueStore } from './remembered.svelte.ts';

export type ColumnId =
  'label' | 'status' | 'method' | 'host' | 'path' | 'type' | 'size' | 'duration' | 'protocol' | 'started';

export interface ColumnDefinition {
  readonly id: ColumnId;
  /** Initial width, px; the path takes what is left. */
  readonly width: number;
  readonly least: number;
  /** Null for what no index orders. */
  readonly sort: SortColumn | null;
  readonly numeric: boolean;
  /** Shown only from this width of the list, px. */
  readonly from: number;
}

/** The columns of the list in their order. */
export const COLUMNS: readonly ColumnDefinition[] = [
  { id: 'label', width: 12, least: 12, sort: null, numeric: false, from: 0 },
  { id: 'status', width: 52, least: 52, sort: 'status', numeric: false, from: 0 },
  { id: 'method', width: 72, least: 72, sort: 'method', numeric: false, from: 0 },
  { id: 'host', width: 132, least: 64, sort: 'host', numeric: false, from: 0 },
  { id: 'path', width: 140, least: 140, sort: null, numeric: false, from: 0 },
  { id: 'type', width: 56, least: 56, sort: 'type', numeric: false, from: 0 },
  { id: 'size', width: 68, least: 64, sort: 'size', numeric: true, from: 0 },
  { id: 'duration', width: 68, least: 68, sort: 'duration', numeric: true, from: 0 },
  { id: 'protocol', width: 72, least: 64, sort: null, numeric: false, from: 980 },
  { id: 'started', width: 84, least: 84, sort: 'time', numeric: true, from: 980 },
];

/** Columns that a person may hide; the rest is what a row is. */
export const HIDEABLE: readonly ColumnId[] = ['method', 'host', 'type', 'size', 'duration', 'protocol', 'started'];

export interface ShownColumn {
  readonly definition: ColumnDefinition;
  /** Px; for the path its least width. */
  readonly width: number;
}

/** What fits: below 640 px the type goes, then the size, then the host moves into the path. */
const NARROW_STEPS = [
  { below: 640, hides: 'type' },
  { below: 560, hides: 'size' },
  { below: 480, hides: 'host' },
] as const;

type Widths = Readonly<Partial<Record<ColumnId, number>>>;

/** Which columns stand in the list and how wide; the user's choices last. */
export class Columns {
  readonly #widths: Remembered<Widths>;
  readonly #hidden: Remembered<readonly ColumnId[]>;

  constructor(store: KeyValueStore = localStorage) {
    this.#widths = new Remembered<Widths>('column-widths', {}, isWidths, store);
    this.#hidden = new Remembered<readonly ColumnId[]>('columns-hidden', [], isColumnIds, store);
  }

  /** @param listWidth px */
  shown(listWidth: number): readonly ShownColumn[] {
    return COLUMNS.filter(
      ({ id, from }) =>
        listWidth >= from &&
        !this.isHidden(id) &&
        !NARROW_STEPS.some(({ below, hides }) => hides === id && listWidth < below),
    ).map((definition) => ({ definition, width: this.#widths.value[definition.id] ?? definition.width }));
  }

  /** The host has no column at this width and stands before the path. */
  mergesHost(listWidth: number): boolean {
    return this.isHidden('host') || listWidth < 480;
  }

  isHidden(id: ColumnId): boolean {
    return this.#hidden.value.includes(id);
  }

  setHidden(id: ColumnId, hidden: boolean): void {
    const others = this.#hidden.value.filter((other) => other !== id);
    this.#hidden.value = hidden ? [...others, id] : others;
  }

  /** @param width px; held within what the column needs */
  resize(id: ColumnId, width: number): void {
    const definition = COLUMNS.find((column) => column.id === id);
    if (definition === undefined) return;
    this.#widths.value = { ...this.#widths.value, [id]: Math.round(Math.min(600, Math.max(definition.least, width))) };
  }

  resetWidth(id: ColumnId): void {
    const { [id]: _, ...others } = this.#widths.value;
    this.#widths.value = others;
  }

  /** As delivered: widths and visibility. */
  reset(): void {
    this.#widths.reset();
    this.#hidden.reset();
  }
}

function isColumnId(value: unknown): value is ColumnId {
  return COLUMNS.some((column) => column.id === value);
}

function isColumnIds(value: unknown): value is readonly ColumnId[] {
  return Array.isArray(value) && value.every(isColumnId);
}

function isWidths(value: unknown): value is Widths {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).every(
      ([id, width]) => isColumnId(id) && typeof width === 'number' && width >= 12 && width <= 600,
    )
  );
}
