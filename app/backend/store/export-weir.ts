import {
  ContractError,
  MAX_WINDOW_BYTES,
  type ExchangeDetail,
  type ExchangeId,
  type ExchangeSummary,
  type MessageSide,
} from '#contract';
import type { ExportSource } from './export-source.ts';
import type { ReaderCalls } from './protocol.ts';

/** Version of the format that docs/weir-format.md describes. */
const FORMAT = 1;

/** Where exchanges and their exact bytes come from. */
export interface WeirSource extends Pick<ExportSource, 'get'> {
  /** A head as it was on the wire, with its empty line. */
  head(id: ExchangeId, side: MessageSide, as: 'received' | 'sent'): Promise<Buffer>;
  /** What stood behind a head of that many bytes, transfer framing included. */
  rest(id: ExchangeId, side: MessageSide, headBytes: number): AsyncIterable<Buffer>;
}

/** What tells the bytes on the wire: the reader or its thread. */
export interface RawReader extends Pick<ExportSource, 'get'> {
  readRaw(
    input: ReaderCalls['readRaw']['input'],
  ): ReaderCalls['readRaw']['output'] | Promise<ReaderCalls['readRaw']['output']>;
}

/** Everything as it is. */
export function exactSource(reader: RawReader): WeirSource {
  return {
    get: (id) => reader.get(id),
    head: (id, side, as) => readHead(reader, id, side, as),
    rest: (id, side, headBytes) => rawFrom(reader, id, side, headBytes),
  };
}

/**
 * Writes a `.weir` file line by line, before it is compressed (docs/weir-format.md); no body is ever in memory as a whole.
 *
 * @param exchanges in the order of the file
 * @param version of Weir
 */
export async function* exportWeir(
  source: WeirSource,
  exchanges: AsyncIterable<Pick<ExchangeSummary, 'id'>>,
  version: string,
): AsyncGenerator<string> {
  yield line({ weir: FORMAT, creator: `Weir ${version}` });
  for await (const { id } of exchanges) {
    const detail = await source.get(id).catch(nullIfDeleted);
    if (detail !== null) yield* exchangeLines(source, detail);
  }
}

async function* exchangeLines(source: WeirSource, detail: ExchangeDetail): AsyncGenerator<string> {
  const { summary, request, response, informational, clientConnection, originConnection } = detail;
  const { id, kind, startedAt, scheme, host, port, method, path, status, client, origin } = summary;
  // Everything else that is known of a call of a language model is in the bodies.
  const firstToken = summary.llm?.timeToFirstToken ?? null;
  const head = (side: MessageSide, as: 'received' | 'sent'): Promise<Buffer> => source.head(id, side, as);
  const heads = {
    request: request === null ? null : await head('request', 'received'),
    requestSent: (request?.sent ?? null) === null ? null : await head('request', 'sent'),
    response: response === null ? null : await head('response', 'received'),
    responseSent: (response?.sent ?? null) === null ? null : await head('response', 'sent'),
  };
  yield line({
    exchange: { id, kind, startedAt, scheme, host, port, method, path, status, firstToken },
    client: { ...client, connection: clientConnection?.id ?? null, tls: clientConnection?.tls ?? null },
    origin: {
      ...origin,
      connection: originConnection?.id ?? null,
      reused: originConnection?.reused ?? false,
      tls: originConnection?.tls ?? null,
    },
    heads: Object.fromEntries(Object.entries(heads).map(([name, bytes]) => [name, bytes?.toString('base64') ?? null])),
    informational,
    trailers: { request: request?.trailers ?? [], response: response?.trailers ?? [] },
    marks: { label: summary.label, pinned: summary.pinned, comment: detail.comment },
  });
  for (const side of ['request', 'response'] as const) {
    const from = heads[side]?.length ?? 0;
    for await (const bytes of source.rest(id, side, from)) yield line({ body: side, data: bytes.toString('base64') });
  }
  yield line({
    end: {
      timing: detail.timing,
      requestBodyBytes: summary.requestBodyBytes,
      responseBodyBytes: summary.responseBodyBytes,
      error: summary.error,
      anomalies: summary.anomalies,
      complete: summary.state === 'complete',
    },
  });
}

/** Everything up to the first empty line. */
async function readHead(source: RawReader, id: number, side: MessageSide, as: 'received' | 'sent'): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const window = await source.readRaw({ id, side, as, offset: bytes.length, length: MAX_WINDOW_BYTES });
    bytes = Buffer.concat([bytes, window.bytes]);
    const end = /\r?\n\r?\n/.exec(bytes.toString('latin1'));
    if (end !== null) return bytes.subarray(0, end.index + end[0].length);
    if (window.bytes.length === 0) return bytes;
  }
}

async function* rawFrom(source: RawReader, id: number, side: MessageSide, from: number): AsyncGenerator<Buffer> {
  for (let offset = from; ;) {
    const { bytes } = await source.readRaw({ id, side, as: 'received', offset, length: MAX_WINDOW_BYTES });
    if (bytes.length === 0) return;
    offset += bytes.length;
    yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

function line(content: object): string {
  return `${JSON.stringify(content)}\n`;
}

/** An exchange that went while the export ran is left out. */
function nullIfDeleted(error: unknown): null {
  if (error instanceof ContractError && error.code === 'not-found') return null;
  throw error;
}
