import type { MessageKind } from '#contract';
import { formatBytes, formatCount } from './format.ts';

export const MESSAGES_TEXT = {
  list: 'Messages',
  filter: 'Filter messages',
  side: 'Direction',
  both: 'All',
  sent: 'Sent',
  received: 'Received',
  kinds: 'Kind',
  everyKind: 'All kinds',
  kindGroup: { data: 'Data', control: 'Control' },
  newer: (count: number): string => `${formatCount(count)} new`,
  toTail: 'Go to the newest message',
  nothingYet: 'No messages yet',
  nothingYetHint: 'They appear here as they pass.',
  none: 'No messages',
  noneHint: 'The stream ended before a message passed.',
  noMatch: 'No message matches',
  noMatchHint: (text: string): string => (text === '' ? 'The filter leaves none of them.' : `None contains “${text}”.`),
  clearFilter: 'Clear filter',
  searching: 'Searching messages',
  unreadable: 'The messages could not be read',
  tryAgain: 'Try again',
  selected: (sequence: number): string => `Message ${formatCount(sequence)}`,
  direction: { request: 'sent', response: 'received' },
  at: (when: string): string => `at ${when}`,
  onTheWire: (bytes: string): string => `${bytes} on the wire`,
  split: 'Height of the message view',
  view: 'View of the message',
  views: { pretty: 'Pretty', text: 'Text', hex: 'Hex', protobuf: 'Protobuf' },
  loading: 'Reading the message',
  empty: 'This message has no payload.',
  payload: 'Payload',
  notProtobuf: 'These bytes are not in the wire format of protobuf.',
  tooLongForProtobuf: (limit: string): string => `Messages over ${limit} are not taken apart. Hex shows their bytes.`,
  close: 'Close the message',
  binary: (bytes: number): string => `binary, ${formatCount(bytes)} B`,
  gap: (messages: number, bytes: number, rest: boolean): string => {
    const what = messages === 0 ? formatBytes(bytes) : `${formatCount(messages)} frames, ${formatBytes(bytes)},`;
    if (rest) return 'Nothing more of this side was recorded: the limit of one body was reached';
    return `${what} passed unrecorded: the store could not keep up`;
  },
} as const;

/** Kinds in a word. */
export const MESSAGE_KIND_TEXT: Readonly<Record<MessageKind, string>> = {
  text: 'text',
  binary: 'binary',
  close: 'close',
  ping: 'ping',
  pong: 'pong',
  unknown: 'unknown',
  event: 'event',
  comment: 'comment',
  grpc: 'gRPC',
  trailers: 'trailers',
  datagram: 'datagram',
  gap: 'gap',
};

export const LLM_TEXT = {
  title: 'Language model',
  label: 'Call of a language model',
  model: 'Model',
  interface: { chat: 'chat completion', completion: 'completion', responses: 'response' },
  streamed: 'streamed',
  tokens: 'Tokens',
  prompt: (count: string): string => `${count} in`,
  completion: (count: string, isEstimated: boolean): string =>
    isEstimated ? `about ${count} out (counted by events)` : `${count} out`,
  firstToken: 'First token',
  gaps: 'Between tokens',
  gapsOf: (median: string, p95: string, longest: string): string => `${median} median, ${p95} p95, ${longest} longest`,
  speed: 'Speed',
  speedOf: (rate: string): string => `${rate} tokens a second`,
  finish: 'Finished by',
  cancelled: 'cancelled by the client',
  tools: 'Called',
  output: 'Wrote',
  all: 'Show all',
  less: 'Show less',
  outputCut: 'Only the beginning is shown.',
} as const;

/** Names of the numbers of `grpc-status`. */
export const GRPC_STATUS_TEXT: readonly string[] = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
