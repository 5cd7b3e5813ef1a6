import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Agent, request } from 'node:https';
import { connect, createServer as createTcpServer, type AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEngine, type EngineUnderTest } from '../support/engine-kit.ts';
import { field } from '../support/http2-frames.ts';
import { Http2Wire } from '../support/http2-wire.ts';
import { SeededRandom } from '../support/seeded-random.ts';

/*
 * What TLS and HTTP/2 bring in pieces is gathered in memory that all connections share, and rooms of reads go round: bodies of
 * many sizes at once, on connections that stay and to readers that rest, arrive and are recorded as they were sent.
 */

const SIZES = [1, 4_095, 4_097, 16_383, 16_384, 40_000, 65_535, 65_536, 65_537, 150_000, 300_000, 1_200_000];
const ROUNDS = 3;

let weir: EngineUnderTest;
let origin: Server;
let agent: Agent;
let session: ClientHttp2Session;

function numbered(size: number, seed: number): Buffer {
  const random = new SeededRandom(seed);
  const bytes = Buffer.alloc(size);
  for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE(random.below(0x7fff_ffff), at);
  return bytes;
}

const NOTHING = Buffer.alloc(0);

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Reads a body, resting after each piece where `rest` says so. */
async function readBody(body: AsyncIterable<Buffer>, rest: boolean): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of body) {
    parts.push(part);
    if (rest) await pause(1);
  }
  return Buffer.concat(parts);
}

beforeEach(async () => {
  // Answers with a body of the asked size, and says what hash the request's had.
  origin = createServer((incoming: IncomingMessage, response) => {
    const [, size = '0', seed = '0', rest = ''] = (incoming.url ?? '').split('/');
    void readBody(incoming, rest === 'rest').then((body) => {
      response.setHeader('X-Got', sha256(body));
      if (Number(seed) % 2 === 0) response.setHeader('Content-Length', size);
      response.end(numbered(Number(size), Number(seed) + 1_000));
    });
  });
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const { port } = origin.address() as AddressInfo;
  weir = await startEngine({
    modes: [{ kind: 'reverse', scheme: 'http', host: '127.0.0.1', port, basePath: '' }],
  });
  agent = new Agent({ keepAlive: true, maxSockets: 3, rejectUnauthorized: false });
  session = connectHttp2(`https://localhost:${String(weir.port)}`, { rejectUnauthorized: false });
});

afterEach(async () => {
  agent.destroy();
  session.destroy();
  await weir.stop();
  origin.close();
  origin.closeAllConnections();
});

async function byHttp1(size: number, seed: number, rest: boolean): Promise<void> {
  const body = numbered(size, seed);
  const path = `/${String(size)}/${String(seed)}/${rest ? 'rest' : ''}`;
  const outgoing = request({ host: 'localhost', port: weir.port, path, method: 'PUT', agent });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  expect(response.headers['x-got']).toBe(sha256(body));
  expect(sha256(await readBody(response, rest))).toBe(sha256(numbered(size, seed + 1_000)));
}

async function byHttp2(size: number, seed: number, rest: boolean): Promise<void> {
  const body = numbered(size, seed);
  const path = `/${String(size)}/${String(seed)}/${rest ? 'rest' : ''}`;
  const length = seed % 2 === 0 ? { 'content-length': String(size) } : {};
  const stream = session.request({ ':method': 'PUT', ':path': path, ...length });
  stream.end(body);
  const [head] = (await once(stream, 'response')) as [Record<string, string>];
  expect(head['x-got']).toBe(sha256(body));
  expect(sha256(await readBody(stream, rest))).toBe(sha256(numbered(size, seed + 1_000)));
}

test.each([
  ['HTTP/1.1 over TLS', byHttp1],
  ['HTTP/2 over TLS', byHttp2],
])('bodies of %s, many at once and some at rest, arrive and are recorded as they were sent', async (_name, ask) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all(SIZES.map((size, at) => ask(size, round * 100 + at, at % 3 === round)));
  }
  const rows = await weir.rows.ended(SIZES.length * ROUNDS);
  for (const row of rows) {
    const [, size = '0', seed = '0'] = row.begin.path.split('/');
    expect(sha256(row.request)).toBe(sha256(numbered(Number(size), Number(seed))));
    expect(sha256(row.responseBody)).toBe(sha256(numbered(Number(size), Number(seed) + 1_000)));
  }
});

test('both protocols at once share what they gather in and disturb each other nowhere', async () => {
  await Promise.all(
    SIZES.flatMap((size, at) => [byHttp1(size, at, at % 4 === 0), byHttp2(size, at + 500, at % 4 === 1)]),
  );
  expect(await weir.rows.ended(SIZES.length * 2)).toHaveLength(SIZES.length * 2);
});

test('frames for a client that takes nothing for a while wait as they were, whatever else is gathered meanwhile', async () => {
  // Between them stands somebody who stops reading from Weir after the first bytes of answers.
  const between = createTcpServer((client) => {
    const far = connect({ host: '127.0.0.1', port: weir.port });
    client.pipe(far).pipe(client);
    let taken = 0;
    far.on('data', (bytes) => {
      taken += bytes.length;
      if (taken < 100_000 || taken > 150_000) return;
      far.unpipe(client).pause();
      setTimeout(() => {
        far.pipe(client);
      }, 300);
    });
    far.on('error', () => client.destroy());
    client.on('error', () => far.destroy());
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  const { port } = between.address() as AddressInfo;
  const quick = session;
  const window = 16_777_216;
  session = connectHttp2(`https://localhost:${String(port)}`, {
    rejectUnauthorized: false,
    settings: { initialWindowSize: window },
  });
  await once(session, 'connect');
  session.setLocalWindowSize(window);
  try {
    const slow = Array.from({ length: 8 }, (_, at) => byHttp2(1_200_000, at, false));
    await pause(100);
    await Promise.all([...slow, ...SIZES.map((size, at) => byHttp1(size, at + 100, false))]);
  } finally {
    session.destroy();
    session = quick;
    between.close();
  }
});

test('parts of uploads that came in full records wait for their write as they were, whatever is read meanwhile', async () => {
  const socket = connectTls({ port: weir.port, host: 'localhost', ALPNProtocols: ['h2'], rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const client = new Http2Wire('client', socket);
  const bodies = Array.from({ length: 6 }, (_, at) => numbered(60_000 + at, at));
  for (let round = 0; round < 4; round += 1) {
    const streams = bodies.map((body, at) => {
      const head = [field(':method', 'PUT'), field(':scheme', 'https'), field(':authority', 'localhost')];
      const stream = client.request(
        [...head, field(':path', `/1/${String(at)}/`), field('content-length', String(body.length))],
        false,
      );
      client.data(stream, body.toString('latin1'), true);
      return stream;
    });
    for (const [at, stream] of streams.entries()) {
      const { head } = await client.next('head', stream.id);
      expect(head.fields).toContainEqual(
        expect.objectContaining({ name: 'x-got', value: sha256(bodies[at] ?? NOTHING) }),
      );
      await client.body(stream.id);
    }
  }
  client.close();
});
