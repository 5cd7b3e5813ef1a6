import { MAX_WINDOW_BYTES } from '#contract';
import type { ExchangeId, MessageSide, MessageSummary } from '#contract';
import type { Backend } from '../../model/connection.svelte.ts';
import { MESSAGE_KIND_TEXT } from '../../text/messages.ts';

const PAGE_ROWS = 500;
const TEXT_KINDS: ReadonlySet<MessageSummary['kind']> = new Set(['text', 'event', 'comment', 'trailers', 'end-stream']);

/**
 * One side of a conversation as lines to compare: what its messages said, whatever masks and frames they came in.
 *
 * @param mostBytes how much is read, bytes of text
 */
export async function readConversation(
  backend: Backend,
  exchange: ExchangeId,
  side: MessageSide,
  mostBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const lines: string[] = [];
  const filter = { side, kinds: [], text: '' } as const;
  let length = 0;
  for (let after: number | null = 0; after !== null && length < mostBytes;) {
    const input = { exchange, filter, after, limit: PAGE_ROWS } as const;
    const page: { readonly rows: readonly MessageSummary[]; readonly next: number | null } = await backend.call(
      'messages.page',
      input,
      { signal },
    );
    for (const message of page.rows) {
      if (length >= mostBytes) break;
      const line =
        `${MESSAGE_KIND_TEXT[message.kind]} ${await saidBy(backend, message, mostBytes - length, signal)}`.trimEnd();
      lines.push(line);
      length += line.length + 1;
    }
    after = page.next;
  }
  return new TextEncoder().encode(lines.join('\n'));
}

/** @param most bytes of the message that are read */
async function saidBy(backend: Backend, message: MessageSummary, most: number, signal: AbortSignal): Promise<string> {
  const { exchange, sequence, kind, bytes, preview } = message;
  const isText = TEXT_KINDS.has(kind);
  // A preview that is not cut says it all.
  const whole = isText
    ? new TextEncoder().encode(preview).length === bytes
    : preview.length === Math.max(0, 3 * bytes - 1);
  if (whole || kind === 'close' || kind === 'ping' || kind === 'pong' || kind === 'gap') return preview;
  const decoder = new TextDecoder();
  const end = Math.min(bytes, most);
  const parts: string[] = [];
  for (let offset = 0; offset < end;) {
    const input = { exchange, sequence, offset, length: Math.min(end - offset, MAX_WINDOW_BYTES) };
    const window = await backend.call('messages.read', input, { signal });
    if (window.bytes.length === 0) break;
    offset += window.bytes.length;
    parts.push(
      isText
        ? decoder.decode(window.bytes, { stream: offset < end })
        : Array.from(window.bytes, (byte) => byte.toString(16).padStart(2, '0')).join(' '),
    );
  }
  return parts.join(isText ? '' : ' ');
}
