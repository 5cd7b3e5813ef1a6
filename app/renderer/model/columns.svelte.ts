import type { SortColumn } from '#contract';
import { Remembered } from './remembered.svelte.ts';
import type { KeyValueStore } from './remembered.svelte.ts';

export type ColumnId =
  | 'label'
  | 'status'
  | 'method'
  | 'host'
  | 'path'
  | 'type'
  | 'size'
  | 'duration'
  | 'program'
  | 'protocol'
  | 'started'
  | 'model'
  | 'tokens'
  | 'ttft'
  | 'finish'
  | 'waterfall';

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
const COLUMNS: readonly ColumnDefinition[] = [
  { id: 'label', width: 12, least: 12, sort: null, numeric: false, from: 0 },
  { id: 'status', width: 52, least: 52, sort: 'status', numeric: false, from: 0 },
  { id: 'method', width: 72, least: 72, sort: 'method', numeric: false, from: 0 },
  { id: 'host', width: 132, least: 64, sort: 'host', numeric: false, from: 0 },
  { id: 'path', width: 140, least: 140, sort: null, numeric: false, from: 0 },
  { id: 'type', width: 56, least: 56, sort: 'type', numeric: false, from: 0 },
  { id: 'size', width: 68, least: 64, sort: 'size', numeric: true, from: 0 },
  { id: 'duration', width: 68, least: 68, sort: 'duration', numeric: true, from: 0 },
  { id: 'program', width: 112, least: 64, sort: null, numeric: false, from: 980 },
  { id: 'protocol', width: 72, least: 64, sort: null, numeric: false, from: 980 },
  { id: 'started', width: 84, least: 84, sort: 'time', numeric: true, from: 980 },
  { id: 'model', width: 132, least: 64, sort: null, numeric: false, from: 0 },
  { id: 'tokens', width: 100, least: 100, sort: null, numeric: true, from: 0 },
  { id: 'ttft', width: 84, least: 84, sort: null, numeric: true, from: 0 },
  { id: 'finish', width: 84, least: 64, sort: null, numeric: false, from: 0 },
  { id: 'waterfall', width: 160, least: 80, sort: null, numeric: false, from: 0 },
];

/** Columns that a person may hide; the rest is what a row is. */
export const HIDEABLE: readonly ColumnId[] = [
  'method',
  'host',
  'type',
  'size',
  'duration',
  'program',
  'protocol',
  'started',
  'model',
  'tokens',
  'ttft',
  'finish',
  'waterfall',
];

/** The label is a bar at the edge of the row: it stands first and stays there. */
const FIXED: ColumnId = 'label';
const HIDDEN_AT_FIRST: readonly ColumnId[] = ['model', 'tokens', 'ttft', 'finish', 'waterfall'];
const ORDER_AT_FIRST: readonly ColumnId[] = COLUMNS.map(({ id }) => id);

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

/** Which columns go first, one by one, where those that a person asked for would not fit beside them; px of the scroll bar. */
const GIVING_WAY: readonly ColumnId[] = [
  'started',
  'protocol',
  'program',
  'waterfall',
  'finish',
  'ttft',
  'tokens',
  'model',
];
const SCROLL_BAR = 10;

type Widths = Readonly<Partial<Record<ColumnId, number>>>;

/** Which columns stand in the list and how wide; the user's choices last. */
export class Columns {
  readonly #widths: Remembered<Widths>;
  readonly #hidden: Remembered<readonly ColumnId[]>;
  readonly #order: Remembered<readonly ColumnId[]>;
  readonly #ordered = $derived.by(() => inOrder(this.#order.value));

  constructor(store: KeyValueStore = localStorage) {
    this.#widths = new Remembered<Widths>('column-widths', {}, isWidths, store);
    this.#hidden = new Remembered<readonly ColumnId[]>('columns-hidden', HIDDEN_AT_FIRST, isColumnIds, store);
    this.#order = new Remembered<readonly ColumnId[]>('columns-order', ORDER_AT_FIRST, isColumnIds, store);
  }

  /** @param listWidth px */
  shown(listWidth: number): readonly ShownColumn[] {
    const wanted = this.#ordered
      .filter(
        ({ id, from }) =>
          listWidth >= from &&
          !this.isHidden(id) &&
          !NARROW_STEPS.some(({ below, hides }) => hides === id && listWidth < below),
      )
      .map((definition) => ({ definition, width: this.#widths.value[definition.id] ?? definition.width }));
    return fitting(wanted, listWidth - SCROLL_BAR);
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

  /** All columns as they stand, hidden ones too. */
  get ordered(): readonly ColumnDefinition[] {
    return this.#ordered;
  }

  /** Whether a person may give this column another place. */
  isMovable(id: ColumnId): boolean {
    return id !== FIXED;
  }

  /** Puts a column before another one, or behind all for null. */
  move(id: ColumnId, before: ColumnId | null): void {
    if (!this.isMovable(id) || id === before || before === FIXED) return;
    const others = this.#ordered.map((column) => column.id).filter((other) => other !== id);
    const at = before === null ? others.length : others.indexOf(before);
    this.#order.value = [...others.slice(0, at), id, ...others.slice(at)];
  }

  /**
   * Moves a column past its neighbour.
   * @param shown those on the screen: hidden neighbours are passed over
   */
  step(id: ColumnId, by: 1 | -1, shown: readonly ShownColumn[]): void {
    const at = shown.findIndex(({ definition }) => definition.id === id);
    const target = shown[at + (by === 1 ? 2 : -1)]?.definition.id ?? null;
    if (at < 0 || (target === null && by === -1)) return;
    this.move(id, target);
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

  /** As delivered: widths, places and visibility. */
  reset(): void {
    this.#widths.reset();
    this.#hidden.reset();
    this.#order.reset();
  }
}

function fitting(wanted: readonly ShownColumn[], room: number): readonly ShownColumn[] {
  let shown = wanted;
  let taken = shown.reduce((sum, { width }) => sum + width, 0);
  for (const id of GIVING_WAY) {
    if (taken <= room) break;
    shown = shown.filter(({ definition, width }) => {
      if (definition.id !== id) return true;
      taken -= width;
      return false;
    });
  }
  return shown;
}

/** Columns that an older version did not know stand where they are delivered, behind the column that they follow there. */
function inOrder(order: readonly ColumnId[]): readonly ColumnDefinition[] {
  const ids = order.filter((id) => id !== FIXED);
  ORDER_AT_FIRST.forEach((id, at) => {
    if (id === FIXED || ids.includes(id)) return;
    const before = ORDER_AT_FIRST[at - 1];
    ids.splice(before === undefined ? 0 : ids.indexOf(before) + 1, 0, id);
  });
  return [FIXED, ...ids].flatMap((id) => COLUMNS.find((column) => column.id === id) ?? []);
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
