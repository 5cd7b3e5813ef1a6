import type { ActionId } from '../model/keys.ts';

/** What each action is called in menus, in the palette and on the sheet of keys. */
export const ACTION_TEXT: Readonly<Record<ActionId, string>> = {
  palette: 'Open the palette',
  shortcuts: 'Show all keys',
  'focus-filter': 'Filter',
  'clear-filter': 'Clear filter',
  'toggle-recording': 'Pause or resume recording',
  clear: 'Clear and start a new session',
  'toggle-sidebar': 'Show or hide the sidebar',
  'next-pane': 'Next pane',
  'previous-pane': 'Previous pane',
  'open-browser': 'Open a browser',
  'copy-terminal-line': 'Copy terminal line',
  'show-sample': 'Show sample traffic',
  'remove-sample': 'Remove sample traffic',
  'page-traffic': 'Go to Traffic',
  'page-setup': 'Go to Setup',
  'page-settings': 'Go to Settings',
  'theme-system': 'Theme: as the system',
  'theme-light': 'Theme: light',
  'theme-dark': 'Theme: dark',
  'go-newest': 'Go to the newest exchange',
  'row-next': 'Next exchange',
  'row-previous': 'Previous exchange',
  'row-first': 'First exchange',
  'row-last': 'Last exchange',
  'page-down': 'A page down',
  'page-up': 'A page up',
  'extend-next': 'Extend the selection down',
  'extend-previous': 'Extend the selection up',
  'select-all': 'Select all exchanges',
  'open-detail': 'Go to the detail',
  'step-out': 'Step outward',
  'row-menu': 'Open the menu of the exchange',
  'copy-url': 'Copy URL',
  'copy-curl': 'Copy as cURL',
  'copy-request-headers': 'Copy request headers',
  'copy-response-headers': 'Copy response headers',
  'copy-request-body': 'Copy request body',
  'copy-response-body': 'Copy response body',
  'filter-host': 'Only this host',
  'filter-not-host': 'Not this host',
  'filter-path': 'Only this path',
  'filter-status': 'Only this status',
  'pass-through-host': 'Pass through host',
  'find-in-body': 'Find in the body',
  'select-body': 'Select the body',
};

/** Shorter names, where a parent menu says the verb already. */
export const MENU_TEXT = {
  copy: 'Copy',
  filter: 'Filter',
  url: 'URL',
  curl: 'cURL command',
  requestHeaders: 'Request headers',
  responseHeaders: 'Response headers',
  requestBody: 'Request body',
  responseBody: 'Response body',
} as const;

/** Heads of the sheet of keys. */
export const KEY_SCOPE_TEXT = {
  everywhere: 'Everywhere',
  list: 'In the list',
  body: 'In a body',
} as const;
