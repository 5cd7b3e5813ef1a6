import type { BodyCapture, MessageSide } from '#contract';
import { formatCount } from './format.ts';

export const TAB_TEXT = {
  label: 'Parts of the exchange',
  overview: 'Overview',
  request: 'Request',
  response: 'Response',
  messages: 'Messages',
  frames: 'Frames',
  timing: 'Timing',
  tls: 'TLS',
  raw: 'Raw',
} as const;

export const BODY_VIEW_TEXT = {
  label: 'View of the body',
  pretty: 'Pretty',
  tree: 'Tree',
  text: 'Text',
  preview: 'Preview',
  hex: 'Hex',
  raw: 'Raw',
} as const;

export const SUMMARY_TEXT = {
  label: 'Exchange',
  pending: 'Pending',
  tunnel: 'Tunnel',
  copyUrl: 'Copy URL',
  copyCurl: 'Copy as cURL',
  saveBody: 'Save response body',
  close: 'Close the detail',
  failed: (what: string): string => `${what} failed`,
} as const;

export const DETAIL_TEXT = {
  deleted: 'This exchange was deleted',
  deletedHint: 'It is no longer in the store. Choose another one in the list.',
  loading: 'Reading the exchange',
  unreadable: 'The exchange could not be read',
  tryAgain: 'Try again',
} as const;

export const OVERVIEW_TEXT = {
  connection: 'Connection',
  noticed: 'Noticed',
  comment: 'Comment',
  editComment: 'Edit',
  timing: 'Timing',
  general: 'General',
  query: 'Query',
  startedAt: 'Started',
  duration: 'Duration',
  client: 'Client',
  origin: 'Origin',
  askedFor: 'Asked for',
  shown: 'Shown',
  ended: 'Ended',
  grpcStatus: 'gRPC status',
  connectStatus: 'Connect status',
  requestBody: 'Request body',
  responseBody: 'Response body',
  type: 'Type',
  none: 'none',
  program: 'Program',
  programPath: 'Program file',
  pid: 'process',
  notReached: 'not reached',
  stream: (id: number): string => `stream ${String(id)}`,
  reused: 'connection reused',
  newConnection: 'new connection',
  passedThrough: 'Passed through without opening its TLS, so that only its size and duration are known.',
  relayed: 'Relayed as bytes, without a parser.',
  pending: 'The response has not come yet.',
  message: 'Message',
} as const;

export const MESSAGE_TEXT = {
  headers: 'Headers',
  cookies: 'Cookies',
  token: (where: string): string => `Token in ${where}`,
  tokenHeader: 'Header',
  tokenPayload: 'Payload',
  tokenUnverified: 'decoded, its signature is not verified',
  trailers: 'Trailers',
  received: 'As received',
  sent: 'As sent',
  which: 'Which head is shown',
  informational: (startLine: string): string => startLine.replace(/^HTTP\/\d\.\d /, ''),
  body: 'Body',
  copied: 'Field copied',
} as const;

export const BODY_TEXT = {
  loading: 'Reading the body',
  laying: 'Laying out the text',
  empty: (side: MessageSide): string => `The ${side} has no body.`,
  asSent: (coding: string, bytes: string): string => `as sent ${coding}, ${bytes}`,
  decoded: (bytes: string): string => `decoded ${bytes}`,
  streaming: 'still coming',
  droppedTitle: 'The body was not kept',
  dropped: 'Recording of this body was switched off or could not keep up. Its bytes passed through unharmed.',
  truncated: (kept: string, of: string): string =>
    `Only ${kept} of ${of} were kept. The rest passed through unrecorded.`,
  stopped: {
    cut: 'The body ends in the middle of its compression: this is what could be decoded.',
    damaged: 'The compressed data is damaged from here on: this is what could be decoded. Raw shows all of it.',
    budget: 'Decoding stopped at its limit: this body grows far beyond its size.',
    unsupported: 'Weir cannot undo this content coding. The bytes are shown as they came.',
  },
  notJson: (reason: string): string => `Not valid JSON, so it is shown as it came. ${reason}`,
  tooLongForPretty: (limit: string): string => `Longer than ${limit}, so it is shown as text, a part at a time.`,
  binary: 'This is not text. Hex shows its bytes.',
  windowOf: (from: string, to: string, total: string): string => `${from} – ${to} of ${total}`,
  first: 'First part',
  previous: 'Previous part',
  next: 'Next part',
  last: 'Last part',
  position: 'Part of the body',
  find: 'Find in the whole body',
  finding: 'Searching the body',
  notFound: 'Not found after this place',
  imageAlt: 'Captured picture',
  imageBroken: 'The picture cannot be drawn',
  imageBrokenHint:
    'Its data is damaged, incomplete, or of a kind that this program does not know. Hex shows its bytes.',
  imageTooLarge: (limit: string): string => `Pictures over ${limit} are not drawn. Save the body to look at it.`,
  imageVast: 'The picture is not drawn by itself',
  imageVastHint: (width: number, height: number): string =>
    `${formatCount(width)} × ${formatCount(height)} px need ${formatCount(Math.round((width * height * 4) / 1_000_000))} MB of memory.`,
  drawingCostly: (elements: number): string =>
    `References within it repeat its parts into ${formatCount(elements)} elements or more, which may hold up this window.`,
  drawAnyway: 'Draw it anyway',
  pixels: (width: number, height: number): string => `${String(width)} × ${String(height)} px`,
  fontBroken: 'The font cannot be used',
  fontSample: 'The quick brown fox jumps over the lazy dog',
  fontDigits: '0123456789 .,',
  fontFacts: (family: string): string => family,
  name: 'Name',
  value: 'Value',
  file: (type: string, bytes: string): string => `file, ${type}, ${bytes}`,
  unknownType: 'type unknown',
  partialForm: 'Only the beginning of this form is shown; it is longer than its view.',
  saving: 'Saving the body',
  saved: (name: string): string => `Saved as ${name}`,
} as const;

export const TREE_TEXT = {
  noPath: 'Put the cursor on a value to see its path',
  copyPath: 'Copy JSON path',
  copyValue: 'Copy value',
  copyName: 'Copy name',
  pathCopied: (path: string): string => `Copied ${path.length > 60 ? `…${path.slice(-60)}` : path}`,
  valueCopied: 'Value copied',
  nameCopied: 'Name copied',
  unfoldAll: 'Unfold all within',
  foldAll: 'Fold all within',
  members: (count: number): string => (count === 1 ? '1 member' : `${formatCount(count)} members`),
  items: (count: number): string => (count === 1 ? '1 item' : `${formatCount(count)} items`),
  depth: (depth: number): string => `level ${formatCount(depth)}`,
  find: 'Find in the tree',
  findHint: 'Find names and values',
  next: 'Next match',
  previous: 'Previous match',
  closeFind: 'Close',
  noMatch: 'No match',
  matchOf: (place: number, count: number, more: boolean): string => {
    const all = `${formatCount(count)}${more ? '+' : ''}`;
    return place === 0 ? all : `${formatCount(place)} of ${all}`;
  },
  beginning: (shown: string, of: string): string => `The tree shows the first ${shown} of ${of}. Text shows all of it.`,
  readOn: 'Read on',
  reading: (share: number): string => `Reading… ${String(Math.round(share * 100))} %`,
  full: (count: string): string => `The tree ends after ${count} values. Text shows all of the body.`,
  fault: (form: 'json' | 'ndjson', what: string, at: string): string =>
    form === 'json'
      ? `Not valid JSON from character ${at} on: ${what}. The tree shows what comes before.`
      : `Not every line is valid JSON. The first fault is at character ${at}: ${what}.`,
  faults: {
    value: 'a value is missing',
    key: 'the name of a member is missing',
    colon: 'a colon is missing',
    comma: 'a comma or an end is missing',
    close: 'a bracket closes what it did not open',
    ended: 'the text ends too early',
    after: 'something stands behind the value',
  },
} as const;

export const PART_TEXT = {
  label: 'Parts of the body',
  none: 'No part was found: the boundary of the Content-Type does not stand in the body. Hex shows its bytes.',
  beginning: (bytes: string): string => `Parts are looked for in the first ${bytes} only.`,
  unnamed: (place: number): string => `Part ${String(place)}`,
  body: (name: string): string => `Part ${name}`,
  cut: 'What was read ends within this part, so that it reaches up to the end of the body.',
  empty: 'The part is empty.',
} as const;

export const MEDIA_TEXT = {
  container: 'Container',
  duration: 'Duration',
  type: 'Type',
  size: 'Size',
  kinds: { audio: 'Audio', video: 'Video', other: 'Track' },
  channels: (count: number): string => (count === 1 ? 'mono' : count === 2 ? 'stereo' : `${String(count)} channels`),
  time: (seconds: number): string => {
    const whole = Math.floor(seconds);
    const two = (value: number): string => String(value).padStart(2, '0');
    const hours = Math.floor(whole / 3_600);
    const rest = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
    return hours > 0 ? `${String(hours)}:${rest}` : `${rest}.${String(Math.floor((seconds % 1) * 10))}`;
  },
  unknown:
    'It does not say what is in it: only a part of it came, or its container is not known here. Hex shows its bytes.',
} as const;

export const CAPTURE_NOTE: Readonly<Record<BodyCapture, string | null>> = {
  whole: null,
  truncated: 'Bodies were not kept whole',
  none: 'Bodies were not kept',
};

export const TIMING_TEXT = {
  dns: 'DNS',
  connect: 'Connect',
  tls: 'TLS',
  send: 'Send',
  wait: 'Wait',
  receive: 'Receive',
  failed: 'Failed',
  connectionReused: 'connection reused',
  total: 'Total',
  phase: 'Phase',
  at: 'From',
  took: 'Took',
  pending: 'The exchange is under way. Phases appear as they end.',
  explain: {
    dns: 'The host name was resolved',
    connect: 'The connection to the origin was made',
    tls: 'The TLS handshake with the origin',
    send: 'The request was written',
    wait: 'The origin worked on its response',
    receive: 'The response came in',
    failed: 'Until the failure was known',
  },
} as const;

export const TLS_TEXT = {
  client: 'Client and Weir',
  origin: 'Weir and origin',
  version: 'Version',
  cipher: 'Cipher',
  alpn: 'ALPN',
  offered: 'offered',
  sni: 'SNI',
  resumed: 'Session',
  isResumed: 'resumed',
  isFull: 'full handshake',
  verified: 'Verification',
  isVerified: 'trusted',
  notVerified: 'switched off for this host',
  failedVerification: 'refused',
  ja3: 'JA3',
  ja4: 'JA4',
  chain: 'Chain',
  leaf: 'Leaf',
  subject: 'Subject',
  issuer: 'Issuer',
  names: 'Names',
  serial: 'Serial number',
  validity: 'Valid',
  from: (from: string, to: string): string => `${from} – ${to}`,
  expired: (day: string): string => `expired ${day}`,
  notYet: (day: string): string => `not valid before ${day}`,
  endsIn: (days: number): string => (days === 1 ? 'ends in 1 day' : `ends in ${formatCount(days)} days`),
  key: 'Key',
  fingerprint: 'SHA-256',
  forged: 'forged by Weir',
  plain: 'This leg was not encrypted.',
} as const;

export const RAW_TEXT = {
  side: 'Which message',
  as: 'Which bytes',
  received: 'As received',
  sent: 'As sent',
  view: 'View of the bytes',
  loading: 'Reading the bytes',
  dropped: 'The bytes of this message were not kept.',
} as const;
