import type {
  EndRecord,
  BeginRecord,
  CaptureLosses,
  CapturePort,
  ConnectionRecord,
  FrameRecord,
  ResponseRecord,
  Tap,
} from './tap.ts';
import type { MessageSide } from '../model/exchange.ts';
import type { ConnectionId, ExchangeId } from '../model/ids.ts';
import type { ProtocolName } from '../model/protocol-name.ts';
import {
  ANOMALIES,
  BATCH_HEADER_BYTES,
  FLAG,
  FRAME_DETAIL_BYTES,
  FRAME_HEAD_BYTES,
  KINDS,
  PROTOCOLS,
  RECORD,
  RECORD_HEADER_BYTES,
  SCHEMES,
  SENT_BIT,
  SENT_FRAMINGS,
} from './record-format.ts';
import { Slab } from './slab.ts';
import { beginsWebSocket } from '../protocol/websocket/index.ts';
import { StreamGap } from './stream-gap.ts';

/** A body that has had this many bytes recorded is a long one: the first to be cut short when the store lags. */
export const LONG_BODY_BYTES = 65_536;

/** A body that has had this many bytes recorded may wait for the store instead of being cut short. */
const BULK_BODY_BYTES = 32_768;

/** Shares of the credit that are in use when the next kind of data is left out. */
const LEAVE_FRAMES_AT = 0.3;
const PACE_BULK_BODIES_AT = 0.3;
const CUT_LONG_BODIES_AT = 0.6;
const CUT_BODIES_AT = 0.8;

const DEFAULT_SLAB_BYTES = 131_072;
const SHORTEST_SPLIT_BYTES = 512;
/** Buffers kept for the next records: while the store lags as many as bulk bodies keep under way, else few. */
const SPARE_SLABS = 64;
const SPARE_SLABS_AT_REST = 16;

export interface TapOptions {
  /** Bytes of batches that may be with the store, not yet taken, before capture begins to degrade. */
  readonly creditBytes: number;
  /** Bytes of one body that are recorded; the rest passes uncaptured. 0 records none. */
  readonly recordedBodyBytes: number;
  /** Microseconds since the Unix epoch; asked for each piece of a body. */
  readonly now: () => number;
  /** Size of one batch buffer; 128 KiB unless said. */
  readonly slabBytes?: number;
  /** Whether recording is on from the beginning; true unless said. */
  readonly recording?: boolean;
  /**
   * Called when the first record since the last hand-over was written. The host calls `flush` at most 50 ms later;
   * while nothing is recorded it needs no timer.
   */
  readonly onUnflushed?: () => void;
  /** Hears of each client's connection at once, before its record is handed over. */
  readonly onClient?: ((connection: ConnectionId, address: string) => void) | undefined;
}

/** The tap of one engine thread, with the side that its host drives. */
export interface CaptureTap extends Tap {
  readonly losses: CaptureLosses;
  /** Exchanges that begin from now on are recorded or not; those that are being recorded go on to their end. */
  setRecording(on: boolean): void;
  setRecordedBodyBytes(bytes: number): void;
  /** Hands over what was written since the last hand-over, if anything. */
  flush(): void;
  /** The store took `bytes` of batches. Buffers that it gives back are written again instead of new ones. */
  returnCredit(bytes: number, slabs?: readonly ArrayBuffer[]): void;
}

/** One side of an exchange that is being recorded. */
interface BodyState {
  recorded: number;
  /** Nothing more of this body is recorded. */
  cut: boolean;
  /** Of a stream of messages, which can go on behind what was left out; else null. */
  gap: StreamGap | null;
}

interface ExchangeState {
  readonly request: BodyState;
  readonly response: BodyState;
  /** It asked for a WebSocket. */
  readonly isWebSocket: boolean;
}

/**
 * Packs what the pipeline shows it into batches for the store's thread and hands them over against credit. It never
 * waits: once the store lags by a share of the credit it leaves out, in this order, frames of HTTP/2, the rest of long bodies,
 * bodies, whole exchanges; each but the first is counted in `losses` and marked on its exchange.
 */
export function createTap(port: CapturePort, options: TapOptions): CaptureTap {
  return new PackingTap(port, options);
}

class PackingTap implements CaptureTap {
  readonly #port: CapturePort;
  readonly #creditBytes: number;
  readonly #slabBytes: number;
  readonly #now: () => number;
  readonly #onUnflushed: () => void;
  readonly #onClient: TapOptions['onClient'];
  readonly #active = new Map<ExchangeId, ExchangeState>();
  readonly #spare: ArrayBuffer[] = [];
  #recordedBodyBytes: number;
  #recording: boolean;
  #slab: Slab;
  #outstanding = 0;
  #truncatedBodies = 0;
  #droppedBodies = 0;
  #droppedExchanges = 0;

  constructor(port: CapturePort, options: TapOptions) {
    this.#port = port;
    this.#creditBytes = options.creditBytes;
    this.#slabBytes = options.slabBytes ?? DEFAULT_SLAB_BYTES;
    this.#recordedBodyBytes = options.recordedBodyBytes;
    this.#now = options.now;
    this.#recording = options.recording ?? true;
    this.#onUnflushed = options.onUnflushed ?? (() => undefined);
    this.#onClient = options.onClient;
    this.#slab = new Slab(new ArrayBuffer(this.#slabBytes));
  }

  get recording(): boolean {
    return this.#recording;
  }

  get losses(): CaptureLosses {
    return {
      truncatedBodies: this.#truncatedBodies,
      droppedBodies: this.#droppedBodies,
      droppedExchanges: this.#droppedExchanges,
    };
  }

  setRecording(on: boolean): void {
    this.#recording = on;
  }

  setRecordedBodyBytes(bytes: number): void {
    this.#recordedBodyBytes = bytes;
  }

  connection(record: ConnectionRecord): void {
    if (record.side === 'client') this.#onClient?.(record.id, record.address);
    const bytes = Buffer.from(JSON.stringify(record), 'utf8');
    const slab = this.#open(RECORD.connection, 0, record.id, bytes.length);
    slab.rest(bytes, 0, bytes.length);
    slab.close();
  }

  frame(connection: ConnectionId, record: FrameRecord, bytes: Buffer, start: number, end: number): void {
    if (!this.#recording || this.#lag >= this.#creditBytes * LEAVE_FRAMES_AT) return;
    const last = Math.min(end, start + FRAME_DETAIL_BYTES);
    const slab = this.#open(RECORD.frame, 0, connection, FRAME_HEAD_BYTES + last - start);
    slab.f64(this.#now());
    slab.u32(record.sequence);
    // Lengths have 24 bits and streams 31 (RFC 9113 §4.1).
    slab.u32(record.length * 256 + record.type);
    slab.u32(record.sent ? record.stream + SENT_BIT : record.stream);
    slab.u8(record.flags);
    slab.u8(last - start);
    slab.rest(bytes, start, last);
    slab.close();
  }

  begin(record: BeginRecord): void {
    if (!this.#recording) return;
    if (this.#lag >= this.#creditBytes) {
      this.#droppedExchanges += 1;
      return;
    }
    const { host, method, path, clientAddress, head, sentHead } = record;
    this.#active.set(record.id, {
      request: { recorded: 0, cut: false, gap: null },
      response: { recorded: 0, cut: false, gap: null },
      isWebSocket: record.kind === 'websocket',
    });
    const texts = host.length + method.length + path.length + clientAddress.length;
    const room = 68 + 3 * texts + head.length + (sentHead === null ? 0 : sentHead.length);
    const slab = this.#open(RECORD.begin, sentHead === null ? 0 : FLAG.hasSentHead, record.id, room);
    slab.u8(KINDS.indexOf(record.kind));
    slab.u8(SCHEMES.indexOf(record.scheme));
    slab.u8(PROTOCOLS.indexOf(record.clientProtocol));
    slab.u16(record.port);
    slab.f64(record.startedAt);
    slab.f64(record.clientConnection);
    slab.u32(record.clientStream ?? 0);
    slab.text(clientAddress);
    slab.text(host);
    slab.text(method);
    slab.text(path);
    slab.run(head, 0, head.length);
    if (sentHead !== null) slab.rest(sentHead, 0, sentHead.length);
    slab.close();
  }

  origin(id: ExchangeId, connection: ConnectionId, address: string, protocol: ProtocolName, reused: boolean): void {
    if (!this.#active.has(id)) return;
    const slab = this.#open(RECORD.origin, reused ? FLAG.reused : 0, id, 16 + 3 * address.length);
    slab.u8(PROTOCOLS.indexOf(protocol));
    slab.f64(connection);
    slab.text(address);
    slab.close();
  }

  originStream(id: ExchangeId, stream: number): void {
    if (!this.#active.has(id)) return;
    const slab = this.#open(RECORD.originStream, 0, id, 4);
    slab.u32(stream);
    slab.close();
  }

  sentRequestHead(id: ExchangeId, head: Buffer): void {
    if (this.#active.has(id)) this.#writeBytes(RECORD.sentRequestHead, 0, id, head, 0, head.length);
  }

  informational(id: ExchangeId, head: Buffer): void {
    if (this.#active.has(id)) this.#writeBytes(RECORD.informational, 0, id, head, 0, head.length);
  }

  response(id: ExchangeId, record: ResponseRecord): void {
    const exchange = this.#active.get(id);
    if (exchange === undefined) return;
    const { head, sentHead, status } = record;
    if (exchange.isWebSocket && beginsWebSocket(status, head)) {
      exchange.request.gap = new StreamGap('frames');
      exchange.response.gap = new StreamGap('frames');
    }
    const room = 8 + head.length + (sentHead === null ? 0 : sentHead.length);
    const slab = this.#open(RECORD.response, sentHead === null ? 0 : FLAG.hasSentHead, id, room);
    slab.u16(status);
    slab.run(head, 0, head.length);
    if (sentHead !== null) slab.rest(sentHead, 0, sentHead.length);
    slab.close();
  }

  payload(id: ExchangeId, side: MessageSide, bytes: Buffer, start: number, end: number): void {
    const exchange = this.#active.get(id);
    if (exchange === undefined || end <= start) return;
    const body = exchange[side];
    if (body.cut) return;
    const from = body.gap === null ? start : this.#behindGap(id, side, body, body.gap, bytes, start, end);
    if (from >= end) return;
    if (body.gap === null && this.#mustCut(body)) {
      this.#lose(body);
      body.cut = true;
      return;
    }
    const left = this.#recordedBodyBytes - body.recorded;
    if (left < end - from) body.cut = true;
    const last = body.cut ? from + left : end;
    body.recorded += last - from;
    this.#writePayload(side, id, bytes, from, last);
    if (body.cut && body.gap !== null) this.#writeRest(id, side, body.gap);
  }

  datagram(id: ExchangeId, side: MessageSide, bytes: Buffer, start: number, end: number): void {
    const body = this.#active.get(id)?.[side];
    if (body === undefined || body.cut) return;
    body.gap ??= new StreamGap('datagrams');
    if (this.#mustCut(body)) {
      if (!body.gap.isOpen) this.#lose(body);
      body.gap.leaveOut(bytes, start, end);
      return;
    }
    if (body.recorded + end - start > this.#recordedBodyBytes) {
      body.cut = true;
      this.#writeRest(id, side, body.gap);
      return;
    }
    this.#closeGap(id, side, body.gap);
    body.recorded += end - start;
    const slab = this.#open(RECORD.datagram, sideFlag(side), id, 8 + end - start);
    slab.f64(this.#now());
    slab.rest(bytes, start, end);
    slab.close();
  }

  framing(id: ExchangeId, side: MessageSide, bytes: Buffer, start: number, end: number): void {
    const exchange = this.#active.get(id);
    if (exchange === undefined || end <= start || exchange[side].cut) return;
    for (let at = start; at < end;) {
      const next = this.#splitAt(at, end, 0);
      this.#writeBytes(RECORD.framing, sideFlag(side), id, bytes, at, next);
      at = next;
    }
  }

  trailers(id: ExchangeId, side: MessageSide, bytes: Buffer): void {
    if (this.#active.has(id)) this.#writeBytes(RECORD.trailers, sideFlag(side), id, bytes, 0, bytes.length);
  }

  congested(id: ExchangeId, side: MessageSide): boolean {
    const body = this.#active.get(id)?.[side];
    if (body === undefined || body.cut || body.recorded < BULK_BODY_BYTES) return false;
    if (body.gap?.isStalled ?? false) return false;
    return this.#lag >= this.#creditBytes * PACE_BULK_BODIES_AT;
  }

  cut(id: ExchangeId, side: MessageSide): void {
    const body = this.#active.get(id)?.[side];
    if (body === undefined || body.cut) return;
    if (body.gap !== null) body.gap.isStalled = true;
    else {
      body.cut = true;
      this.#truncatedBodies += 1;
    }
  }

  end(id: ExchangeId, record: EndRecord): void {
    const exchange = this.#active.get(id);
    if (exchange === undefined) return;
    this.#active.delete(id);
    for (const side of ['request', 'response'] as const) {
      const { gap } = exchange[side];
      if (gap !== null) this.#closeGap(id, side, gap);
    }
    const { timing, anomalies, error } = record;
    const errorBytes = error === null ? null : Buffer.from(JSON.stringify(error), 'utf8');
    const flags = (record.complete ? FLAG.complete : 0) | (errorBytes === null ? 0 : FLAG.hasError);
    const slab = this.#open(
      RECORD.end,
      flags,
      id,
      80 + anomalies.length + (errorBytes === null ? 0 : errorBytes.length),
    );
    slab.f64(timing.dns ?? -1);
    slab.f64(timing.connect ?? -1);
    slab.f64(timing.tls ?? -1);
    slab.f64(timing.sent ?? -1);
    slab.f64(timing.firstByte ?? -1);
    slab.f64(timing.end ?? -1);
    slab.f64(record.requestBodyBytes);
    slab.f64(record.responseBodyBytes);
    slab.u8(capturedCode(exchange.request));
    slab.u8(capturedCode(exchange.response));
    slab.u8(SENT_FRAMINGS.indexOf(record.sentRequestFraming));
    slab.u8(SENT_FRAMINGS.indexOf(record.sentResponseFraming));
    slab.u8(anomalies.length);
    for (const anomaly of anomalies) slab.u8(ANOMALIES.indexOf(anomaly));
    if (errorBytes !== null) slab.rest(errorBytes, 0, errorBytes.length);
    slab.close();
  }

  flush(): void {
    if (this.#slab.empty) return;
    // A slab that is mostly empty is kept and a short copy goes out, so that slow traffic does not churn memory.
    if (this.#slab.used * 4 < this.#slab.capacity) {
      this.#post(this.#slab.takeCopy());
      return;
    }
    this.#handOver();
    this.#slab = this.#newSlab(this.#slabBytes);
  }

  returnCredit(bytes: number, slabs?: readonly ArrayBuffer[]): void {
    this.#outstanding = Math.max(0, this.#outstanding - bytes);
    if (slabs === undefined) return;
    for (const slab of slabs) {
      if (slab.byteLength === this.#slabBytes && this.#spare.length < SPARE_SLABS) this.#spare.push(slab);
    }
    if (this.#outstanding === 0 && this.#spare.length > SPARE_SLABS_AT_REST) this.#spare.length = SPARE_SLABS_AT_REST;
  }

  /** Bytes that the store has not taken yet. */
  get #lag(): number {
    return this.#outstanding + this.#slab.used;
  }

  #mustCut(body: BodyState): boolean {
    const share = this.#lag / this.#creditBytes;
    return share >= CUT_BODIES_AT || (share >= CUT_LONG_BODIES_AT && body.recorded >= LONG_BODY_BYTES);
  }

  #lose(body: BodyState): void {
    if (body.recorded === 0) this.#droppedBodies += 1;
    else this.#truncatedBodies += 1;
  }

  /**
   * Leaves bytes of a stream out while the store lags, up to a boundary behind which it can be read again.
   * @returns where recording goes on; `end` when it does not
   */
  #behindGap(
    id: ExchangeId,
    side: MessageSide,
    body: BodyState,
    gap: StreamGap,
    bytes: Buffer,
    start: number,
    end: number,
  ): number {
    gap.isStalled &&= this.#lag >= this.#creditBytes * PACE_BULK_BODIES_AT;
    const lags = gap.isStalled || this.#mustCut(body);
    if (!lags && !gap.isOpen) {
      gap.pass(bytes, start, end);
      return start;
    }
    if (!gap.isOpen) this.#lose(body);
    if (lags) {
      gap.leaveOut(bytes, start, end);
      return end;
    }
    const boundary = gap.leaveOutToBoundary(bytes, start, end);
    if (boundary < 0) return end;
    this.#closeGap(id, side, gap);
    gap.pass(bytes, boundary, end);
    return boundary;
  }

  /** Tells what was left out, if anything was. */
  #closeGap(id: ExchangeId, side: MessageSide, gap: StreamGap): void {
    if (gap.isOpen) this.#writeGap(id, side, gap, false);
  }

  #writeRest(id: ExchangeId, side: MessageSide, gap: StreamGap): void {
    this.#writeGap(id, side, gap, true);
  }

  #writeGap(id: ExchangeId, side: MessageSide, gap: StreamGap, rest: boolean): void {
    const slab = this.#open(RECORD.gap, sideFlag(side) | (rest ? FLAG.rest : 0), id, 24);
    slab.f64(this.#now());
    slab.f64(gap.bytes);
    slab.f64(gap.messages);
    slab.close();
    gap.close();
  }

  /** Begins a record whose fields take at most `room` bytes. */
  #open(kind: number, flags: number, id: number, room: number): Slab {
    const needed = RECORD_HEADER_BYTES + room;
    let slab = this.#slab;
    if (slab.room < needed) {
      if (!slab.empty) this.#handOver();
      slab = this.#newSlab(Math.max(this.#slabBytes, BATCH_HEADER_BYTES + needed));
      this.#slab = slab;
    }
    if (slab.empty) this.#onUnflushed();
    slab.open(kind, flags, id);
    return slab;
  }

  #writeBytes(kind: number, flags: number, id: number, bytes: Buffer, start: number, end: number): void {
    const slab = this.#open(kind, flags, id, end - start);
    slab.rest(bytes, start, end);
    slab.close();
  }

  #writePayload(side: MessageSide, id: number, bytes: Buffer, start: number, end: number): void {
    const time = this.#now();
    for (let at = start; at < end;) {
      const next = this.#splitAt(at, end, 8);
      const slab = this.#open(RECORD.payload, sideFlag(side), id, 8 + next - at);
      slab.f64(time);
      slab.rest(bytes, at, next);
      slab.close();
      at = next;
    }
  }

  /** Where the record of a run that begins here has to end: the reader joins as many as slabs need. */
  #splitAt(at: number, end: number, fieldBytes: number): number {
    const room = this.#slab.room - RECORD_HEADER_BYTES - fieldBytes;
    const whole = this.#slabBytes - BATCH_HEADER_BYTES - RECORD_HEADER_BYTES - fieldBytes;
    return Math.min(end, at + (room >= SHORTEST_SPLIT_BYTES ? room : whole));
  }

  #newSlab(bytes: number): Slab {
    const spare = bytes === this.#slabBytes ? this.#spare.pop() : undefined;
    return new Slab(spare ?? new ArrayBuffer(bytes));
  }

  #handOver(): void {
    this.#slab.seal();
    this.#post(this.#slab.buffer);
  }

  #post(batch: ArrayBuffer): void {
    this.#outstanding += batch.byteLength;
    this.#port.post(batch);
  }
}

function sideFlag(side: MessageSide): number {
  return side === 'response' ? FLAG.responseSide : 0;
}

/** Position in `CAPTURED`. */
function capturedCode(body: BodyState): number {
  if (!body.cut && !(body.gap?.wasOpen ?? false)) return 0;
  return body.recorded > 0 ? 1 : 2;
}
