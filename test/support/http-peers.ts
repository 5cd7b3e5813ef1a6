import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import * as http from 'node:http';
import * as http2 from 'node:http2';
import * as https from 'node:https';
import { connect as connectTcp, type AddressInfo, type Server, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { originCertificate } from './origin-certificates.ts';

/** What a peer speaks, on either leg. */
export type Speech = 'h1' | 'h1 tls' | 'h2c' | 'h2 tls';
export const SPEECHES: readonly Speech[] = ['h1', 'h1 tls', 'h2c', 'h2 tls'];

export const isHttp2 = (speech: Speech): boolean => speech.startsWith('h2');
export const isSecure = (speech: Speech): boolean => speech.endsWith('tls');

export interface PeerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly trailers: Readonly<Record<string, string | undefined>>;
}

export interface PeerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly trailers: Readonly<Record<string, string | undefined>>;
  readonly informational: readonly number[];
}

export interface PeerOrigin {
  readonly port: number;
  readonly seen: PeerRequest[];
  /** Sessions of HTTP/2, as they came. */
  readonly sessions: http2.ServerHttp2Session[];
  close(): Promise<void>;
}

/** Requests and responses of either of Node's two HTTP modules, which are alike as far as is needed here. */
type AnyRequest = http.IncomingMessage;
type AnyResponse = http.ServerResponse;
type OwnHandler = (request: AnyRequest, response: AnyResponse) => boolean;

const { cert, key } = originCertificate('localhost');

/** Starts an origin that answers by its paths; `own` may take a request first by returning true. */
export async function startOrigin(speech: Speech, own: OwnHandler = () => false): Promise<PeerOrigin> {
  const seen: PeerRequest[] = [];
  const sessions: http2.ServerHttp2Session[] = [];
  const sockets = new Set<Socket>();
  const handle = (request: AnyRequest, response: AnyResponse): void => {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    if (own(request, response) || misbehave(request, response)) return;
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      const { method = '', url = '', headers } = request;
      seen.push({ method, path: url, headers, body, trailers: request.trailers });
      answer(url, method, body, request, response);
    });
  };
  const server = listen(speech, handle);
  server.on('session', (session: http2.ServerHttp2Session) => {
    sessions.push(session);
    session.on('error', () => undefined);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    sessions,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function listen(speech: Speech, handle: (request: AnyRequest, response: AnyResponse) => void): Server {
  const alike = handle as unknown as (request: http2.Http2ServerRequest, response: http2.Http2ServerResponse) => void;
  switch (speech) {
    case 'h1':
      return http.createServer(handle);
    case 'h1 tls':
      return https.createServer({ cert, key }, handle);
    case 'h2c':
      return http2.createServer(alike);
    case 'h2 tls':
      return http2.createSecureServer({ cert, key }, alike);
  }
}

/** Answers by paths for which the request's body does not matter, or whose answers do not end well. */
function misbehave(request: AnyRequest, response: AnyResponse): boolean {
  const stream = (response as unknown as { stream?: http2.ServerHttp2Stream }).stream;
  switch (request.url) {
    case '/early':
      request.resume();
      response.writeHead(413, { 'content-type': 'text/plain', 'x-early': 'yes' });
      response.end('too much already');
      return true;
    case '/never':
      return true;
    case '/reset':
      response.writeHead(200, { 'content-length': '10' });
      response.write('half');
      if (stream === undefined) setImmediate(() => request.socket.destroy());
      else
        setImmediate(() => {
          stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
        });
      return true;
    case '/goaway':
      stream?.session?.goaway(http2.constants.NGHTTP2_NO_ERROR, stream.id);
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end('the last one on this connection');
      return true;
    default:
      return false;
  }
}

const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The body that `/large` answers with. */
export const LARGE = Buffer.alloc(1_000_000, 'weir flows on and on; ');

function answer(url: string, method: string, body: Buffer, request: AnyRequest, response: AnyResponse): void {
  switch (url) {
    case '/large':
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': String(LARGE.length) });
      response.end(LARGE);
      break;
    case '/trailers':
      response.writeHead(200, { trailer: 'x-sum', 'content-type': 'text/plain' });
      response.write('with trailers');
      response.addTrailers({ 'x-sum': digest(body), 'x-asked': request.trailers['x-ask'] ?? 'nothing' });
      response.end();
      break;
    case '/not-modified':
      response.writeHead(304, { etag: '"v1"' });
      response.end();
      break;
    case '/no-content':
      response.writeHead(204);
      response.end();
      break;
    case '/hints':
      response.writeEarlyHints({ link: '</style.css>; rel=preload' });
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end('hinted');
      break;
    default:
      response.writeHead(200, { 'content-type': 'text/plain', 'x-method': method, 'set-cookie': ['a=1', 'b=2'] });
      response.end(`${method} ${url} ${digest(body)}`);
  }
}

export interface PeerAsk {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
  readonly trailers?: Record<string, string>;
  /** The body is not ended: the answer has to come before. */
  readonly keepsOpen?: boolean;
  /** Gives up once this is resolved, by a reset. */
  readonly cancelOn?: Promise<unknown>;
}

/** A client on one connection of HTTP/2, or one a request of HTTP/1. */
export interface PeerClient {
  ask(what: PeerAsk): Promise<PeerAnswer>;
  /** Of HTTP/2 only. */
  readonly session: http2.ClientHttp2Session | null;
  close(): void;
}

/** Where a client connects: straight to a port, or through a tunnel of the proxy on `port`. */
export interface PeerPlace {
  readonly port: number;
  readonly tunnelTo?: number;
  /** What the proxy is spoken to for the tunnel; `h1` by default. */
  readonly proxyBy?: Speech;
  /** Port of an origin of plain HTTP that the proxy on `port` is asked for by absolute requests. */
  readonly absoluteTo?: number;
  /** A client of HTTP/2 offers nothing else by ALPN. */
  readonly http2Only?: boolean;
  readonly ca: string;
}

/** Opens a client of one speech. */
export async function openClient(speech: Speech, place: PeerPlace): Promise<PeerClient> {
  const authority = `localhost:${String(place.tunnelTo ?? place.absoluteTo ?? place.port)}`;
  const open = async (): Promise<Duplex> => secured(speech, place, await openTcp(place));
  const absolute = place.absoluteTo === undefined ? '' : `http://${authority}`;
  if (!isHttp2(speech)) {
    const asking = async (what: PeerAsk): Promise<PeerAnswer> =>
      askHttp1(await open(), authority, { ...what, path: absolute + what.path });
    return { ask: asking, session: null, close: () => undefined };
  }
  const socket = await open();
  const scheme = isSecure(speech) && absolute === '' ? 'https' : 'http';
  const session = http2.connect(`${scheme}://${authority}`, { createConnection: () => socket });
  session.on('error', () => undefined);
  return {
    ask: (what) => askHttp2(session, what),
    session,
    close: () => {
      session.destroy();
      socket.destroy();
    },
  };
}

/** A connection to a proxy by HTTP/2, and a way to have tunnels of it. */
export async function openProxySession(speech: Speech, place: PeerPlace): Promise<http2.ClientHttp2Session> {
  const socket = await secured(speech, place, await connectTo(place.port));
  const session = http2.connect(`${isSecure(speech) ? 'https' : 'http'}://localhost:${String(place.port)}`, {
    createConnection: () => socket,
  });
  session.on('error', () => undefined);
  return session;
}

/** CONNECT on a stream (RFC 9113 §8.5). */
export function tunnelOver(session: http2.ClientHttp2Session, authority: string): Promise<http2.ClientHttp2Stream> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': 'CONNECT', ':authority': authority });
    stream.once('error', reject);
    stream.once('response', ({ ':status': status }) => {
      if (status === 200) resolve(stream);
      else reject(new Error(`CONNECT was answered ${String(status)}`));
    });
  });
}

function connectTo(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectTcp(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('connect', () => {
      resolve(socket);
    });
  });
}

async function openTcp(place: PeerPlace): Promise<Duplex> {
  const { port, tunnelTo, proxyBy = 'h1' } = place;
  if (tunnelTo === undefined) return connectTo(port);
  const name = `localhost:${String(tunnelTo)}`;
  if (isHttp2(proxyBy)) {
    const session = await openProxySession(proxyBy, place);
    const stream = await tunnelOver(session, name);
    stream.once('close', () => {
      session.destroy();
    });
    return stream;
  }
  const socket = await connectTo(port);
  socket.write(`CONNECT ${name} HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
  await once(socket, 'data');
  return socket;
}

function secured(speech: Speech, { ca, http2Only = false }: PeerPlace, socket: Duplex): Promise<Duplex> {
  if (!isSecure(speech)) return Promise.resolve(socket);
  return new Promise((resolve, reject) => {
    const ALPNProtocols = !isHttp2(speech) ? ['http/1.1'] : http2Only ? ['h2'] : ['h2', 'http/1.1'];
    const secure: TLSSocket = connectTls({ socket, servername: 'localhost', ca, ALPNProtocols }, () => {
      resolve(secure);
    });
    secure.once('error', reject);
  });
}

function askHttp1(socket: Duplex, authority: string, what: PeerAsk): Promise<PeerAnswer> {
  return new Promise((resolve, reject) => {
    const informational: number[] = [];
    const trailing = what.trailers === undefined ? {} : { trailer: Object.keys(what.trailers).join(', ') };
    const request = http.request({
      createConnection: () => socket,
      method: what.method ?? 'GET',
      path: what.path,
      headers: { host: authority, ...what.headers, ...trailing },
    });
    request.on('information', ({ statusCode }) => informational.push(statusCode));
    request.on('error', reject);
    request.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers, trailers } = response;
        resolve({ status, headers, body: Buffer.concat(parts), trailers, informational });
        socket.destroy();
      });
    });
    void what.cancelOn?.then(() => {
      socket.destroy();
    });
    if (what.trailers !== undefined) request.addTrailers(what.trailers);
    if (what.keepsOpen === true) request.write(what.body);
    else request.end(what.body);
  });
}

function askHttp2(session: http2.ClientHttp2Session, what: PeerAsk): Promise<PeerAnswer> {
  return new Promise((resolve, reject) => {
    const headers = { ':method': what.method ?? 'GET', ':path': what.path, ...what.headers };
    const endStream = what.body === undefined && what.trailers === undefined;
    const stream = session.request(headers, { endStream, waitForTrailers: what.trailers !== undefined });
    const informational: number[] = [];
    const parts: Buffer[] = [];
    let head: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {};
    let trailers: Record<string, string | undefined> = {};
    stream.on('wantTrailers', () => {
      stream.sendTrailers(what.trailers ?? {});
    });
    stream.on('headers', (fields: http2.IncomingHttpStatusHeader) => informational.push(fields[':status'] ?? 0));
    stream.on('response', (fields) => {
      head = fields;
    });
    stream.on('trailers', (fields) => {
      trailers = fields as Record<string, string | undefined>;
    });
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('error', reject);
    stream.on('close', () => {
      const { [':status']: status = 0, ...fields } = head;
      if (stream.rstCode !== 0) reject(new Error(`reset ${String(stream.rstCode)}`));
      else resolve({ status, headers: fields, body: Buffer.concat(parts), trailers, informational });
    });
    void what.cancelOn?.then(() => {
      stream.close(http2.constants.NGHTTP2_CANCEL);
    });
    stream.on('end', () => {
      if (what.keepsOpen === true) stream.close();
    });
    if (what.keepsOpen === true) stream.write(what.body);
    else if (!endStream) stream.end(what.body);
  });
}
