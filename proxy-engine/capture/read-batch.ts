import type { AnomalyCode } from '../model/anomaly-code.ts';
import type { ExchangeError } from '../model/error-code.ts';
import type { BodyCapture, MessageSide } from '../model/exchange.ts';
import type { ConnectionId, ExchangeId } from '../model/ids.ts';
import type { ProtocolName } from '../model/protocol-name.ts';
import type { BeginRecord, ConnectionRecord, EndRecord, GapRecord, ResponseRecord } from './tap.ts';
import {
  ANOMALIES,
  BATCH_HEADER_BYTES,
  BATCH_MAGIC,
  CAPTURED,
  FLAG,
  KINDS,
  PROTOCOLS,
  RECORD,
  RECORD_HEADER_BYTES,
  SCHEMES,
  SENT_FRAMINGS,
} from './record-format.ts';

/** How much of each body the tap handed over. */
export interface CapturedBodies {
  readonly request: BodyCapture;
  readonly response: BodyCapture;
}

/**
 * What a batch tells, in the order in which the tap was told. Buffers are views of the batch: copy what outlives the
 * call. A payload or framing run may arrive in more pieces than it was recorded in.
 */
export interface BatchVisitor {
  connection(record: ConnectionRecord): void;
  /** @param packed one frame or more, as `readFrames` reads them */
  frames(connection: ConnectionId, packed: Buffer): void;
  begin(record: BeginRecord): void;
  origin(id: ExchangeId, connection: ConnectionId, address: string, protocol: ProtocolName, reused: boolean): void;
  originStream(id: ExchangeId, stream: number): void;
  sentRequestHead(id: ExchangeId, head: Buffer): void;
  informational(id: ExchangeId, head: Buffer): void;
  response(id: ExchangeId, record: ResponseRecord): void;
  /** @param time when it passed, microseconds since the Unix epoch */
  payload(id: ExchangeId, side: MessageSide, bytes: Buffer, time: number): void;
  datagram(id: ExchangeId, side: MessageSide, bytes: Buffer, time: number): void;
  gap(id: ExchangeId, side: MessageSide, record: GapRecord): void;
  framing(id: ExchangeId, side: MessageSide, bytes: Buffer): void;
  trailers(id: ExchangeId, side: MessageSide, bytes: Buffer): void;
  end(id: ExchangeId, record: EndRecord, captured: CapturedBodies): void;
}

/** A buffer that no tap of this build wrote. */
class BatchFormatError extends Error {
  override readonly name = 'BatchFormatError';
  readonly code = 'capture.batch-format';
}

/**
 * Reads one batch.
 * @throws BatchFormatError when the buffer is not a whole batch; what came before was visited
 */
export function readBatch(batch: ArrayBuffer, visitor: BatchVisitor): void {
  if (batch.byteLength < BATCH_HEADER_BYTES) throw new BatchFormatError('The batch is shorter than its header.');
  const reader = new RecordReader(batch);
  if (reader.u32() !== BATCH_MAGIC) throw new BatchFormatError('The buffer is not a batch of capture records.');
  const used = reader.u32();
  if (used > batch.byteLength) throw new BatchFormatError('The batch is shorter than its header says.');
  let at = BATCH_HEADER_BYTES;
  while (at < used) {
    const end = reader.openRecord(at, used);
    visitRecord(reader, visitor);
    at = end;
  }
}

function visitRecord(reader: RecordReader, visitor: BatchVisitor): void {
  const { id, flags } = reader;
  switch (reader.kind) {
    case RECORD.connection:
      visitor.connection(reader.json() as ConnectionRecord);
      return;
    case RECORD.frame:
      visitor.frames(id, reader.rest());
      return;
    case RECORD.originStream:
      visitor.originStream(id, reader.u32());
      return;
    case RECORD.begin:
      visitor.begin(readBegin(reader, id, (flags & FLAG.hasSentHead) !== 0));
      return;
    case RECORD.origin: {
      const protocol = reader.oneOf(PROTOCOLS);
      const connection = reader.f64();
      visitor.origin(id, connection, reader.text(), protocol, (flags & FLAG.reused) !== 0);
      return;
    }
    case RECORD.sentRequestHead:
      visitor.sentRequestHead(id, reader.rest());
      return;
    case RECORD.informational:
      visitor.informational(id, reader.rest());
      return;
    case RECORD.response: {
      const status = reader.u16();
      const head = reader.run();
      visitor.response(id, { status, head, sentHead: (flags & FLAG.hasSentHead) === 0 ? null : reader.rest() });
      return;
    }
    case RECORD.payload: {
      const time = reader.f64();
      visitor.payload(id, sideOf(flags), reader.rest(), time);
      return;
    }
    case RECORD.datagram: {
      const time = reader.f64();
      visitor.datagram(id, sideOf(flags), reader.rest(), time);
      return;
    }
    case RECORD.gap: {
      const rest = (flags & FLAG.rest) !== 0;
      visitor.gap(id, sideOf(flags), { time: reader.f64(), bytes: reader.f64(), messages: reader.f64(), rest });
      return;
    }
    case RECORD.framing:
      visitor.framing(id, sideOf(flags), reader.rest());
      return;
    case RECORD.trailers:
      visitor.trailers(id, sideOf(flags), reader.rest());
      return;
    case RECORD.end:
      visitEnd(reader, visitor, id, flags);
      return;
    default:
      throw new BatchFormatError(`A record has the unknown kind ${String(reader.kind)}.`);
  }
}

function readBegin(reader: RecordReader, id: ExchangeId, hasSentHead: boolean): BeginRecord {
  const kind = reader.oneOf(KINDS);
  const scheme = reader.oneOf(SCHEMES);
  const clientProtocol = reader.oneOf(PROTOCOLS);
  const port = reader.u16();
  const startedAt = reader.f64();
  const clientConnection = reader.f64();
  const clientStream = reader.u32();
  const clientAddress = reader.text();
  const host = reader.text();
  const method = reader.text();
  const path = reader.text();
  const head = reader.run();
  const sentHead = hasSentHead ? reader.rest() : null;
  return {
    id,
    kind,
    startedAt,
    clientConnection,
    clientStream,
    clientAddress,
    clientProtocol,
    scheme,
    host,
    port,
    method,
    path,
    head,
    sentHead,
  };
}

function visitEnd(reader: RecordReader, visitor: BatchVisitor, id: ExchangeId, flags: number): void {
  const timing = {
    dns: reader.time(),
    connect: reader.time(),
    tls: reader.time(),
    sent: reader.time(),
    firstByte: reader.time(),
    end: reader.time(),
  };
  const requestBodyBytes = reader.f64();
  const responseBodyBytes = reader.f64();
  const captured = { request: reader.oneOf(CAPTURED), response: reader.oneOf(CAPTURED) };
  const sentRequestFraming = reader.oneOf(SENT_FRAMINGS);
  const sentResponseFraming = reader.oneOf(SENT_FRAMINGS);
  const anomalyCount = reader.u8();
  const anomalies: AnomalyCode[] = [];
  for (let index = 0; index < anomalyCount; index += 1) anomalies.push(reader.oneOf(ANOMALIES));
  const error = (flags & FLAG.hasError) === 0 ? null : (reader.json() as ExchangeError);
  const complete = (flags & FLAG.complete) !== 0;
  visitor.end(
    id,
    {
      timing,
      requestBodyBytes,
      responseBodyBytes,
      error,
      anomalies,
      complete,
      sentRequestFraming,
      sentResponseFraming,
    },
    captured,
  );
}

function sideOf(flags: number): MessageSide {
  return (flags & FLAG.responseSide) === 0 ? 'request' : 'response';
}

/** Reads the fields of one record after another, never past the record's end. */
class RecordReader {
  kind = 0;
  flags = 0;
  id = 0;
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #at = 0;
  #end = BATCH_HEADER_BYTES;

  constructor(batch: ArrayBuffer) {
    this.#bytes = Buffer.from(batch);
    this.#view = new DataView(batch);
  }

  /** Reads the header at `at` and returns where the record ends. */
  openRecord(at: number, used: number): number {
    this.#at = at;
    this.#end = used;
    const length = this.u32();
    if (length < RECORD_HEADER_BYTES || at + length > used) {
      throw new BatchFormatError(`The record at ${String(at)} has the impossible length ${String(length)}.`);
    }
    this.#end = at + length;
    this.kind = this.u8();
    this.flags = this.u8();
    const high = this.u16();
    this.id = high * 0x1_0000_0000 + this.u32();
    return this.#end;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  f64(): number {
    return this.#view.getFloat64(this.#take(8), true);
  }

  time(): number | null {
    const value = this.f64();
    return value < 0 ? null : value;
  }

  oneOf<Value>(table: readonly Value[]): Value {
    const code = this.u8();
    const value = table[code];
    if (value === undefined) throw new BatchFormatError(`A record holds the unknown code ${String(code)}.`);
    return value;
  }

  text(): string {
    const length = this.u32();
    const start = this.#take(length);
    return this.#bytes.toString('utf8', start, start + length);
  }

  run(): Buffer {
    const length = this.u32();
    const start = this.#take(length);
    return this.#bytes.subarray(start, start + length);
  }

  rest(): Buffer {
    const start = this.#take(this.#end - this.#at);
    return this.#bytes.subarray(start, this.#end);
  }

  json(): unknown {
    try {
      return JSON.parse(this.rest().toString('utf8'));
    } catch (error: unknown) {
      throw new BatchFormatError('A record holds text that is not JSON.', { cause: error });
    }
  }

  #take(bytes: number): number {
    const start = this.#at;
    if (start + bytes > this.#end) throw new BatchFormatError('A field reaches past the end of its record.');
    this.#at = start + bytes;
    return start;
  }
}
