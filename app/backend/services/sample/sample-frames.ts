import type { ConnectionId, MessageSide } from '#contract';
import type { Tap } from '#engine';

const DATA = 0x0;
const HEADERS = 0x1;
const SETTINGS = 0x4;
const PING = 0x6;
const WINDOW_UPDATE = 0x8;
const END_STREAM = 0x1;
const ACK = 0x1;
const END_HEADERS = 0x4;

/** Octets that HPACK makes of a head that the connection has seen before, and of one that it has not. */
const HEAD_OCTETS = { first: 164, later: 38 };
const TRAILER_OCTETS = 12;

const NOTHING = Buffer.alloc(0);

/** What client and server of an invented connection say of themselves, as identifiers and values in turn (RFC 9113 §6.5.2). */
const CLIENT_SETTINGS = [0x1, 65_536, 0x2, 0, 0x4, 6_291_456, 0x6, 262_144];
const SERVER_SETTINGS = [0x3, 128, 0x4, 262_144, 0x6, 262_144];

/** The frames of one invented HTTP/2 connection. */
class SampleConnection {
  readonly #tap: Tap;
  readonly #id: ConnectionId;
  /** Requests come from its peer; else they go to it. */
  readonly #isClient: boolean;
  #sequence = 0;
  #nextStream = 1;
  #heads = 0;

  constructor(tap: Tap, id: ConnectionId, isClient: boolean) {
    this.#tap = tap;
    this.#id = id;
    this.#isClient = isClient;
    this.#frame(!isClient, SETTINGS, 0, 0, pairs(CLIENT_SETTINGS));
    this.#frame(!isClient, WINDOW_UPDATE, 0, 0, word(15_663_105));
    this.#frame(isClient, SETTINGS, 0, 0, pairs(SERVER_SETTINGS));
    this.#frame(!isClient, SETTINGS, ACK, 0, NOTHING);
    this.#frame(isClient, SETTINGS, ACK, 0, NOTHING);
  }

  takeStream(): number {
    const stream = this.#nextStream;
    this.#nextStream += 2;
    return stream;
  }

  head(side: MessageSide, stream: number): void {
    this.#heads += 1;
    const octets = this.#heads <= 2 ? HEAD_OCTETS.first : HEAD_OCTETS.later;
    this.#frame(this.#isSent(side), HEADERS, END_HEADERS, stream, NOTHING, octets);
  }

  data(side: MessageSide, stream: number, octets: number, ends: boolean): void {
    this.#frame(this.#isSent(side), DATA, ends ? END_STREAM : 0, stream, NOTHING, octets);
    if (octets > 0 && !this.#isSent(side)) this.#frame(true, WINDOW_UPDATE, 0, stream, word(octets));
  }

  trailers(stream: number): void {
    this.#frame(this.#isSent('response'), HEADERS, END_HEADERS | END_STREAM, stream, NOTHING, TRAILER_OCTETS);
  }

  /** The peer asks whether somebody is there, and is answered. */
  ping(): void {
    const data = Buffer.from('7765697200000001', 'hex');
    this.#frame(false, PING, 0, 0, data);
    this.#frame(true, PING, ACK, 0, data);
  }

  #isSent(side: MessageSide): boolean {
    return this.#isClient === (side === 'response');
  }

  #frame(sent: boolean, type: number, flags: number, stream: number, payload: Buffer, length = payload.length): void {
    this.#sequence += 1;
    const record = { sequence: this.#sequence, sent, type, flags, stream, length };
    this.#tap.frame(this.#id, record, payload, 0, payload.length);
  }
}

/** One exchange on the streams of both its legs. */
export class SampleStreams {
  readonly clientStream: number;
  readonly originStream: number;
  readonly #client: SampleConnection;
  readonly #origin: SampleConnection;

  constructor(client: SampleConnection, origin: SampleConnection) {
    this.#client = client;
    this.#origin = origin;
    this.clientStream = client.takeStream();
    this.originStream = origin.takeStream();
  }

  head(side: MessageSide): void {
    this.#along(side, (leg, stream) => {
      leg.head(side, stream);
    });
  }

  data(side: MessageSide, octets: number, ends: boolean): void {
    this.#along(side, (leg, stream) => {
      leg.data(side, stream, octets, ends);
    });
  }

  /** The response ends with them. */
  trailers(): void {
    this.#along('response', (leg, stream) => {
      leg.trailers(stream);
    });
    this.#client.ping();
  }

  /** In the order in which the bytes pass: in by one leg, out by the other. */
  #along(side: MessageSide, tell: (leg: SampleConnection, stream: number) => void): void {
    const isRequest = side === 'request';
    if (isRequest) tell(this.#client, this.clientStream);
    tell(this.#origin, this.originStream);
    if (!isRequest) tell(this.#client, this.clientStream);
  }
}

/** The frames of the sample's HTTP/2 connections. */
export class SampleFrames {
  readonly #tap: Tap;
  readonly #connections = new Map<ConnectionId, SampleConnection>();

  constructor(tap: Tap) {
    this.#tap = tap;
  }

  /** Both connections must have been told. */
  begin(client: ConnectionId, origin: ConnectionId): SampleStreams {
    return new SampleStreams(this.#connection(client, true), this.#connection(origin, false));
  }

  #connection(id: ConnectionId, isClient: boolean): SampleConnection {
    let known = this.#connections.get(id);
    if (known === undefined) {
      known = new SampleConnection(this.#tap, id, isClient);
      this.#connections.set(id, known);
    }
    return known;
  }
}

function pairs(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc((values.length / 2) * 6);
  for (let index = 0; index < values.length; index += 2) {
    bytes.writeUInt16BE(values[index] ?? 0, (index / 2) * 6);
    bytes.writeUInt32BE(values[index + 1] ?? 0, (index / 2) * 6 + 2);
  }
  return bytes;
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
