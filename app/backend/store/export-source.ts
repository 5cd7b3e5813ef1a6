import {
  MAX_WINDOW_BYTES,
  type BodyWindow,
  type ExchangeDetail,
  type ExchangeSummary,
  type MessageSide,
} from '#contract';
import type { ReaderCalls } from './protocol.ts';

/** Where exports take exchanges from: the reader, its thread, or the contract. */
export interface ExportSource {
  get(id: number): Promise<ExchangeDetail>;
  readBody(input: ReaderCalls['readBody']['input']): Promise<BodyWindow>;
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
