import type { ExchangeDetail, ExchangeId, HeaderField } from '#contract';
import { ContractError, exchangeUrl, MAX_WINDOW_BYTES } from '#contract';
import type { ReaderCalls } from '../../store/protocol.ts';

/** Reads of the store that a replay needs. */
export interface CaptureSource {
  get(id: ExchangeId): Promise<ExchangeDetail>;
  readBody(input: ReaderCalls['readBody']['input']): Promise<ReaderCalls['readBody']['output']>;
  readRaw(input: ReaderCalls['readRaw']['input']): Promise<ReaderCalls['readRaw']['output']>;
}

/** A request of the capture, in the form in which it reached its origin. */
export interface CapturedRequest {
  readonly id: ExchangeId;
  readonly method: string;
  readonly url: string;
  /** What the leg to the origin spoke; where none was opened, what the client spoke. */
  readonly isHttp2: boolean;
  /** Without pseudo-fields, in wire order and case. */
  readonly fields: readonly HeaderField[];
  /** HTTP/2: pseudo-fields in wire order. Empty for HTTP/1. */
  readonly pseudoFields: readonly HeaderField[];
  readonly trailers: readonly HeaderField[];
  /** The exact bytes of an HTTP/1 head with its empty line; null for HTTP/2. */
  readonly head: Buffer | null;
  /** Size of the body without transfer framing, content-encoded. */
  readonly bodyBytes: number;
  /** The body without transfer framing, content-encoded. */
  body(): AsyncIterable<Buffer>;
  /** What stood on the wire behind the head. */
  wireBody(): AsyncIterable<Buffer>;
}

/** What can be replayed as a request and an answer. */
const KINDS: ReadonlySet<string> = new Set(['http', 'websocket']);

/**
 * Reads the request of an exchange for sending it again.
 *
 * @throws ContractError `not-found`; `bad-input` for what is no request; `body-dropped` when its body is not there whole
 */
export async function readCapturedRequest(source: CaptureSource, id: ExchangeId): Promise<CapturedRequest> {
  const { summary, request } = await source.get(id);
  if (!KINDS.has(summary.kind) || request === null || summary.method === '') {
    throw new ContractError('bad-input', `Exchange ${String(id)} holds no request that could be sent again.`);
  }
  if (request.storedBytes < request.bodyBytes) {
    throw new ContractError(
      'body-dropped',
      `Only ${String(request.storedBytes)} of ${String(request.bodyBytes)} bytes of this request's body were recorded. ` +
        'Edit the request and give it a body of its own.',
    );
  }
  const { headers, startLine } = request.sent ?? request;
  const isHttp2 = startLine === '';
  const head = isHttp2 ? null : await readHead(source, id);
  return {
    id,
    method: summary.method,
    url: exchangeUrl(summary),
    isHttp2,
    fields: headers.filter(([name]) => !name.startsWith(':')),
    pseudoFields: headers.filter(([name]) => name.startsWith(':')),
    trailers: request.trailers,
    head,
    bodyBytes: request.bodyBytes,
    body: () =>
      windows((offset, length) => source.readBody({ id, side: 'request', form: 'stored', offset, length }), 0),
    wireBody: () =>
      windows(
        (offset, length) => source.readRaw({ id, side: 'request', as: 'sent', offset, length }),
        head?.length ?? 0,
      ),
  };
}

/** The head as it was forwarded: everything up to the first empty line. */
async function readHead(source: CaptureSource, id: ExchangeId): Promise<Buffer> {
  let bytes = Buffer.alloc(0);
  for await (const piece of windows(
    (offset, length) => source.readRaw({ id, side: 'request', as: 'sent', offset, length }),
    0,
  )) {
    bytes = Buffer.concat([bytes, piece]);
    const end = /\r?\n\r?\n/.exec(bytes.toString('latin1'));
    if (end !== null) return bytes.subarray(0, end.index + end[0].length);
  }
  return bytes;
}

type Window = ReaderCalls['readRaw']['output'];

async function* windows(
  read: (offset: number, length: number) => Promise<Window>,
  start: number,
): AsyncGenerator<Buffer> {
  for (let offset = start; ;) {
    const { bytes, totalBytes } = await read(offset, MAX_WINDOW_BYTES);
    offset += bytes.length;
    if (bytes.length > 0) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length === 0 || offset === totalBytes) return;
  }
}
