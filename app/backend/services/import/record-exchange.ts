import type { ConnectionId, ExchangeId, MessageSide } from '#contract';
import type { Tap } from '#engine';
import { webSocketFrame } from '../../store/websocket-frame.ts';
import type { ImportedConnection, ImportedExchange } from './har-entry.ts';

/** Nobody knows the client of an imported exchange. */
const NO_ADDRESS = '0.0.0.0:0';
const PIECE_BYTES = 65_536;
const NO_TLS = (): null => null;

/** Records imported exchanges as the engine would have recorded them. */
export class ExchangeRecorder {
  readonly #tap: Tap;
  readonly #unknownClient: ConnectionId;
  readonly #connections = new Map<string, ConnectionId>();
  #nextExchange: ExchangeId;
  #nextConnection: ConnectionId;
  #clock = 0;

  /** @param tap asks `now` for the time of each piece */
  constructor(tap: Tap, firstExchange: ExchangeId, firstConnection: ConnectionId) {
    this.#tap = tap;
    this.#nextExchange = firstExchange;
    this.#unknownClient = firstConnection;
    this.#nextConnection = firstConnection + 1;
    tap.connection({ id: this.#unknownClient, side: 'client', address: NO_ADDRESS, protocol: 'http/1.1', tls: null });
  }

  /** The time of what is being recorded, microseconds since the Unix epoch. */
  get now(): number {
    return this.#clock;
  }

  /** Ids from here on were not given away. */
  get nextExchange(): ExchangeId {
    return this.#nextExchange;
  }

  get nextConnection(): ConnectionId {
    return this.#nextConnection;
  }

  /** @returns the number of its row */
  record(exchange: ImportedExchange): ExchangeId {
    const id = this.#nextExchange++;
    const tap = this.#tap;
    const { kind, startedAt, scheme, host, port, method, path, protocol, head, sentHead } = exchange;
    this.#clock = startedAt;
    const client = {
      clientConnection: this.#client(exchange),
      clientAddress: exchange.client?.address ?? NO_ADDRESS,
      clientProtocol: protocol,
    };
    tap.begin({ id, kind, startedAt, ...client, scheme, host, port, method, path, head, sentHead });
    this.#payload(id, 'request', exchange.body);
    if (exchange.trailers !== null) tap.trailers(id, 'request', exchange.trailers);
    if (exchange.originAddress !== null) this.#origin(id, exchange, exchange.originAddress);
    for (const informational of exchange.informational) tap.informational(id, informational);
    const { response, timing } = exchange;
    if (response !== null) {
      this.#clock = startedAt + (timing.firstByte ?? 0);
      tap.response(id, { status: response.status, head: response.head, sentHead: response.sentHead });
      if (exchange.bodyAt !== null) this.#clock = startedAt + exchange.bodyAt;
      this.#payload(id, 'response', response.body);
      if (response.trailers !== null) tap.trailers(id, 'response', response.trailers);
    }
    const sizes = { request: exchange.body.length, response: response?.body.length ?? 0 };
    for (const message of exchange.messages) {
      const frame = webSocketFrame(message.side, message.opcode, message.data);
      this.#clock = message.time;
      this.#payload(id, message.side, frame);
      sizes[message.side] += frame.length;
    }
    tap.end(id, {
      timing,
      requestBodyBytes: sizes.request,
      responseBodyBytes: sizes.response,
      error: exchange.error,
      anomalies: exchange.anomalies,
      complete: response !== null && exchange.error === null,
      sentRequestFraming: 'as-received',
      sentResponseFraming: 'as-received',
    });
    return id;
  }

  #client({ client, protocol }: ImportedExchange): ConnectionId {
    if (client === undefined) return this.#unknownClient;
    return this.#connection('client', client, protocol).id;
  }

  #origin(id: ExchangeId, { connection, protocol, originTls }: ImportedExchange, address: string): void {
    const origin = this.#connection('origin', { address, connection, tls: originTls ?? NO_TLS }, protocol);
    this.#tap.origin(id, origin.id, address, protocol, origin.reused);
  }

  /** The connection of that name and address; a new one where the file does not tell them apart. */
  #connection(
    side: 'client' | 'origin',
    { address, connection, tls }: ImportedConnection,
    protocol: ImportedExchange['protocol'],
  ): { readonly id: ConnectionId; readonly reused: boolean } {
    const key = `${side} ${connection} ${address}`;
    const known = this.#connections.get(key);
    if (known !== undefined && connection !== '') return { id: known, reused: true };
    const id = this.#nextConnection++;
    this.#connections.set(key, id);
    this.#tap.connection({ id, side, address, protocol, tls: tls() });
    return { id, reused: false };
  }

  #payload(id: ExchangeId, side: MessageSide, bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      this.#tap.payload(id, side, bytes, at, Math.min(at + PIECE_BYTES, bytes.length));
    }
  }
}
