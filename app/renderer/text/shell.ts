import type { Page } from '../model/navigation.svelte.ts';

/** Words of the frame around the pages. */
export const SHELL_TEXT = {
  rail: 'Pages',
  pages: {
    traffic: 'Traffic',
    compose: 'Compose',
    benchmark: 'Benchmark',
    setup: 'Setup',
    settings: 'Settings',
  } satisfies Record<Page, string>,
  detail: 'Detail',
  sidebarWidth: 'Width of the sidebar',
  detailWidth: 'Width of the detail',
  detailHeight: 'Height of the detail',
  palette: 'Palette',
  palettePlaceholder: 'Find an action',
  paletteNothing: (query: string): string => `No action is called “${query}”.`,
  shortcuts: 'All keys',
  shortcutsHint: 'Letters act with the list focused.',
  dismissToast: 'Dismiss',
  pageMissing: (page: string): string => `${page} could not be loaded`,
  pageMissingHint: 'Weir may have been replaced by another version since this page was opened. Load it again.',
  reload: 'Reload',
} as const;
