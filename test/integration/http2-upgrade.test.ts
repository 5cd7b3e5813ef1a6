import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as http from 'node:http';
import * as http2 from 'node:http2';
import * as https from 'node:https';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import type { ListenerMode } from '../../proxy-engine/model/listener-mode.ts';
import { startEngine, type EngineUnderTest } from '../support/engine-kit.ts';
import { isHttp2, isSecure, openProxySession, SPEECHES, type Speech } from '../support/http-peers.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { Wire } from '../support/wire.ts';

const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const acceptOf = (key: string): string => createHash('sha1').update(`${key}${GUID}`).digest('base64');
const digest = (bytes: string): string => `${String(bytes.length)} ${createHash('sha256').update(bytes).digest('hex')}`;
const { cert, key: certificateKey } = originCertificate('localhost');

interface Origin {
  readonly port: number;
  /** Fields of each handshake, as they came. */
  readonly handshakes: Record<string, unknown>[];
  close(): void;
}

/** An origin that switches protocols, greets at once, echoes, and says goodbye when its client ends. */
async function switchingOrigin(speech: Speech, accept = acceptOf, takesConnect = true): Promise<Origin> {
  const handshakes: Record<string, unknown>[] = [];
  const sockets = new Set<Duplex>();
  const echo = (stream: Duplex): void => {
    sockets.add(stream);
    stream.on('error', () => undefined);
    stream.on('data', (bytes: Buffer) => stream.write(bytes));
    stream.on('end', () => stream.end('goodbye'));
  };
  const upgrade = (request: http.IncomingMessage, socket: Duplex, head: Buffer): void => {
    handshakes.push(request.headers);
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket'];
    lines.push(`Sec-WebSocket-Accept: ${accept(request.headers['sec-websocket-key'] ?? '')}`);
    lines.push('Sec-WebSocket-Protocol: chat', '', 'hello');
    socket.write(lines.join('\r\n'));
    socket.unshift(head);
    echo(socket);
  };
  const stream = (http2Stream: http2.ServerHttp2Stream, headers: http2.IncomingHttpHeaders): void => {
    handshakes.push(headers);
    http2Stream.respond({ ':status': 200, 'sec-websocket-protocol': 'chat' });
    http2Stream.write('hello');
    echo(http2Stream);
  };
  const settings = { settings: { enableConnectProtocol: takesConnect } };
  const tls = { cert, key: certificateKey };
  let server: Server;
  if (isHttp2(speech)) {
    server = isSecure(speech) ? http2.createSecureServer({ ...tls, ...settings }) : http2.createServer(settings);
    server.on('stream', stream);
  } else {
    server = isSecure(speech) ? https.createServer(tls) : http.createServer();
    server.on('upgrade', upgrade);
  }
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    handshakes,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function reverse(speech: Speech, port: number): ListenerMode {
  const scheme = isSecure(speech) ? 'https' : isHttp2(speech) ? 'h2c' : 'http';
  return { kind: 'reverse', scheme, host: 'localhost', port, basePath: '' };
}

interface Switched {
  readonly status: number;
  readonly fields: Record<string, unknown>;
  readonly stream: Duplex;
}

/** Asks for WebSocket as the speech does, with bytes sent along before anything is answered. */
async function ask(speech: Speech, weir: EngineUnderTest, early: string): Promise<Switched> {
  if (isHttp2(speech)) {
    const session = await openProxySession(speech, { port: weir.port, ca: weir.ca });
    await once(session, 'remoteSettings');
    expect(session.remoteSettings.enableConnectProtocol).toBe(true);
    const stream = session.request({
      ':method': 'CONNECT',
      ':protocol': 'websocket',
      ':scheme': isSecure(speech) ? 'https' : 'http',
      ':authority': 'weir.example',
      ':path': '/chat',
      'sec-websocket-version': '13',
      'sec-websocket-protocol': 'chat',
    });
    stream.write(early);
    stream.once('close', () => {
      session.destroy();
    });
    const [fields] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader];
    return { status: fields[':status'] ?? 0, fields, stream };
  }
  const plain = await Wire.connect(weir.port);
  const wire = isSecure(speech)
    ? await plain.secure({ ca: weir.ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] })
    : plain;
  wire.send(
    `GET /chat HTTP/1.1\r\nHost: weir.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${KEY}\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: chat\r\n\r\n${early}`,
  );
  const lines = (await wire.head()).split('\r\n');
  const fields = lines.slice(1).map((line) => line.split(': '));
  const [status = ''] = /\d{3}/.exec(lines[0] ?? '') ?? [];
  const stream = wire.socket;
  stream.pause();
  stream.removeAllListeners('data');
  stream.unshift(Buffer.from(wire.pending, 'latin1'));
  return {
    status: Number(status),
    fields: Object.fromEntries(fields.map(([name = '', value]) => [name.toLowerCase(), value])),
    stream,
  };
}

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function before(
  originSpeech: Speech,
  accept = acceptOf,
  takesConnect = true,
): Promise<{ weir: EngineUnderTest; origin: Origin }> {
  const origin = await switchingOrigin(originSpeech, accept, takesConnect);
  const weir = await startEngine({
    modes: [reverse(originSpeech, origin.port)],
    settings: { originCertificateAuthorities: [ORIGIN_CA] },
  });
  closers.push(
    () => weir.stop(),
    () => {
      origin.close();
    },
  );
  return { weir, origin };
}

describe.each(SPEECHES.flatMap((client) => SPEECHES.map((origin) => [client, origin] as const)))(
  'WebSocket from %s to %s',
  (speech, originSpeech) => {
    test('passes byte for byte both ways, early bytes and half-close too', async () => {
      const { weir, origin } = await before(originSpeech);
      const { status, fields, stream } = await ask(speech, weir, 'early ');
      expect([status, fields['sec-websocket-protocol']]).toEqual([isHttp2(speech) ? 200 : 101, 'chat']);
      if (!isHttp2(speech)) expect(fields['sec-websocket-accept']).toBe(acceptOf(KEY));
      const blob = 'x'.repeat(500_000);
      stream.end(blob);
      expect(digest(await text(stream))).toBe(digest(`helloearly ${blob}goodbye`));
      const [handshake] = origin.handshakes;
      expect(handshake).toMatchObject({ 'sec-websocket-version': '13', 'sec-websocket-protocol': 'chat' });
      const row = await weir.rows.only();
      expect([row.begin.kind, row.begin.path, row.end.error, row.end.complete]).toEqual([
        'websocket',
        '/chat',
        null,
        true,
      ]);
      expect(digest(row.request.toString())).toBe(digest(`early ${blob}`));
      expect(digest(row.responseBody.toString())).toBe(digest(`helloearly ${blob}goodbye`));
      expect(row.origin?.protocol).toBe(
        { h1: 'http/1.1', 'h1 tls': 'http/1.1', h2c: 'h2c', 'h2 tls': 'h2' }[originSpeech],
      );
    });

    test('ends in a reset where the other side is reset', async () => {
      const { weir } = await before(originSpeech);
      const { stream } = await ask(speech, weir, 'early');
      stream.on('error', () => undefined);
      stream.destroy();
      const row = await weir.rows.only();
      expect(row.response?.status).toBe(isHttp2(originSpeech) ? 200 : 101);
    });
  },
);

test('a handshake that the origin of HTTP/1 answers wrongly is a failure, and not the client’s', async () => {
  const { weir } = await before('h1', () => acceptOf('another'));
  const { status } = await ask('h2c', weir, '');
  expect(status).toBe(502);
  const row = await weir.rows.only();
  expect(row.end.error?.code).toBe('websocket.accept');
});

test('an origin that speaks HTTP/2 alone and takes no extended CONNECT is a clear refusal, and the client is told so no more', async () => {
  const { weir } = await before('h2c', acceptOf, false);
  const { status } = await ask('h1', weir, '');
  expect(status).toBe(502);
  const row = await weir.rows.only();
  expect(row.end.error).toMatchObject({ code: 'http2.no-extended-connect', side: 'origin' });
  const session = await openProxySession('h2c', { port: weir.port, ca: weir.ca });
  await once(session, 'remoteSettings');
  expect(session.remoteSettings.enableConnectProtocol).toBe(false);
  session.destroy();
});

test('a client of HTTP/2 gets a handshake of HTTP/1.1 made where the origin speaks both and takes no extended CONNECT', async () => {
  const server = http2.createSecureServer({ cert, key: certificateKey, allowHTTP1: true }, (request, response) => {
    response.end(request.httpVersion);
  });
  const sockets = new Set<Socket>();
  server.on('upgrade', (request: http.IncomingMessage, socket: Socket) => {
    sockets.add(socket);
    const accept = acceptOf(request.headers['sec-websocket-key'] ?? '');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\nhello`,
    );
    socket.on('data', (bytes: Buffer) => socket.write(bytes));
    socket.on('end', () => socket.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const weir = await startEngine({
    modes: [reverse('h2 tls', port)],
    settings: { originCertificateAuthorities: [ORIGIN_CA] },
  });
  const first = await openProxySession('h2 tls', { port: weir.port, ca: weir.ca });
  expect(await text(first.request({ ':path': '/' }))).toBe('2.0');
  const { status, stream } = await ask('h2 tls', weir, 'early');
  expect(status).toBe(200);
  stream.end();
  expect(await text(stream)).toBe('helloearly');
  weir.engine.flushCapture();
  expect(weir.rows.all.map(({ origin }) => origin?.protocol)).toEqual(['h2', 'http/1.1']);
  first.destroy();
  for (const socket of sockets) socket.destroy();
  await weir.stop();
  server.close();
});

test('an upgrade of HTTP/1 gets a connection of HTTP/1.1 to an origin that speaks HTTP/2 otherwise', async () => {
  const server = http2.createSecureServer({ cert, key: certificateKey, allowHTTP1: true }, (request, response) => {
    response.end(request.httpVersion);
  });
  const sockets = new Set<Socket>();
  server.on('upgrade', (_request: http.IncomingMessage, socket: Socket) => {
    sockets.add(socket);
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhello');
    socket.on('data', (bytes: Buffer) => socket.write(bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const weir = await startEngine({
    modes: [reverse('h2 tls', port)],
    settings: { originCertificateAuthorities: [ORIGIN_CA] },
  });
  const first = await openProxySession('h2 tls', { port: weir.port, ca: weir.ca });
  expect(await text(first.request({ ':path': '/' }))).toBe('2.0');
  const socket = connectTls({ port: weir.port, ca: weir.ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
  await once(socket, 'secureConnect');
  const client = new Wire(socket);
  client.send(
    `GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${KEY}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  );
  expect(await client.head()).toMatch(/^HTTP\/1\.1 101 /);
  expect(await client.until('hello')).toBe('hello');
  weir.engine.flushCapture();
  expect(weir.rows.all.map(({ origin }) => origin?.protocol)).toEqual(['h2', 'http/1.1']);
  client.end();
  first.destroy();
  for (const each of sockets) each.destroy();
  await weir.stop();
  server.close();
});
