import {
  MAX_PAGE_ROWS,
  MAX_WINDOW_BYTES,
  type BodyWindow,
  type ExchangeDetail,
  type ExchangeSummary,
  type MessagePage,
  type MessageSide,
  type MessageSummary,
} from '#contract';
import type { ReaderCalls } from './protocol.ts';

/** Where exports take exchanges from: the reader, its thread, or the contract. */
export interface ExportSource {
  get(id: number): Promise<ExchangeDetail>;
  readBody(input: ReaderCalls['readBody']['input']): Promise<BodyWindow>;
  messagePage(input: ReaderCalls['messagePage']['input']): Promise<MessagePage>;
  messageRead(input: ReaderCalls['messageRead']['input']): BodyWindow | Promise<BodyWindow>;
}

/** Every message of an exchange, in order. */
export async function* messagesOf(
  source: Pick<ExportSource, 'messagePage'>,
  { id }: Pick<ExchangeSummary, 'id'>,
): AsyncGenerator<MessageSummary> {
  const filter = { side: null, kinds: [], text: '' } as const;
  for (let after: number | null = 0; after !== null;) {
    const page: MessagePage = await source.messagePage({ exchange: id, filter, after, limit: MAX_PAGE_ROWS });
    yield* page.rows;
    after = page.next;
  }
}

/** A payload in pieces, as it can be read. Empty when its file is gone. */
export async function* payloadOf(
  source: Pick<ExportSource, 'messageRead'>,
  { exchange, sequence }: Pick<MessageSummary, 'exchange' | 'sequence'>,
): AsyncGenerator<Buffer> {
  for (let offset = 0; ;) {
    const { bytes, totalBytes } = await source.messageRead({ exchange, sequence, offset, length: MAX_WINDOW_BYTES });
    offset += bytes.length;
    if (bytes.length > 0) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length === 0 || offset === totalBytes) return;
  }
}

/** A body in pieces, decoded from its content codings as far as that goes. Empty when it was not kept. */
export async function* decodedBody(
  source: ExportSource,
  { id }: Pick<ExchangeSummary, 'id'>,
  side: MessageSide,
): AsyncGenerator<Buffer> {
  for (let offset = 0; ;) {
    const { bytes, totalBytes } = await source.readBody({
      id,
      side,
      form: 'decoded',
      offset,
      length: MAX_WINDOW_BYTES,
    });
    offset += bytes.length;
    if (bytes.length > 0) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length === 0 || offset === totalBytes) return;
  }
}
