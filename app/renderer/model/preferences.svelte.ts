import { Remembered, isBoolean, numberBetween, oneOf } from './remembered.svelte.ts';
import type { KeyValueStore } from './remembered.svelte.ts';

export type ThemeChoice = 'system' | 'light' | 'dark';
export type RowDensity = 'compact' | 'comfortable';

export type SidebarTab = 'hosts' | 'programs' | 'sessions' | 'filters';

/** A filter that is worth a name. */
export interface SavedFilter {
  readonly name: string;
  readonly filter: string;
}

/** Row heights of the exchange list, px. */
export const ROW_HEIGHT: Readonly<Record<RowDensity, number>> = { compact: 24, comfortable: 28 };

export const SIDEBAR_WIDTH = { initial: 216, least: 160, most: 360 } as const;
export const DETAIL_WIDTH = { initial: 480, least: 360, most: 1_200 } as const;
/** Share of the height that the detail takes when it stands at the bottom, percent. */
export const DETAIL_SHARE = { initial: 45, least: 20, most: 80 } as const;

/** What the user chose about the window itself. It lasts in this browser or app, not in the data folder. */
export class Preferences {
  readonly theme: Remembered<ThemeChoice>;
  readonly density: Remembered<RowDensity>;
  readonly sidebarOpen: Remembered<boolean>;
  readonly sidebarWidth: Remembered<number>;
  readonly sidebarTab: Remembered<SidebarTab>;
  readonly savedFilters: Remembered<readonly SavedFilter[]>;
  readonly detailWidth: Remembered<number>;
  readonly detailShare: Remembered<number>;

  constructor(store: KeyValueStore = localStorage) {
    const { least, most } = DETAIL_WIDTH;
    this.theme = new Remembered('theme', 'system', oneOf('system', 'light', 'dark'), store);
    this.density = new Remembered('density', 'compact', oneOf('compact', 'comfortable'), store);
    this.sidebarOpen = new Remembered('sidebar-open', true, isBoolean, store);
    this.sidebarTab = new Remembered('sidebar-tab', 'hosts', oneOf('hosts', 'programs', 'sessions', 'filters'), store);
    this.savedFilters = new Remembered<readonly SavedFilter[]>('saved-filters', [], isSavedFilters, store);
    this.sidebarWidth = new Remembered(
      'sidebar-width',
      SIDEBAR_WIDTH.initial,
      numberBetween(SIDEBAR_WIDTH.least, SIDEBAR_WIDTH.most),
      store,
    );
    this.detailWidth = new Remembered('detail-width', DETAIL_WIDTH.initial, numberBetween(least, most), store);
    this.detailShare = new Remembered(
      'detail-share',
      DETAIL_SHARE.initial,
      numberBetween(DETAIL_SHARE.least, DETAIL_SHARE.most),
      store,
    );
  }
}

function isSavedFilters(value: unknown): value is readonly SavedFilter[] {
  return Array.isArray(value) && value.every(isSavedFilter);
}

function isSavedFilter(value: unknown): value is SavedFilter {
  if (typeof value !== 'object' || value === null) return false;
  const { name, filter } = value as Partial<Record<keyof SavedFilter, unknown>>;
  return typeof name === 'string' && typeof filter === 'string' && name !== '' && filter !== '';
}
