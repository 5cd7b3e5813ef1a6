import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { ConnectionId, ExchangeId, HeaderField, MessageSide, ProtocolName, Timing } from '#contract';
import type { Tap } from '#engine';
import type { ClientProgram } from '../../platform/client-program.ts';
import { clientTls, originTls } from './certificates.ts';
import { SampleFrames, type SampleStreams } from './sample-frames.ts';
import type { SampleClient, SampleCoding, ScriptedBody, ScriptedExchange } from './script.ts';

const MILLISECOND = 1_000;
const CHUNK_BYTES = 8_192;
const CLIENT_PORTS: Readonly<Record<SampleClient, number>> = {
  browser: 53_122,
  app: 53_410,
  terminal: 53_702,
  watcher: 53_990,
};

const CLIENT_PROGRAMS: Readonly<Record<SampleClient, ClientProgram>> = {
  browser: { name: 'firefox', pid: 4_211, path: '/usr/lib/firefox/firefox' },
  app: { name: 'weir-shop', pid: 5_180, path: '/opt/weir-shop/weir-shop' },
  terminal: { name: 'curl', pid: 6_042, path: '/usr/bin/curl' },
  watcher: { name: 'node', pid: 3_307, path: '/usr/bin/node' },
};

/** The invented program that speaks from an invented client's address. */
export function sampleProgramAt(address: string): ClientProgram {
  const port = Number(address.slice(address.lastIndexOf(':') + 1));
  const clients: readonly SampleClient[] = ['watcher', 'terminal', 'app'];
  return CLIENT_PROGRAMS[clients.find((client) => port >= CLIENT_PORTS[client]) ?? 'browser'];
}

interface Leg {
  readonly id: ConnectionId;
  readonly address: string;
}

/** An origin's connection, and how an exchange came by it. */
interface UsedOrigin {
  readonly leg: Leg;
  readonly protocol: ProtocolName;
  readonly reused: boolean;
}

const ENCODERS: Readonly<Record<SampleCoding, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  deflate: (bytes) => deflateSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  zstd: (bytes) => zstdCompressSync(bytes),
};

interface WireBody {
  readonly bytes: Buffer;
  readonly fullLength: number;
  readonly fields: readonly HeaderField[];
}

function onTheWire(body: ScriptedBody): WireBody {
  const encoded = body.coding === undefined ? body.bytes : ENCODERS[body.coding](body.bytes);
  const arrived = Buffer.from(encoded.subarray(0, body.cutAt ?? encoded.length));
  if (body.damagedAt !== undefined) arrived.fill(0xa5, body.damagedAt, body.damagedAt + 64);
  const fields: HeaderField[] = [];
  if (body.coding !== undefined) fields.push(['Content-Encoding', body.coding]);
  if (body.framing === 'chunked') fields.push(['Transfer-Encoding', 'chunked']);
  else if (body.framing !== 'until-close') fields.push(['Content-Length', String(encoded.length)]);
  return { bytes: arrived, fullLength: encoded.length, fields };
}

function head(startLine: string, fields: readonly HeaderField[]): Buffer {
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${startLine}\r\n${lines}\r\n`, 'latin1');
}

/** A head as HTTP/2 is recorded: the pseudo-fields first. */
function http2Head(method: string, authority: string, path: string, fields: readonly HeaderField[]): Buffer {
  const pseudo = [
    [':method', method],
    [':scheme', 'https'],
    [':authority', authority],
    [':path', path],
  ] as const;
  return Buffer.concat([lines([...pseudo, ...fields]), Buffer.from('\r\n')]);
}

function lines(fields: readonly HeaderField[]): Buffer {
  return Buffer.from(fields.map(([name, value]) => `${name}: ${value}\r\n`).join(''), 'latin1');
}

/** Address of an invented origin: one of the documentation range (RFC 5737), the same for the same host. */
function originAddress(host: string, port: number): string {
  const last = createHash('sha256').update(host).digest().readUInt8(0);
  return `203.0.113.${String(1 + (last % 250))}:${String(port)}`;
}

/** Microseconds since the Unix epoch. */
export interface SampleClock {
  /** When the story begins. */
  readonly startedAt: number;
  now: number;
}

/** Turns scripted exchanges into the calls that the engine would have made for them. */
export class SamplePlayer {
  readonly #tap: Tap;
  readonly #clock: SampleClock;
  #nextExchange: ExchangeId;
  #nextConnection: ConnectionId;
  readonly #clients = new Map<string, Leg>();
  readonly #origins = new Map<string, Leg>();
  readonly #frames: SampleFrames;

  constructor(tap: Tap, clock: SampleClock, firstExchangeId: ExchangeId, firstConnectionId: ConnectionId) {
    this.#tap = tap;
    this.#frames = new SampleFrames(tap);
    this.#clock = clock;
    this.#nextExchange = firstExchangeId;
    this.#nextConnection = firstConnectionId;
  }

  play(scripted: ScriptedExchange): void {
    const id = this.#nextExchange++;
    const url = new URL(scripted.url);
    const startedAt = this.#clock.startedAt + scripted.at * MILLISECOND;
    this.#clock.now = startedAt;
    const secure = url.protocol === 'https:';
    const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
    const isTunnel = scripted.kind === 'tunnel';
    const client = this.#clientLeg(scripted, url.hostname, secure && !isTunnel);
    const reached =
      scripted.error?.phase !== 'resolve' && scripted.error?.phase !== 'connect' && scripted.error?.side !== 'client';
    const origin = reached ? this.#originLeg(scripted, url.hostname, port, secure && !isTunnel) : null;
    const streams = scripted.protocol === 'h2' && origin !== null ? this.#frames.begin(client.id, origin.leg.id) : null;
    const path = scripted.url.slice(url.origin.length) || '/';
    const requestBody = scripted.body === undefined ? null : onTheWire(scripted.body);
    const fields: readonly HeaderField[] = [...(scripted.headers ?? []), ...(requestBody?.fields ?? [])];
    const host: HeaderField = ['Host', url.host];
    const target = secure ? path : `http://${url.host}${path}`;
    const proxyFields: readonly HeaderField[] = secure ? [] : [['Proxy-Connection', 'keep-alive']];
    this.#tap.begin({
      id,
      kind: scripted.kind ?? 'http',
      startedAt,
      clientConnection: client.id,
      clientStream: streams?.clientStream ?? 0,
      clientAddress: client.address,
      clientProtocol: isTunnel ? 'tls' : (scripted.protocol ?? 'http/1.1'),
      scheme: isTunnel ? 'tls' : secure ? 'https' : 'http',
      host: url.hostname,
      port,
      method: isTunnel ? '' : scripted.method,
      path: isTunnel ? '' : path,
      head: isTunnel
        ? Buffer.alloc(0)
        : scripted.protocol === 'h2'
          ? http2Head(scripted.method, url.host, path, fields)
          : head(`${scripted.method} ${target} HTTP/1.1`, [host, ...proxyFields, ...fields]),
      sentHead: isTunnel || secure ? null : head(`${scripted.method} ${path} HTTP/1.1`, [host, ...fields]),
    });
    const requestBytes = requestBody === null ? 0 : this.#body(id, 'request', requestBody.bytes, scripted.body);
    if (origin !== null) {
      this.#tap.origin(id, origin.leg.id, origin.leg.address, origin.protocol, origin.reused);
      if (streams !== null) this.#tap.originStream(id, streams.originStream);
    }
    streams?.head('request');
    const answered = this.#response(id, scripted);
    const streamed = this.#stream(id, scripted, startedAt, streams);
    if (scripted.pending === true) return;
    this.#tap.end(id, {
      timing: timing(scripted),
      requestBodyBytes: scripted.tunnelBytes?.toOrigin ?? requestBytes + streamed.request,
      responseBodyBytes: scripted.tunnelBytes?.toClient ?? answered + streamed.response,
      error: scripted.error ?? null,
      anomalies: scripted.anomalies ?? [],
      complete: scripted.error === undefined,
      sentRequestFraming: 'as-received',
      sentResponseFraming: 'as-received',
    });
  }

  /** Lets the pieces of a stream pass at their times; returns how many bytes did. */
  #stream(
    id: ExchangeId,
    scripted: ScriptedExchange,
    startedAt: number,
    frames: SampleStreams | null,
  ): Record<MessageSide, number> {
    const bytes = { request: 0, response: 0 };
    const pieces = scripted.stream ?? [];
    const lastRequest = pieces.findLast(({ side }) => side === 'request');
    for (const piece of pieces) {
      this.#clock.now = startedAt + piece.at * MILLISECOND;
      this.#tap.payload(id, piece.side, piece.bytes, 0, piece.bytes.length);
      bytes[piece.side] += piece.bytes.length;
      frames?.data(piece.side, piece.bytes.length, piece === lastRequest);
      if (piece === lastRequest) frames?.head('response');
    }
    if (scripted.streamTrailers !== undefined) {
      this.#tap.trailers(id, 'response', lines(scripted.streamTrailers));
      frames?.trailers();
    }
    return bytes;
  }

  #response(id: ExchangeId, scripted: ScriptedExchange): number {
    const { response } = scripted;
    if (response === undefined) return 0;
    for (const one of response.informational ?? []) this.#tap.informational(id, head(one.startLine, one.headers));
    const body = response.body === undefined ? null : onTheWire(response.body);
    const startLine =
      scripted.protocol === 'h2'
        ? `:status: ${String(response.status)}`
        : `HTTP/1.1 ${String(response.status)} ${response.reason}`;
    const fields = [...response.headers, ...(body?.fields ?? [])];
    const hopByHop = response.hopByHop ?? [];
    this.#tap.response(id, {
      status: response.status,
      head: head(startLine, [...fields, ...hopByHop]),
      sentHead: hopByHop.length === 0 ? null : head(startLine, fields),
    });
    return body === null ? 0 : this.#body(id, 'response', body.bytes, response.body);
  }

  /** Sends a body through the tap as a relay would have seen it; returns its payload bytes. */
  #body(id: ExchangeId, side: MessageSide, bytes: Buffer, scripted: ScriptedBody | undefined): number {
    const framing = (text: string): void => {
      const line = Buffer.from(text, 'latin1');
      this.#tap.framing(id, side, line, 0, line.length);
    };
    const chunked = scripted?.framing === 'chunked';
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const end = Math.min(at + CHUNK_BYTES, bytes.length);
      if (chunked) framing(`${(end - at).toString(16)}\r\n`);
      this.#tap.payload(id, side, bytes, at, end);
      if (chunked) framing('\r\n');
    }
    if (chunked && scripted.cutAt === undefined) {
      const trailers = (scripted.trailers ?? []).map(([name, value]) => `${name}: ${value}\r\n`).join('');
      framing(`0\r\n${trailers}\r\n`);
      if (trailers !== '') this.#tap.trailers(id, side, Buffer.from(trailers, 'latin1'));
    }
    return bytes.length;
  }

  #clientLeg(scripted: ScriptedExchange, host: string, secure: boolean): Leg {
    const key = `${scripted.client} ${scripted.protocol ?? ''} ${secure ? host : 'plain'}`;
    const known = this.#clients.get(key);
    if (known !== undefined && scripted.phases.connect === undefined) return known;
    const leg = {
      id: this.#nextConnection++,
      address: `127.0.0.1:${String(CLIENT_PORTS[scripted.client] + this.#clients.size * 2)}`,
    };
    this.#clients.set(key, leg);
    const shown = secure || scripted.error?.code === 'tls.client-untrusted';
    this.#tap.connection({
      id: leg.id,
      side: 'client',
      address: leg.address,
      protocol: scripted.kind === 'tunnel' ? 'tls' : (scripted.protocol ?? 'http/1.1'),
      tls: shown ? clientTls(scripted.client, host, known !== undefined, scripted.protocol ?? 'http/1.1') : null,
    });
    return leg;
  }

  #originLeg(scripted: ScriptedExchange, host: string, port: number, secure: boolean): UsedOrigin {
    const key = `${scripted.protocol ?? ''} ${host}:${String(port)}`;
    const known = this.#origins.get(key);
    const protocol = scripted.kind === 'tunnel' ? 'tls' : (scripted.protocol ?? 'http/1.1');
    if (known !== undefined && scripted.phases.connect === undefined) return { leg: known, protocol, reused: true };
    const leg = { id: this.#nextConnection++, address: originAddress(host, port) };
    this.#origins.set(key, leg);
    this.#tap.connection({
      id: leg.id,
      side: 'origin',
      address: leg.address,
      protocol,
      tls: secure ? originTls(host, known !== undefined, protocol) : null,
    });
    return { leg, protocol, reused: false };
  }
}

/** Phases in milliseconds become instants in microseconds since the exchange's start. */
function timing(scripted: ScriptedExchange): Timing {
  const { phases, error, response } = scripted;
  const round = (milliseconds: number): number => Math.round(milliseconds * MILLISECOND);
  let at = 0;
  const after = (duration: number | undefined): number | null => {
    if (duration === undefined) return null;
    at += duration;
    return round(at);
  };
  const dns = after(phases.dns);
  const connect = after(phases.connect);
  const tls = after(phases.tls);
  const failedEarly = error !== undefined && response === undefined;
  const sent = failedEarly && error.phase !== 'response' ? null : after(phases.send ?? 0.2);
  at += phases.wait;
  const firstByte = response === undefined ? null : round(at);
  at += phases.receive;
  // The phase that failed has no instant of its own: it lasted until the end.
  return {
    dns: error?.phase === 'resolve' ? null : dns,
    connect: error?.phase === 'connect' ? null : connect,
    tls: error?.phase === 'tls' ? null : tls,
    sent,
    firstByte,
    end: round(at),
  };
}
