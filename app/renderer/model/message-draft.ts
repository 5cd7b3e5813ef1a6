/** How a message is written: as text, as its bytes in hex, or as a ping with a text. */
export type MessageForm = 'text' | 'hex' | 'ping';

/** A message of a WebSocket that is being written. */
export interface MessageDraft {
  readonly form: MessageForm;
  readonly text: string;
}

/** Why a message cannot be sent yet. */
export type MessageFault = 'hex' | 'long' | 'ping-long';

/** RFC 6455 §5.5. */
const MOST_PING_BYTES = 125;
/** Bytes shown in one line of hex. */
const HEX_LINE_BYTES = 16;

/**
 * The bytes that a draft stands for, or what is wrong with it. Hex may hold spaces, line ends, commas and `0x`.
 *
 * @param mostBytes longest message that can be composed
 */
export function payloadOf({ form, text }: MessageDraft, mostBytes: number): Uint8Array<ArrayBuffer> | MessageFault {
  const bytes = form === 'hex' ? bytesOfHex(text) : new TextEncoder().encode(text);
  if (bytes === null) return 'hex';
  if (form === 'ping' && bytes.length > MOST_PING_BYTES) return 'ping-long';
  return bytes.length > mostBytes ? 'long' : bytes;
}

/** A recorded message as a draft: text where it is text that can be edited, else hex. */
export function messageDraftOf(payload: Uint8Array, kind: 'text' | 'binary' | 'ping'): MessageDraft {
  const text = kind === 'binary' ? null : editableText(payload);
  return text === null ? { form: 'hex', text: hexOf(payload) } : { form: kind === 'ping' ? 'ping' : 'text', text };
}

/** Null for bytes that are no text, or that a text area would change. */
export function editableText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return /[\0\r]/.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** @returns null for what is no whole pairs of hex digits */
function bytesOfHex(text: string): Uint8Array<ArrayBuffer> | null {
  const digits = text.replace(/0x/gi, '').replace(/[\s,]+/g, '');
  if (digits.length % 2 !== 0 || /[^0-9a-f]/i.test(digits)) return null;
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) =>
    Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16),
  );
}

function hexOf(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += HEX_LINE_BYTES) {
    const pairs = Array.from(bytes.subarray(at, at + HEX_LINE_BYTES), (byte) => byte.toString(16).padStart(2, '0'));
    lines.push(pairs.join(' '));
  }
  return lines.join('\n');
}
