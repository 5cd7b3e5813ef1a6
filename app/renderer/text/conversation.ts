import type { ConversationDeflate, ConversationPace, ConversationPhase } from '#contract';
import type { MessageFault, MessageForm } from '../model/message-draft.ts';

/** Words of the Compose page about WebSockets. */
export const CONVERSATION_TEXT = {
  protocol: 'Protocol',
  protocols: { http: 'HTTP', websocket: 'WebSocket' },
  connect: 'Connect',
  disconnect: 'Disconnect',
  cancel: 'Cancel',
  parts: 'Parts of the WebSocket',
  conversation: 'Conversation',
  message: 'Message',
  headers: 'Headers',
  options: 'Options',
  region: 'Conversation',
  noFields: 'No header fields. Those of the handshake are added when the connection is opened.',
  status: 'State of the connection',
  phases: {
    connecting: 'Connecting…',
    open: 'Open',
    closing: 'Closing…',
    closed: 'Closed',
    failed: 'Not opened',
  } satisfies Record<ConversationPhase, string>,
  closed: (code: number | null, reason: string, by: 'client' | 'origin'): string =>
    [
      `Closed by ${by === 'client' ? 'you' : 'the origin'}`,
      code === null ? 'without a code' : `with ${String(code)}`,
      reason === '' ? '' : `“${reason}”`,
    ]
      .filter((part) => part !== '')
      .join(' '),
  subprotocol: (name: string): string => `subprotocol ${name}`,
  counts: (sent: string, received: string): string => `${sent} sent, ${received} received`,
  form: 'Form of the message',
  forms: { text: 'Text', hex: 'Hex', ping: 'Ping' } satisfies Record<MessageForm, string>,
  editor: 'Message to send',
  placeholders: {
    text: 'A text message',
    hex: 'Bytes of a binary message, like 01 ff 2a',
    ping: 'Up to 125 bytes; may be empty',
  } satisfies Record<MessageForm, string>,
  send: 'Send',
  sendHint: (keys: string): string => `${keys} sends`,
  connectFirst: 'Connect to send it.',
  closeTitle: 'Close with',
  closeCode: 'Code',
  closeReason: 'Reason',
  close: 'Close',
  closeCodeFault: 'Use 1000 to 1003, 1007 to 1014 or 3000 to 4999, or leave it empty.',
  closeReasonFault: 'A reason stands behind a code and has 123 bytes at most.',
  pace: 'Send each message',
  paces: {
    answers: 'When the origin has answered as before',
    recorded: 'With the recorded gaps',
    fast: 'As fast as possible',
  } satisfies Record<ConversationPace, string>,
  paceHints: {
    answers: 'A message waits until as many have come from the origin as had come before it.',
    recorded: 'Takes as long as the first time.',
    fast: 'Waits for nothing, and closes after the last message.',
  } satisfies Record<ConversationPace, string>,
  replay: 'Replay the conversation',
  cancelReplay: 'Cancel the replay',
  replayLabel: 'Progress of the replay',
  progress: (sent: string, total: string): string => `${sent} of ${total} sent`,
  awaits: (count: string): string => `waiting for ${count} of the origin`,
  done: 'Replayed to its end',
  cancelled: 'Cancelled',
  recorded: 'Messages of the client',
  recordedHint: 'Enter or a double click takes one into the editor.',
  recordedNone: 'The client sent no messages',
  recordedNoneHint: 'A replay opens the connection and closes it again.',
  deflate: 'Compression',
  deflates: {
    captured: 'As captured',
    on: 'Offer permessage-deflate',
    off: 'None',
  } satisfies Record<ConversationDeflate, string>,
  deflateHint: 'The origin decides whether it is used.',
  emptyTitle: 'Not connected',
  emptyText: 'The conversation stands here, as an exchange like any other.',
  unrecordedTitle: 'The conversation is not recorded',
  unrecordedText: (sent: string, received: string): string =>
    `${sent} sent, ${received} received. Start recording and connect again to see the messages.`,
  waiting: 'Opening the connection',
  lost: 'The connection to the backend was lost, and the WebSocket with it. Connect again.',
  tooLongToEdit: 'The message is longer than 768 KiB, which is all that can be edited. A replay sends it as it is.',
  replayed: (code: number | null): string =>
    code === null ? 'Replayed the conversation' : `Replayed the conversation; closed with ${String(code)}`,
} as const;

/** What is wrong with a message, and what to do. */
export const MESSAGE_FAULT_TEXT: Readonly<Record<MessageFault, string>> = {
  hex: 'Write pairs of hex digits, like 01 ff 2a.',
  long: 'The message is longer than 768 KiB, which is all that can be composed.',
  'ping-long': 'A ping carries 125 bytes at most.',
};
