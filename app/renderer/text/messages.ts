import type { ConnectCode, MessageKind } from '#contract';
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
  endedWell: 'end of the stream: ok',
  endedBy: (code: string, said: string): string => `end of the stream: ${code}${said === '' ? '' : ` · ${said}`}`,
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
  'end-stream': 'end of the stream',
  datagram: 'datagram',
  gap: 'gap',
};

/** Codes by which a stream of Connect ends, in words (connectrpc.com/docs/protocol, "Error Codes"). */
export const CONNECT_CODE_TEXT: Readonly<Record<ConnectCode, string>> = {
  canceled: 'The call was cancelled, usually by who made it.',
  unknown: 'Something went wrong that no other code says.',
  invalid_argument: 'The request is wrong, whatever state the service is in.',
  deadline_exceeded: 'The time for the call was over before it ended.',
  not_found: 'What was asked for does not exist.',
  already_exists: 'What was to be made exists already.',
  permission_denied: 'Whoever made the call may not do this.',
  resource_exhausted: 'Something is used up, a quota or a limit of rate for one.',
  failed_precondition: 'The service is not in the state that this needs; it must be mended before another try.',
  aborted: 'Something else came in between, a transaction for one; the whole can be tried again.',
  out_of_range: 'It went past the end of what is valid.',
  unimplemented: 'The service does not have this method, or it is switched off.',
  internal: 'Something is broken inside of the service.',
  unavailable: 'The service cannot be used at the moment; another try may help later.',
  data_loss: 'Data is lost or damaged.',
  unauthenticated: 'Whoever made the call did not prove who it is.',
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
