import { decodeProtobuf, protobufLine, protobufSummary, readProtobuf } from '#contract';
import type { ConnectCode, MessageSummary, ProtoTypes } from '#contract';
import { formatBytes } from '../../../text/format.ts';
import { CONNECT_CODE_TEXT, MESSAGE_KIND_TEXT, MESSAGES_TEXT } from '../../../text/messages.ts';
import { visibleLine } from '../../../ui/visible-text.ts';

/** How a payload is shown. */
export type PayloadView = 'pretty' | 'text' | 'hex' | 'protobuf';

const TEXT_KINDS: ReadonlySet<MessageSummary['kind']> = new Set([
  'text',
  'event',
  'comment',
  'trailers',
  'end-stream',
  'close',
]);
const QUIET_KINDS: ReadonlySet<MessageSummary['kind']> = new Set(['ping', 'pong', 'close', 'comment', 'trailers']);

/** Views that suit a message, the best one first. */
export function viewsOfMessage({ kind, preview }: MessageSummary): readonly PayloadView[] {
  if (kind === 'grpc') return ['protobuf', 'hex'];
  if (!TEXT_KINDS.has(kind)) return ['hex', 'text'];
  return looksLikeJson(preview) ? ['pretty', 'text', 'hex'] : ['text', 'hex'];
}

function looksLikeJson(text: string): boolean {
  return /^\s*[[{"]/.test(text);
}

/** A message that is rather about the stream than of it. */
export function isQuiet({ kind, facts }: MessageSummary): boolean {
  return QUIET_KINDS.has(kind) || (kind === 'end-stream' && facts['code'] === undefined);
}

/** What says of which type the gRPC messages of a side are. */
export interface MessageTyping {
  readonly types: ProtoTypes;
  /** Full name; null where only the wire format is known. */
  readonly type: string | null;
}

/** One line that says what a message is. */
export function lineOfMessage(message: MessageSummary, { types, type }: MessageTyping): string {
  const { kind, preview, bytes, facts } = message;
  switch (kind) {
    case 'text':
    case 'event':
      return oneLine(preview);
    case 'comment':
    case 'trailers':
      return oneLine(preview === '' ? MESSAGE_KIND_TEXT[kind] : preview);
    case 'end-stream': {
      const { code, message: said } = facts;
      return code === undefined
        ? MESSAGES_TEXT.endedWell
        : oneLine(MESSAGES_TEXT.endedBy(code, said ?? connectCodeText(code)));
    }
    case 'close':
      return oneLine(`${MESSAGE_KIND_TEXT.close} ${preview}`.trim());
    case 'ping':
    case 'pong':
      return preview === '' ? MESSAGE_KIND_TEXT[kind] : `${MESSAGE_KIND_TEXT[kind]} ${preview}`;
    case 'grpc': {
      const beginning = bytesOfHex(preview);
      const decoded = type === null ? null : decodeProtobuf(types, type, beginning, true);
      if (decoded !== null && 'node' in decoded) {
        const line = protobufLine(decoded.node);
        return line === '' ? MESSAGES_TEXT.binary(bytes) : oneLine(line);
      }
      const fields = readProtobuf(beginning, true);
      return fields === null || fields.length === 0 ? MESSAGES_TEXT.binary(bytes) : oneLine(protobufSummary(fields));
    }
    case 'gap':
      return MESSAGES_TEXT.gap(
        Number(facts['messages'] ?? 0),
        Number(facts['bytes'] ?? 0),
        facts['rest'] !== undefined,
      );
    default:
      return MESSAGES_TEXT.binary(bytes);
  }
}

/** What a code of Connect means; empty for one that it does not have. */
export function connectCodeText(code: string): string {
  return Object.hasOwn(CONNECT_CODE_TEXT, code) ? CONNECT_CODE_TEXT[code as ConnectCode] : '';
}

/** When it was complete, in seconds since its exchange began: `0.51 s`. */
export function timeOfMessage(message: MessageSummary, startedAt: number): string {
  const seconds = Math.max(0, message.time - startedAt) / 1_000_000;
  return seconds < 100 ? `${seconds.toFixed(2)} s` : `${seconds.toFixed(0)} s`;
}

/** Direction, time and sizes of a message, for the head of its view. */
export function factsOfMessage(message: MessageSummary, startedAt: number): string {
  const { bytes, wireBytes, side } = message;
  const sizes = [formatBytes(bytes)];
  if (wireBytes !== bytes) sizes.push(MESSAGES_TEXT.onTheWire(formatBytes(wireBytes)));
  return [`${MESSAGES_TEXT.direction[side]} ${MESSAGES_TEXT.at(timeOfMessage(message, startedAt))}`, ...sizes].join(
    ' · ',
  );
}

function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.split(' ').filter(Boolean), (pair) => Number.parseInt(pair, 16));
}

/** Captured text on one line. */
function oneLine(text: string): string {
  return visibleLine(text.replace(/\s+/g, ' '));
}
