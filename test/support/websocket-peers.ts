import { once } from 'node:events';
import * as http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import * as ws from 'ws';
import type { PerMessageDeflateOptions, WebSocket } from 'ws';
import { isHttp2, openProxySession, type Speech } from './http-peers.ts';

/*
 * WebSocket peers of the `ws` library over HTTP/1 (RFC 6455 §4) and over a stream of HTTP/2 (RFC 8441), for which the library has
 * frames and extensions but no handshake: that is made here.
 */

const MAX_PAYLOAD = 2 ** 26;

/** Whether messages are deflated, and how. */
export type Deflating = PerMessageDeflateOptions | false;

/** Of the library's own parts, what its types leave out. */
interface Deflate {
  offer(): Params;
  accept(offers: readonly Params[]): Params;
}
type Params = Readonly<Record<string, unknown>>;
interface Parts {
  readonly PerMessageDeflate: (new (options: Readonly<Record<string, unknown>>) => Deflate) & { extensionName: string };
  readonly extension: {
    format(extensions: Readonly<Record<string, readonly Params[]>>): string;
    parse(header: string): Record<string, Params[] | undefined>;
  };
}
type BareSocket = new (address: null, protocols: undefined, options: Readonly<Record<string, unknown>>) => WebSocket;
interface OpenSocket {
  _isServer: boolean;
  _extensions: Record<string, Deflate>;
  setSocket(stream: Duplex, head: Buffer, options: { maxPayload: number; allowSynchronousEvents: boolean }): void;
}
const { PerMessageDeflate, extension } = ws as unknown as Parts;
const EXTENSION = PerMessageDeflate.extensionName;

export interface WebSocketOrigin {
  readonly port: number;
  /** The next connection. */
  accepted(): Promise<WebSocket>;
  close(): void;
}

/** An origin that takes WebSockets, deflated where clients offer it. */
export async function startWebSocketOrigin(speech: Speech): Promise<WebSocketOrigin> {
  return isHttp2(speech) ? http2Origin() : http1Origin();
}

async function http1Origin(): Promise<WebSocketOrigin> {
  const server = new ws.WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    perMessageDeflate: { threshold: 0 },
    maxPayload: MAX_PAYLOAD,
  });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    accepted: async () => ((await once(server, 'connection')) as [WebSocket])[0],
    close() {
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}

async function http2Origin(): Promise<WebSocketOrigin> {
  const server = http2.createServer({ settings: { enableConnectProtocol: true } });
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on('session', (session) => sessions.add(session.on('error', () => undefined)));
  server.on('stream', (stream, headers) => {
    const [offer] = deflatesIn(headers['sec-websocket-extensions']);
    const deflate = new PerMessageDeflate({ threshold: 0, isServer: true, maxPayload: MAX_PAYLOAD });
    const taken = offer === undefined ? null : deflate.accept([offer]);
    stream.respond({
      ':status': 200,
      ...(taken === null ? {} : { 'sec-websocket-extensions': extension.format({ [EXTENSION]: [taken] }) }),
    });
    server.emit('accepted', overStream(stream, true, taken === null ? null : deflate));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    accepted: async () => ((await once(server, 'accepted')) as [WebSocket])[0],
    close() {
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
}

/** Opens a WebSocket at a listener of Weir. */
export async function connectWebSocket(
  speech: Speech,
  port: number,
  path: string,
  deflating: Deflating,
): Promise<WebSocket> {
  if (!isHttp2(speech)) {
    const client = new ws.WebSocket(`ws://127.0.0.1:${String(port)}${path}`, {
      perMessageDeflate: deflating,
      maxPayload: MAX_PAYLOAD,
    });
    await once(client, 'open');
    return client;
  }
  const session = await openProxySession(speech, { port, ca: '' });
  await once(session, 'remoteSettings');
  const deflate = new PerMessageDeflate({ ...(deflating === false ? {} : deflating), maxPayload: MAX_PAYLOAD });
  const stream = session.request({
    ':method': 'CONNECT',
    ':protocol': 'websocket',
    ':scheme': 'http',
    ':authority': 'weir.example',
    ':path': path,
    'sec-websocket-version': '13',
    ...(deflating === false
      ? {}
      : { 'sec-websocket-extensions': extension.format({ [EXTENSION]: [deflate.offer()] }) }),
  });
  stream.once('close', () => {
    session.close();
  });
  const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders];
  const answers = deflatesIn(headers['sec-websocket-extensions']);
  if (answers.length > 0) deflate.accept(answers);
  return overStream(stream, false, answers.length > 0 ? deflate : null);
}

/** What a handshake says about deflate; nothing where it says nothing. */
function deflatesIn(field: string | string[] | undefined): readonly Params[] {
  return field === undefined ? [] : (extension.parse(String(field))[EXTENSION] ?? []);
}

function overStream(stream: Duplex, isServer: boolean, deflate: Deflate | null): WebSocket {
  const socket = new (ws.WebSocket as unknown as BareSocket)(null, undefined, { autoPong: true, closeTimeout: 30_000 });
  const open = socket as unknown as OpenSocket;
  open._isServer = isServer;
  if (deflate !== null) open._extensions = { [EXTENSION]: deflate };
  open.setSocket(stream, Buffer.alloc(0), { maxPayload: MAX_PAYLOAD, allowSynchronousEvents: true });
  return socket;
}
