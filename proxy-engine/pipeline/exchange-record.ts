import type { BeginRecord, ConnectionRecord, EndRecord, Tap } from '../capture/tap.ts';
import type { AnomalyCode } from '../model/anomaly-code.ts';
import type { ExchangeError } from '../model/error-code.ts';
import type { MessageSide } from '../model/exchange.ts';
import type { ExchangeId } from '../model/ids.ts';
import type { ClientEntry } from './client-entry.ts';
import type { PipelineContext } from './context.ts';

/** What a row begins with, beside the facts of its client connection. */
export type RowFacts = Pick<
  BeginRecord,
  'kind' | 'scheme' | 'host' | 'port' | 'method' | 'path' | 'head' | 'sentHead' | 'clientProtocol'
> & {
  /** Stream of HTTP/2 that it came on; none unless said. */
  readonly stream?: number;
};

/** An origin connection's record, and whether the tap has it. */
export interface RecordableConnection {
  readonly record: ConnectionRecord;
  isRecorded: boolean;
}

const NO_ANOMALIES: readonly AnomalyCode[] = [];

/**
 * The account of one exchange, tunnel or relay: times, sizes, anomalies, and the calls of the tap. With recording off it
 * counts and does nothing else.
 */
export class ExchangeRecord {
  readonly id: ExchangeId;
  /** Microseconds since the Unix epoch. */
  readonly startedAt: number;
  readonly recorded: boolean;
  requestBytes = 0;
  responseBytes = 0;
  sentRequestFraming: EndRecord['sentRequestFraming'] = 'as-received';
  sentResponseFraming: EndRecord['sentResponseFraming'] = 'as-received';
  ended = false;
  readonly #context: PipelineContext;
  readonly #tap: Tap;
  #anomalies: readonly AnomalyCode[] = NO_ANOMALIES;
  #dns = -1;
  #connect = -1;
  #tls = -1;
  #sent = -1;
  #firstByte = -1;

  constructor(context: PipelineContext, startedAt: number) {
    this.#context = context;
    this.#tap = context.tap;
    this.recorded = context.tap.recording;
    this.id = context.takeExchangeId();
    this.startedAt = startedAt;
    context.counters.exchanges += 1;
    context.counters.activeExchanges += 1;
    if (!this.recorded) context.counters.unrecorded += 1;
  }

  begin(client: ClientEntry, row: RowFacts): void {
    if (!this.recorded) return;
    if (!client.isRecorded) {
      client.isRecorded = true;
      this.#tap.connection(client.record());
    }
    this.#tap.begin({
      id: this.id,
      kind: row.kind,
      startedAt: this.startedAt,
      clientConnection: client.id,
      clientStream: row.stream ?? 0,
      clientAddress: client.address,
      clientProtocol: row.clientProtocol,
      scheme: row.scheme,
      host: row.host,
      port: row.port,
      method: row.method,
      path: row.path,
      head: row.head,
      sentHead: row.sentHead,
    });
  }

  origin(origin: RecordableConnection, reused: boolean): void {
    if (!this.recorded) return;
    const connection = origin.record;
    if (!origin.isRecorded) {
      origin.isRecorded = true;
      this.#tap.connection(connection);
    }
    this.#tap.origin(this.id, connection.id, connection.address, connection.protocol, reused);
  }

  /** The stream of the origin's connection that carries it. */
  originStream(stream: number): void {
    if (this.recorded) this.#tap.originStream(this.id, stream);
  }

  /** The head as forwarded, when it was not known at `begin`. */
  sentRequestHead(head: Buffer): void {
    if (this.recorded) this.#tap.sentRequestHead(this.id, head);
  }

  informational(head: Buffer): void {
    if (this.recorded) this.#tap.informational(this.id, head);
  }

  response(status: number, head: Buffer, sentHead: Buffer | null): void {
    if (this.recorded) this.#tap.response(this.id, { status, head, sentHead });
  }

  payload(side: MessageSide, bytes: Buffer, start: number, end: number): void {
    if (side === 'request') this.requestBytes += end - start;
    else this.responseBytes += end - start;
    if (this.recorded) this.#tap.payload(this.id, side, bytes, start, end);
  }

  /** One whole datagram. */
  datagram(side: MessageSide, bytes: Buffer): void {
    this.count(side, bytes.length);
    if (this.recorded) this.#tap.datagram(this.id, side, bytes, 0, bytes.length);
  }

  /** Bytes that pass without being recorded. */
  count(side: MessageSide, bytes: number): void {
    if (side === 'request') this.requestBytes += bytes;
    else this.responseBytes += bytes;
  }

  framing(side: MessageSide, bytes: Buffer, start: number, end: number): void {
    if (this.recorded) this.#tap.framing(this.id, side, bytes, start, end);
  }

  /** The body of that side should rest until the store has caught up. */
  isCongested(side: MessageSide): boolean {
    return this.recorded && this.#tap.congested(this.id, side);
  }

  /** The rest of that body passes uncaptured. */
  cutBody(side: MessageSide): void {
    this.#tap.cut(this.id, side);
  }

  trailers(side: MessageSide, bytes: Buffer): void {
    if (this.recorded) this.#tap.trailers(this.id, side, bytes);
  }

  anomaly(code: AnomalyCode): void {
    if (!this.#anomalies.includes(code)) this.#anomalies = [...this.#anomalies, code];
  }

  addAnomalies(codes: readonly AnomalyCode[]): void {
    for (const code of codes) this.anomaly(code);
  }

  markResolved(): void {
    this.#dns = this.#elapsed();
  }

  markConnected(): void {
    this.#connect = this.#elapsed();
  }

  markSecure(): void {
    this.#tls = this.#elapsed();
  }

  markSent(): void {
    if (this.recorded) this.#sent = this.#elapsed();
  }

  markFirstByte(): void {
    if (this.recorded && this.#firstByte === -1) this.#firstByte = this.#elapsed();
  }

  /** A retry makes the earlier attempt's times meaningless. */
  forgetAttempt(): void {
    this.#dns = this.#connect = this.#tls = this.#sent = this.#firstByte = -1;
  }

  end(error: ExchangeError | null, complete: boolean): void {
    if (this.ended) return;
    this.ended = true;
    this.#context.counters.activeExchanges -= 1;
    if (!this.recorded) return;
    this.#tap.end(this.id, {
      timing: {
        dns: known(this.#dns),
        connect: known(this.#connect),
        tls: known(this.#tls),
        sent: known(this.#sent),
        firstByte: known(this.#firstByte),
        end: this.#elapsed(),
      },
      requestBodyBytes: this.requestBytes,
      responseBodyBytes: this.responseBytes,
      error,
      anomalies: this.#anomalies,
      complete,
      sentRequestFraming: this.sentRequestFraming,
      sentResponseFraming: this.sentResponseFraming,
    });
  }

  #elapsed(): number {
    return this.#context.clock.micros() - this.startedAt;
  }
}

function known(micros: number): number | null {
  return micros === -1 ? null : micros;
}
