import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import * as http2 from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import type { ListenerMode } from '../../proxy-engine/model/listener-mode.ts';
import { startRecordingWeir } from '../support/recording-weir.ts';
import type { RecordingWeir } from '../support/recording-weir.ts';
import { closePayload, frame, MASK } from '../support/websocket-frames.ts';
import { Wire, WireServer } from '../support/wire.ts';

/*
 * Messages that HTTP/2 carries on one leg or both, and calls of gRPC, through a real engine into a real store.
 */

const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function weirInFrontOf(mode: ListenerMode): Promise<RecordingWeir> {
  const recording = await startRecordingWeir({ modes: [mode] });
  closers.push(() => recording.stop());
  return recording;
}

/** Answers a request over the stream of both directions; heads go out by `respond`. */
type Answer<Stream extends Duplex> = (stream: Stream, respond: (fields: Record<string, string>) => void) => void;

async function h2cOrigin(onStream: Answer<http2.ServerHttp2Stream>): Promise<ListenerMode> {
  const server = http2.createServer({ settings: { enableConnectProtocol: true } });
  const sessions = new Set<http2.ServerHttp2Session>();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream) => {
    onStream(stream, (fields) => {
      stream.respond({ ':status': 200, ...fields });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { kind: 'reverse', scheme: 'h2c', host: '127.0.0.1', port, basePath: '' };
}

async function httpOrigin(onStream: Answer<Duplex>): Promise<ListenerMode> {
  const server = createServer((request, response) => {
    onStream(Duplex.from({ readable: request, writable: response }), (fields) => {
      response.writeHead(200, fields);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { kind: 'reverse', scheme: 'http', host: '127.0.0.1', port, basePath: '' };
}

function h2cClient(recording: RecordingWeir): http2.ClientHttp2Session {
  const session = http2.connect(`http://127.0.0.1:${String(recording.weir.port)}`);
  session.on('error', () => undefined);
  closers.push(() => {
    session.destroy();
  });
  return session;
}

const GREETING = frame({ opcode: 1, payload: 'from the origin' });
const QUESTION = frame({ opcode: 1, payload: 'from the client', mask: MASK });
const GOODBYE = frame({ opcode: 8, payload: closePayload(1_000) });

/** Answers an extended CONNECT, greets, and ends when a whole question came. */
function talk(stream: http2.ServerHttp2Stream): void {
  let received = 0;
  stream.on('error', () => undefined);
  stream.respond({ ':status': 200 });
  stream.write(GREETING);
  stream.on('data', (bytes: Buffer) => {
    received += bytes.length;
    if (received === QUESTION.length) stream.end(GOODBYE);
  });
}

async function expectTalk(recording: RecordingWeir): Promise<void> {
  const { id } = await recording.until(({ messages }) => messages === 3);
  const messages = await recording.messages(id);
  expect(
    messages.map(({ summary, payload }) => `${summary.side} ${summary.kind} ${payload.toString('latin1')}`).toSorted(),
  ).toEqual(['request text from the client', 'response close \x03\xe8', 'response text from the origin']);
  expect(messages.flatMap(({ summary }) => summary.anomalies)).toEqual([]);
}

describe('a WebSocket over HTTP/2', () => {
  test('by HTTP/1.1 on the client leg and extended CONNECT on the origin leg', async () => {
    const recording = await weirInFrontOf(await h2cOrigin(talk));
    const client = await Wire.connect(recording.weir.port);
    client.send(
      'GET /live HTTP/1.1\r\nHost: live.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    expect(await client.head()).toMatch(/^HTTP\/1\.1 101 /);
    client.send(QUESTION);
    expect((await client.bytes(GREETING.length)).equals(GREETING)).toBe(true);
    await expectTalk(recording);
    client.reset();
  });

  test('by extended CONNECT on both legs', async () => {
    const recording = await weirInFrontOf(await h2cOrigin(talk));
    const session = h2cClient(recording);
    await once(session, 'remoteSettings');
    const stream = session.request(
      {
        ':method': 'CONNECT',
        ':protocol': 'websocket',
        ':scheme': 'http',
        ':path': '/live',
        ':authority': 'live.test',
      },
      { endStream: false },
    );
    stream.on('error', () => undefined);
    stream.write(QUESTION);
    await once(stream, 'response');
    stream.resume();
    await expectTalk(recording);
  });

  test('by extended CONNECT on the client leg and HTTP/1.1 on the origin leg', async () => {
    const origin = await WireServer.listen();
    closers.push(() => origin.close());
    const recording = await weirInFrontOf({
      kind: 'reverse',
      scheme: 'http',
      host: '127.0.0.1',
      port: origin.port,
      basePath: '',
    });
    const session = h2cClient(recording);
    await once(session, 'remoteSettings');
    const stream = session.request(
      {
        ':method': 'CONNECT',
        ':protocol': 'websocket',
        ':scheme': 'http',
        ':path': '/live',
        ':authority': 'live.test',
      },
      { endStream: false },
    );
    stream.on('error', () => undefined);
    const server = await origin.next();
    const head = await server.head();
    const key = /sec-websocket-key: *(\S+)/i.exec(head)?.[1] ?? '';
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
    server.send(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    await once(stream, 'response');
    stream.resume();
    stream.write(QUESTION);
    await server.bytes(QUESTION.length);
    server.send(Buffer.concat([GREETING, GOODBYE]));
    await expectTalk(recording);
  });
});

test('a gRPC call over h2c is stored message by message, with the status of its trailers', async () => {
  const message = (payload: Buffer): Buffer => {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(payload.length, 1);
    return Buffer.concat([prefix, payload]);
  };
  const sent = Array.from({ length: 300 }, (_, index) => Buffer.alloc(index * 7, index % 251));
  const recording = await weirInFrontOf(
    await h2cOrigin((stream) => {
      stream.on('error', () => undefined);
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => {
        stream.sendTrailers({ 'grpc-status': '5', 'grpc-message': 'not here' });
      });
      const received: Buffer[] = [];
      stream.on('data', (bytes: Buffer) => received.push(bytes));
      // The same messages back, in pieces of an odd size.
      stream.on('end', () => {
        const bytes = Buffer.concat(received);
        for (let at = 0; at < bytes.length; at += 997) stream.write(bytes.subarray(at, at + 997));
        stream.end();
      });
    }),
  );
  const stream = h2cClient(recording).request({
    ':method': 'POST',
    ':path': '/weir.Test/Echo',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  for (const payload of sent) stream.write(message(payload));
  stream.end();
  stream.resume();
  const [trailers] = (await once(stream, 'trailers')) as [http2.IncomingHttpHeaders];
  expect(trailers['grpc-status']).toBe('5');

  const row = await recording.until(({ state }) => state !== 'active');
  expect([row.grpcStatus, row.messages]).toEqual([5, 600]);
  const messages = await recording.messages(row.id);
  for (const side of ['request', 'response'] as const) {
    const payloads = messages.filter(({ summary }) => summary.side === side).map(({ payload }) => payload);
    expect(payloads.length).toBe(sent.length);
    expect(payloads.every((payload, index) => payload.equals(sent[index] ?? Buffer.alloc(1)))).toBe(true);
  }
});

test.each([
  ['HTTP/2', h2cOrigin],
  ['HTTP/1.1', httpOrigin],
])(
  'a stream of Connect over %s is stored message by message, with the code that it ended by',
  async (_name, listen) => {
    const envelope = (flags: number, payload: Buffer | string): Buffer => {
      const prefix = Buffer.from([flags, 0, 0, 0, 0]);
      prefix.writeUInt32BE(Buffer.byteLength(payload), 1);
      return Buffer.concat([prefix, Buffer.from(payload)]);
    };
    const end = '{"error":{"code":"resource_exhausted","message":"enough"}}';
    const answers = Array.from({ length: 100 }, (_, n) => JSON.stringify({ n, text: 'x'.repeat(n * 11) }));
    const body = Buffer.concat([
      ...answers.map((text, n) => (n % 2 === 0 ? envelope(0, text) : envelope(1, gzipSync(text)))),
      envelope(2, end),
    ]);
    const recording = await weirInFrontOf(
      await listen((stream, respond) => {
        stream.on('error', () => undefined);
        stream.resume().on('end', () => {
          respond({ 'content-type': 'application/connect+json', 'connect-content-encoding': 'gzip' });
          for (let at = 0; at < body.length; at += 997) stream.write(body.subarray(at, at + 997));
          stream.end();
        });
      }),
    );
    const call = h2cClient(recording).request({
      ':method': 'POST',
      ':path': '/shop.v1.Stock/Watch',
      'content-type': 'application/connect+json',
      'connect-protocol-version': '1',
    });
    call.end(envelope(0, '{"sku":"1042"}'));
    const received: Buffer[] = [];
    for await (const bytes of call) received.push(bytes as Buffer);
    expect(Buffer.concat(received).equals(body)).toBe(true);

    const row = await recording.until(({ state }) => state !== 'active');
    expect(row).toMatchObject({ status: 200, grpcStatus: 8, messages: 102, anomalies: [] });
    const messages = await recording.messages(row.id);
    const told = messages.map(({ summary, payload }) => `${summary.side} ${summary.kind} ${payload.toString()}`);
    expect(told).toEqual([
      'request text {"sku":"1042"}',
      ...answers.map((text) => `response text ${text}`),
      `response end-stream ${end}`,
    ]);
    expect(messages.at(-1)?.summary.facts).toEqual({ code: 'resource_exhausted', message: 'enough' });
  },
);
