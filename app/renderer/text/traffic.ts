import type { ColumnId } from '../model/columns.svelte.ts';

/** Heads of the columns. */
export const COLUMN_TEXT: Readonly<Record<ColumnId, string>> = {
  label: 'Label',
  status: 'Status',
  method: 'Method',
  host: 'Host',
  path: 'Path',
  type: 'Type',
  size: 'Size',
  duration: 'Time',
  program: 'Program',
  protocol: 'Protocol',
  started: 'Started',
  model: 'Model',
  tokens: 'Tokens',
  ttft: 'First token',
  finish: 'Finish',
  waterfall: 'Waterfall',
};

export const COLUMN_MENU_TEXT = {
  title: 'Columns',
  reset: 'Reset columns',
  left: (column: string): string => `Move ${column} left`,
  right: (column: string): string => `Move ${column} right`,
  sortUp: 'sorted ascending',
  sortDown: 'sorted descending',
  resize: (column: string): string => `Width of the column ${column}`,
} as const;

export const TOOLBAR_TEXT = {
  recording: 'Recording',
  notRecording: 'Not recording',
  passed: (count: string): string => `${count} passed`,
  pause: 'Pause recording',
  resume: 'Resume recording',
  clear: 'Clear',
  sidebar: 'Sidebar',
  palette: 'Palette',
  systemProxy: 'System proxy on · Turn off',
  systemProxyHint: 'The programs of this computer are sent to Weir',
} as const;

export const FILTER_TEXT = {
  label: 'Filter',
  example: 'Filter, for example host:api status:>=400',
  clear: 'Clear filter',
  suggestions: 'Suggestions for the filter',
  problemAt: (character: number): string => `at character ${String(character)}`,
} as const;

export const LIST_TEXT = {
  label: 'Exchanges',
  fresh: (count: string): string => `${count} new`,
  none: '–',
  messages: (count: string): string => `${count} msg`,
  tokens: (prompt: string, completion: string): string => `${prompt} → ${completion}`,
  about: (count: string): string => `~${count}`,
  labelled: (name: string): string => `label ${name}`,
  noResults: 'No exchange matches',
  noResultsHint: (filter: string): string => `Nothing in this session passes the filter “${filter}”.`,
  clearFilter: 'Clear filter',
  emptySession: 'This session is empty',
  emptySessionHint: 'Nothing was recorded in it.',
  showCurrent: 'Show what is recorded now',
  failed: 'The list could not be read',
  retry: 'Try again',
  searching: 'Looking through the session',
  rangeTooLong: (most: string): string => `The first ${most} exchanges of the range are selected.`,
} as const;

export const EMPTY_TEXT = {
  title: 'Nothing captured yet',
  hint: 'Open a browser through Weir and its traffic appears here. Nothing else on this computer changes.',
  pausedTitle: 'Recording is paused',
  pausedHint: 'Traffic passes through Weir and nothing of it is kept.',
  resume: 'Resume recording',
  openBrowser: 'Open a browser',
  openingBrowser: 'Opening a browser…',
  copyTerminalLine: 'Copy terminal line',
  captureComputer: 'Capture this computer',
  showSample: 'Show sample traffic',
  earlier: 'Earlier sessions',
  noBrowser: 'No browser was found. These places were searched:',
} as const;

export const SIDEBAR_TEXT = {
  label: 'Sidebar',
  hosts: 'Hosts',
  programs: 'Programs',
  sessions: 'Sessions',
  filters: 'Filters',
  noPrograms: 'Programs of this computer appear here once they send something through Weir.',
  noHosts: 'Hosts appear here with their first exchange.',
  errors: (count: string): string => `${count} failed`,
  exchanges: (count: string): string => (count === '1' ? '1 exchange' : `${count} exchanges`),
  expand: 'Expand',
  collapse: 'Collapse',
  current: 'recording now',
  sample: 'sample',
  sessionMenu: (name: string): string => `More about the session ${name}`,
  rename: 'Rename…',
  renameSession: 'Rename session',
  exportSession: 'Export…',
  name: 'Name',
  save: 'Save',
  mergeInto: 'Merge into',
  mergeQuestion: (from: string, into: string): string => `Merge “${from}” into “${into}”?`,
  mergeHint: (count: string): string => `Its ${count} exchanges move there, and the empty session goes.`,
  merge: 'Merge sessions',
  removeSession: 'Delete…',
  removeQuestion: (name: string): string => `Delete the session “${name}”?`,
  removeHint: (count: string): string => `Its ${count} exchanges and their bodies are removed from the disk.`,
  remove: 'Delete session',
  cancel: 'Cancel',
} as const;

export const SAVED_FILTER_TEXT = {
  saved: 'Filter saved',
  none: 'A filter that you save stands here, one click away.',
  saveThis: 'Save the filter',
  menu: (name: string): string => `More about the filter ${name}`,
  rename: 'Rename…',
  renameTitle: 'Rename filter',
  remove: 'Remove',
} as const;

export const STATUS_BAR_TEXT = {
  exchanges: (count: string): string => (count === '1' ? '1 exchange' : `${count} exchanges`),
  oneExchange: '1 exchange',
  rate: (rate: string): string => `${rate}/s`,
  copyListener: 'Copy the address of this listener',
  lost: (count: string): string => `${count} not recorded`,
  lostBodies: (count: string): string => `${count} bodies not kept`,
  systemProxy: 'System proxy on',
  systemProxyHint: 'The programs of this computer are sent to Weir; open Setup',
  indexing: (count: string): string => `Indexing ${count}`,
  indexingHint: 'Searches look into each of these exchanges until the full-text index has them.',
  connecting: 'Connecting…',
} as const;

export const BANNER_TEXT = {
  lost: 'Connection lost · retrying',
  refused:
    'This page is not allowed in any more. Open Weir again from its window or its command, and use the new address.',
  sample: 'This is sample traffic of an invented shop.',
  removeSample: 'Remove',
  stored: (name: string): string => `You are looking at the session “${name}”.`,
  showCurrent: 'Show what is recorded now',
  storeTrouble: (message: string, lost: string): string => `Nothing is being recorded: ${message} ${lost}`,
  lostSoFar: (count: string): string => `${count} exchanges passed unrecorded so far; the traffic itself goes on.`,
  caExpiring: (days: string): string =>
    `Weir’s certificate authority ends in ${days} days. Clients will refuse its certificates after that.`,
  caExpired: 'Weir’s certificate authority has ended, and clients refuse its certificates.',
  caAction: 'See Setup',
  restarted: (time: string): string => `The proxy engine stopped unexpectedly at ${time} and was started again.`,
  dismiss: 'Dismiss',
  device: (address: string): string =>
    `The device at ${address} wants to use Weir. Until it is allowed, its requests are refused.`,
  allowDevice: 'Allow this device',
  deviceAllowed: (address: string): string => `${address} may use Weir from now on`,
} as const;

export const COPY_TEXT = {
  url: 'URL copied',
  fetch: 'fetch call copied',
  httpie: 'HTTPie command copied',
  code: { python: 'Python code copied', go: 'Go code copied', java: 'Java code copied' },
  raw: 'Raw bytes copied as text',
  curl: (count: number): string => (count === 1 ? 'cURL command copied' : `${String(count)} cURL commands copied`),
  headers: 'Headers copied',
  body: 'Body copied',
  terminalLine: 'Terminal line copied',
  address: 'Address copied',
} as const;

export const MARK_TEXT = {
  removed: (count: number, formatted: string): string =>
    count === 1 ? 'Exchange deleted' : `${formatted} exchanges deleted`,
  undo: 'Undo',
  gone: 'They were deleted for good by now',
  comment: 'Comment',
  commentOn: (what: string): string => `Comment on ${what}`,
  save: 'Save comment',
  pinned: 'pinned',
  commented: 'has a comment',
} as const;

export const PASS_THROUGH_TEXT = {
  done: (host: string): string => `${host} passes through from its next connection on`,
  trusted: (host: string): string => `The certificate of ${host} is no longer verified`,
  undo: 'Undo',
} as const;

/** Names of the labels 1 to 6, by their colour. */
export const LABEL_TEXT = ['', 'red', 'orange', 'yellow', 'green', 'blue', 'violet'] as const;
