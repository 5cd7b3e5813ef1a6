import { ContractError, maySendCloseCode, MAX_WINDOW_BYTES, type ExchangeId, type MessageSummary } from '#contract';
import type { ReaderCalls } from '../../store/protocol.ts';

/** Reads of the store that the replay of a conversation needs. */
export interface MessageCapture {
  messagePage(input: ReaderCalls['messagePage']['input']): Promise<ReaderCalls['messagePage']['output']>;
  messageRead(input: ReaderCalls['messageRead']['input']): Promise<ReaderCalls['messageRead']['output']>;
}

/** Longest message that is sent or taken, bytes: what one is inflated to at most elsewhere in Weir, too. */
export const MOST_MESSAGE_BYTES = 67_108_864;

const PAGE_ROWS = 500;
const EVERYTHING = { side: null, kinds: [], text: '' } as const;

/** How the client's side of a recorded conversation ended. */
export interface RecordedClose {
  /** Null: a close frame without a code. */
  readonly code: number | null;
  readonly reason: string;
  /** The origin had closed first. */
  readonly answered: boolean;
}

/** Something that the client had done. */
export interface ScriptStep {
  readonly action:
    | { readonly kind: 'send'; readonly message: MessageSummary }
    | { readonly kind: 'close'; readonly close: RecordedClose };
  /** Messages that had come from the origin before it. */
  readonly answersBefore: number;
  /** When it was, microseconds since the Unix epoch. */
  readonly time: number;
}

/** The client's side of a recorded conversation. */
export interface Script {
  /** Messages and pings to send. */
  readonly total: number;
  steps(): AsyncIterable<ScriptStep>;
}

/**
 * Looks whether everything that a client had sent was recorded. Of a conversation that goes on, what there is by now counts.
 * Pongs are left out: whoever sends the rest answers the pings that come this time.
 *
 * @throws ContractError `body-dropped`, which names the first message that was not recorded whole
 */
export async function readScript(capture: MessageCapture, exchange: ExchangeId): Promise<Script> {
  let total = 0;
  let last = 0;
  for await (const message of messagesOf(capture, exchange, Infinity)) {
    last = message.sequence;
    if (message.side !== 'request') continue;
    const lack = lackOf(message);
    if (lack !== null) {
      const name = `Message ${String(message.sequence)} of exchange ${String(exchange)}`;
      throw new ContractError(
        'body-dropped',
        `${name} ${lack}. Open the WebSocket and send the messages that you want by hand instead.`,
      );
    }
    if (isSent(message)) total += 1;
  }
  return { total, steps: () => stepsOf(capture, exchange, last) };
}

/**
 * The whole payload of a recorded message.
 * @throws ContractError `body-dropped`
 */
export async function readPayload(capture: MessageCapture, message: MessageSummary): Promise<Buffer> {
  const { exchange, sequence, bytes } = message;
  const payload = Buffer.alloc(bytes);
  for (let offset = 0; offset < bytes;) {
    const window = await capture.messageRead({ exchange, sequence, offset, length: MAX_WINDOW_BYTES });
    if (window.bytes.length === 0 || window.stopped !== null) {
      throw new ContractError(
        'body-dropped',
        `Of message ${String(sequence)} only ${String(window.totalBytes ?? offset)} of ${String(bytes)} bytes were recorded.`,
      );
    }
    payload.set(window.bytes, offset);
    offset += window.bytes.length;
  }
  return payload;
}

async function* messagesOf(
  capture: MessageCapture,
  exchange: ExchangeId,
  upTo: number,
): AsyncGenerator<MessageSummary> {
  for (let after = 0; ;) {
    const { rows, next } = await capture.messagePage({ exchange, filter: EVERYTHING, after, limit: PAGE_ROWS });
    for (const row of rows) {
      if (row.sequence > upTo) return;
      yield row;
    }
    if (next === null) return;
    after = next;
  }
}

async function* stepsOf(capture: MessageCapture, exchange: ExchangeId, upTo: number): AsyncGenerator<ScriptStep> {
  let answersBefore = 0;
  let time = 0;
  let originClose: RecordedClose | null = null;
  for await (const message of messagesOf(capture, exchange, upTo)) {
    ({ time } = message);
    if (message.side === 'response') {
      if (message.kind === 'text' || message.kind === 'binary') answersBefore += 1;
      if (message.kind === 'close') originClose ??= closeOf(message, true);
    } else if (message.kind === 'close') {
      yield { action: { kind: 'close', close: closeOf(message, originClose !== null) }, answersBefore, time };
      return;
    } else if (isSent(message)) {
      yield { action: { kind: 'send', message }, answersBefore, time };
    }
  }
  // The client never closed: the connection was lost, or it is open still.
  const close = originClose ?? { code: 1_000, reason: '', answered: false };
  yield { action: { kind: 'close', close }, answersBefore, time };
}

function isSent({ kind }: MessageSummary): boolean {
  return kind === 'text' || kind === 'binary' || kind === 'ping';
}

function closeOf({ facts }: MessageSummary, answered: boolean): RecordedClose {
  const code = Number(facts['code'] ?? Number.NaN);
  return { code: maySendCloseCode(code) ? code : null, reason: facts['reason'] ?? '', answered };
}

/** Why a message of the client cannot be sent again; null when it can. */
function lackOf({ kind, marks, bytes }: MessageSummary): string | null {
  if (kind === 'gap') return 'stands for bytes that passed unrecorded, so the conversation cannot be replayed';
  if (kind === 'unknown') return 'is of no kind that can be sent, so the conversation cannot be replayed';
  if (marks.includes('cut')) return 'was not recorded whole, so the conversation cannot be replayed';
  if (marks.includes('not-inflated') || marks.includes('bomb')) {
    return 'could not be inflated, so what it said is not known and the conversation cannot be replayed';
  }
  if (bytes > MOST_MESSAGE_BYTES) return 'is longer than 64 MiB, the longest that is sent again';
  return null;
}
