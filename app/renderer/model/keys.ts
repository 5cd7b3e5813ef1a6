/** Everything that a key, a menu or the palette can do. */
export type ActionId =
  | 'palette'
  | 'shortcuts'
  | 'focus-filter'
  | 'clear-filter'
  | 'save-filter'
  | 'toggle-recording'
  | 'clear'
  | 'toggle-sidebar'
  | 'next-pane'
  | 'previous-pane'
  | 'open-browser'
  | 'copy-terminal-line'
  | 'capture-computer'
  | 'system-proxy-off'
  | 'show-sample'
  | 'remove-sample'
  | 'page-traffic'
  | 'page-compose'
  | 'import-file'
  | 'replay'
  | 'edit-and-resend'
  | 'page-benchmark'
  | 'bench-quick'
  | 'bench-cancel'
  | 'page-setup'
  | 'page-settings'
  | 'licences'
  | 'theme-system'
  | 'theme-light'
  | 'theme-dark'
  | 'go-newest'
  | 'row-next'
  | 'row-previous'
  | 'row-first'
  | 'row-last'
  | 'page-down'
  | 'page-up'
  | 'extend-next'
  | 'extend-previous'
  | 'select-all'
  | 'open-detail'
  | 'step-out'
  | 'row-menu'
  | 'copy-url'
  | 'copy-curl'
  | 'copy-request-headers'
  | 'copy-response-headers'
  | 'copy-request-body'
  | 'copy-response-body'
  | 'copy-fetch'
  | 'copy-httpie'
  | 'copy-python'
  | 'copy-go'
  | 'copy-java'
  | 'copy-raw-request'
  | 'copy-raw-response'
  | 'label-0'
  | 'label-1'
  | 'label-2'
  | 'label-3'
  | 'label-4'
  | 'label-5'
  | 'label-6'
  | 'toggle-pin'
  | 'comment'
  | 'remove'
  | 'undo-remove'
  | 'compare'
  | 'export'
  | 'filter-type'
  | 'filter-method'
  | 'filter-program'
  | 'filter-host'
  | 'filter-not-host'
  | 'filter-path'
  | 'filter-status'
  | 'pass-through-host'
  | 'find-in-body'
  | 'select-body'
  | 'next-body-view'
  | 'copy-json-path'
  | 'copy-json-value';

/**
 * Where a key acts: everywhere; with the list focused (letters never act elsewhere); inside a body, whose view listens
 * for them itself.
 */
export type KeyScope = 'everywhere' | 'list' | 'body';

export interface KeyBinding {
  readonly action: ActionId;
  /** `Mod` is ⌘ on a Mac and Ctrl elsewhere. A chord without `Shift` ignores Shift for characters (`?`). */
  readonly chords: readonly string[];
  readonly scope: KeyScope;
}

/** The one table that feeds the key handling, the hints in menus and tooltips, and the sheet of all keys. */
export const KEYS: readonly KeyBinding[] = [
  { action: 'palette', chords: ['Mod+K', 'Mod+Shift+P'], scope: 'everywhere' },
  { action: 'focus-filter', chords: ['Mod+F'], scope: 'everywhere' },
  { action: 'save-filter', chords: ['Mod+S'], scope: 'everywhere' },
  { action: 'clear', chords: ['Mod+Backspace'], scope: 'everywhere' },
  { action: 'toggle-sidebar', chords: ['Mod+B'], scope: 'everywhere' },
  { action: 'next-pane', chords: ['F6'], scope: 'everywhere' },
  { action: 'previous-pane', chords: ['Shift+F6'], scope: 'everywhere' },
  { action: 'step-out', chords: ['Escape'], scope: 'everywhere' },
  { action: 'shortcuts', chords: ['?'], scope: 'everywhere' },
  { action: 'row-next', chords: ['j', 'ArrowDown'], scope: 'list' },
  { action: 'row-previous', chords: ['k', 'ArrowUp'], scope: 'list' },
  { action: 'extend-next', chords: ['Shift+ArrowDown'], scope: 'list' },
  { action: 'extend-previous', chords: ['Shift+ArrowUp'], scope: 'list' },
  { action: 'page-down', chords: ['PageDown'], scope: 'list' },
  { action: 'page-up', chords: ['PageUp'], scope: 'list' },
  { action: 'row-first', chords: ['Home'], scope: 'list' },
  { action: 'row-last', chords: ['End'], scope: 'list' },
  { action: 'select-all', chords: ['Mod+A'], scope: 'list' },
  { action: 'open-detail', chords: ['Enter'], scope: 'list' },
  { action: 'row-menu', chords: ['Shift+F10', 'ContextMenu'], scope: 'list' },
  { action: 'replay', chords: ['r'], scope: 'list' },
  { action: 'edit-and-resend', chords: ['e'], scope: 'list' },
  { action: 'copy-curl', chords: ['c'], scope: 'list' },
  { action: 'copy-url', chords: ['Mod+C'], scope: 'list' },
  { action: 'toggle-pin', chords: ['p'], scope: 'list' },
  { action: 'comment', chords: ['n'], scope: 'list' },
  { action: 'label-1', chords: ['1'], scope: 'list' },
  { action: 'label-2', chords: ['2'], scope: 'list' },
  { action: 'label-3', chords: ['3'], scope: 'list' },
  { action: 'label-4', chords: ['4'], scope: 'list' },
  { action: 'label-5', chords: ['5'], scope: 'list' },
  { action: 'label-6', chords: ['6'], scope: 'list' },
  { action: 'label-0', chords: ['0'], scope: 'list' },
  { action: 'remove', chords: ['Delete'], scope: 'list' },
  { action: 'compare', chords: ['d'], scope: 'list' },
  { action: 'undo-remove', chords: ['Mod+Z'], scope: 'list' },
  { action: 'find-in-body', chords: ['Mod+F'], scope: 'body' },
  { action: 'select-body', chords: ['Mod+A'], scope: 'body' },
  { action: 'next-body-view', chords: ['v'], scope: 'body' },
  { action: 'copy-json-path', chords: ['Mod+Shift+C'], scope: 'body' },
  { action: 'copy-json-value', chords: ['Mod+C'], scope: 'body' },
];

type KeyEvent = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** Whether an event is a chord of the table. */
function matchesChord(event: KeyEvent, chord: string, mac: boolean): boolean {
  const parts = chord.split('+');
  const key = parts.at(-1) ?? '';
  const mod = parts.includes('Mod');
  if (event.altKey || event.ctrlKey !== (mod && !mac) || event.metaKey !== (mod && mac)) return false;
  const sameKey = event.key.toLowerCase() === key.toLowerCase();
  // A character that needs Shift on some keyboards is the character, however it was typed.
  const shiftMatters = key.length > 1 || mod || /[a-z]/i.test(key);
  return sameKey && (!shiftMatters || event.shiftKey === parts.includes('Shift'));
}

/** The action of a key in a scope; null when the table has none. */
export function actionForKey(event: KeyEvent, scope: KeyScope, mac: boolean): ActionId | null {
  const binding = KEYS.find(
    (candidate) => candidate.scope === scope && candidate.chords.some((chord) => matchesChord(event, chord, mac)),
  );
  return binding?.action ?? null;
}

const MAC_SYMBOLS: Readonly<Record<string, string>> = { Mod: '⌘', Shift: '⇧', Backspace: '⌫', Escape: 'Esc' };
const NAMES: Readonly<Record<string, string>> = {
  Mod: 'Ctrl',
  Escape: 'Esc',
  ArrowDown: '↓',
  ArrowUp: '↑',
  PageDown: 'Page down',
  PageUp: 'Page up',
  ContextMenu: 'Menu',
};

/** A chord as a person reads it: `Ctrl Shift P`, `⌘⇧P`. */
export function chordLabel(chord: string, mac: boolean): string {
  const parts = chord.split('+').map((part) => (mac ? (MAC_SYMBOLS[part] ?? NAMES[part]) : NAMES[part]) ?? part);
  return parts.join(mac ? '' : ' ');
}

/** The first chord of an action as a person reads it; null without one. */
export function keyHint(action: ActionId, mac: boolean): string | null {
  const chord = KEYS.find((binding) => binding.action === action)?.chords[0];
  return chord === undefined ? null : chordLabel(chord, mac);
}
