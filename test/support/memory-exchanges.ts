import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { playSample } from '../../app/backend/services/sample/play-sample.ts';
import { ContractError } from '../../app/contract/index.ts';
import type {
  BodyWindow,
  ConnectionFacts,
  ExchangeDetail,
  ExchangeSummary,
  HeaderField,
  MessageDetail,
  MessageSide,
} from '../../app/contract/index.ts';
import type { BeginRecord, ConnectionRecord, EndRecord, ResponseRecord, Tap } from '../../proxy-engine/capture/tap.ts';

/** One exchange as tests hold it: its detail, and the bytes that the contract's calls read. */
export interface HeldExchange {
  detail: ExchangeDetail;
  readonly stored: Record<MessageSide, Buffer>;
  readonly raw: Record<`${MessageSide} ${'received' | 'sent'}`, Buffer>;
}

interface Gathered {
  readonly begin: BeginRecord;
  origin: {
    readonly connection: number;
    readonly address: string;
    readonly protocol: ConnectionFacts['protocol'];
    readonly reused: boolean;
  } | null;
  readonly informational: Buffer[];
  response: ResponseRecord | null;
  end: EndRecord | null;
  readonly payload: Record<MessageSide, Buffer[]>;
  readonly wire: Record<MessageSide, Buffer[]>;
  readonly trailers: Record<MessageSide, Buffer[]>;
}

/** Keeps everything that it is told in memory. */
class MemoryTap implements Tap {
  readonly recording = true;
  readonly exchanges = new Map<number, Gathered>();
  readonly connections = new Map<number, ConnectionRecord>();

  connection(record: ConnectionRecord): void {
    this.connections.set(record.id, record);
  }
  begin(begin: BeginRecord): void {
    const empty = (): Record<MessageSide, Buffer[]> => ({ request: [], response: [] });
    this.exchanges.set(begin.id, {
      begin,
      origin: null,
      informational: [],
      response: null,
      end: null,
      payload: empty(),
      wire: empty(),
      trailers: empty(),
    });
  }
  origin(
    id: number,
    connection: number,
    address: string,
    protocol: ConnectionFacts['protocol'],
    reused: boolean,
  ): void {
    this.#of(id).origin = { connection, address, protocol, reused };
  }
  sentRequestHead(): void {
    throw new Error('The sample knows its heads at once.');
  }
  informational(id: number, head: Buffer): void {
    this.#of(id).informational.push(head);
  }
  response(id: number, record: ResponseRecord): void {
    this.#of(id).response = record;
  }
  payload(id: number, side: MessageSide, bytes: Buffer, start: number, end: number): void {
    const part = Buffer.from(bytes.subarray(start, end));
    this.#of(id).payload[side].push(part);
    this.#of(id).wire[side].push(part);
  }
  framing(id: number, side: MessageSide, bytes: Buffer, start: number, end: number): void {
    this.#of(id).wire[side].push(Buffer.from(bytes.subarray(start, end)));
  }
  trailers(id: number, side: MessageSide, bytes: Buffer): void {
    this.#of(id).trailers[side].push(bytes);
  }
  congested(): boolean {
    return false;
  }
  cut(): void {
    throw new Error('Nothing is ever congested here.');
  }
  end(id: number, record: EndRecord): void {
    this.#of(id).end = record;
  }
  #of(id: number): Gathered {
    const found = this.exchanges.get(id);
    if (found === undefined) throw new Error(`Exchange ${String(id)} has not begun.`);
    return found;
  }
}

function fieldsOf(head: Buffer): { startLine: string; headers: HeaderField[] } {
  const [startLine = '', ...lines] = head
    .toString('latin1')
    .replace(/(\r\n)+$/, '')
    .split('\r\n');
  const headers = lines
    .filter((line) => line !== '')
    .map((line): HeaderField => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]);
  return { startLine, headers };
}

function messageOf(head: Buffer, sentHead: Buffer | null, body: Buffer, trailers: readonly Buffer[]): MessageDetail {
  const { startLine, headers } = fieldsOf(head);
  const value = (wanted: string): string | null => headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? null;
  const type = value('content-type');
  return {
    startLine,
    headers,
    sent: sentHead === null ? null : fieldsOf(sentHead),
    trailers: fieldsOf(Buffer.concat([Buffer.from('\r\n'), ...trailers])).headers,
    bodyBytes: body.length,
    storedBytes: body.length,
    contentEncoding: value('content-encoding')?.toLowerCase().split(/,\s*/) ?? [],
    mediaType: type?.split(';')[0]?.trim().toLowerCase() ?? null,
    charset: type === null ? null : (/charset=([\w-]+)/i.exec(type)?.[1]?.toLowerCase() ?? null),
  };
}

function held(id: number, gathered: Gathered, connections: ReadonlyMap<number, ConnectionRecord>): HeldExchange {
  const { begin, response, end, origin } = gathered;
  const stored = {
    request: Buffer.concat(gathered.payload.request),
    response: Buffer.concat(gathered.payload.response),
  };
  const leg = (connection: number | undefined, reused: boolean): ConnectionFacts | null => {
    const record = connection === undefined ? undefined : connections.get(connection);
    return record === undefined
      ? null
      : { id: record.id, address: record.address, protocol: record.protocol, tls: record.tls, reused };
  };
  const responseDetail =
    response === null ? null : messageOf(response.head, response.sentHead, stored.response, gathered.trailers.response);
  const summary: ExchangeSummary = {
    id,
    session: 1,
    kind: begin.kind,
    state: end === null ? 'active' : end.complete ? 'complete' : 'failed',
    startedAt: begin.startedAt,
    duration: end?.timing.end ?? null,
    method: begin.method,
    scheme: begin.scheme,
    host: begin.host,
    port: begin.port,
    path: begin.path,
    status: response?.status ?? null,
    mediaType: responseDetail?.mediaType ?? null,
    client: { address: begin.clientAddress, protocol: begin.clientProtocol },
    origin: { address: origin?.address ?? null, protocol: origin?.protocol ?? null },
    requestBodyBytes: end?.requestBodyBytes ?? stored.request.length,
    responseBodyBytes: end?.responseBodyBytes ?? stored.response.length,
    error: end?.error ?? null,
    anomalies: end?.anomalies ?? [],
    bodies: 'whole',
    label: 0,
    pinned: false,
  };
  const wire = (side: MessageSide, head: Buffer): Buffer => Buffer.concat([head, ...gathered.wire[side]]);
  return {
    detail: {
      summary,
      request:
        begin.head.length === 0
          ? null
          : messageOf(begin.head, begin.sentHead, stored.request, gathered.trailers.request),
      response: responseDetail,
      informational: gathered.informational.map(fieldsOf),
      timing: end?.timing ?? { dns: null, connect: null, tls: null, sent: null, firstByte: null, end: null },
      clientConnection: leg(begin.clientConnection, false),
      originConnection: leg(origin?.connection, origin?.reused ?? false),
      comment: '',
    },
    stored,
    raw: {
      'request received': wire('request', begin.head),
      'request sent': wire('request', begin.sentHead ?? begin.head),
      'response received': wire('response', response?.head ?? Buffer.alloc(0)),
      'response sent': wire('response', response?.sentHead ?? response?.head ?? Buffer.alloc(0)),
    },
  };
}

/** The sample traffic, oldest first. */
export function heldSample(): readonly HeldExchange[] {
  const tap = new MemoryTap();
  playSample(tap, 1, 1);
  return [...tap.exchanges].map(([id, gathered]) => held(id, gathered, tap.connections));
}

const LENIENT = { finishFlush: constants.Z_SYNC_FLUSH };
const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gunzipSync(bytes, LENIENT),
  deflate: (bytes) => inflateSync(bytes, LENIENT),
  br: (bytes) => brotliDecompressSync(bytes),
  zstd: (bytes) => zstdDecompressSync(bytes),
};

function decode(bytes: Buffer, codings: readonly string[]): { bytes: Buffer; stopped: BodyWindow['stopped'] } {
  let decoded = bytes;
  for (const coding of codings.toReversed()) {
    try {
      decoded = DECODERS[coding]?.(decoded) ?? decoded;
    } catch {
      return { bytes: Buffer.alloc(0), stopped: 'damaged' };
    }
  }
  return { bytes: decoded, stopped: null };
}

/** What `exchanges.readBody` answers for a held exchange. */
export function readHeldBody(
  exchange: HeldExchange,
  input: {
    readonly side: MessageSide;
    readonly form: 'stored' | 'decoded';
    readonly offset: number;
    readonly length: number;
  },
): BodyWindow {
  const message = exchange.detail[input.side];
  if (message === null) throw new ContractError('not-found', 'There is no such message.');
  if (message.storedBytes === 0 && message.bodyBytes > 0)
    throw new ContractError('body-dropped', 'The body was not kept.');
  const body =
    input.form === 'stored'
      ? exchange.stored[input.side]
      : decode(exchange.stored[input.side], message.contentEncoding);
  const { bytes, stopped } = Buffer.isBuffer(body) ? { bytes: body, stopped: null } : body;
  return { bytes: bytes.subarray(input.offset, input.offset + input.length), totalBytes: bytes.length, stopped };
}
