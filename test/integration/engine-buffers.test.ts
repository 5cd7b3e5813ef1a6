import { createHash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEngine, type EngineUnderTest } from '../support/engine-kit.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { Wire, WireServer } from '../support/wire.ts';

/*
 * Buffers of bulk bodies are read into again once what they carried was sent: whatever else is under way must not notice.
 */

const MEBIBYTE = 1_048_576;

let weir: EngineUnderTest;
let origin: WireServer;

beforeEach(async () => {
  weir = await startEngine();
  origin = await WireServer.listen();
});

afterEach(async () => {
  await origin.close();
  await weir.stop();
});

function numbered(size: number, seed: number): Buffer {
  const random = new SeededRandom(seed);
  const bytes = Buffer.allocUnsafe(size);
  for (let at = 0; at + 4 <= size; at += 4) bytes.writeUInt32LE(random.below(0x7fff_ffff), at);
  return bytes;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function request(method: string, rest: string): string {
  return `${method} http://127.0.0.1:${String(origin.port)}/ HTTP/1.1\r\nHost: x\r\n${rest}\r\n`;
}

test('six bulk bodies each way at once, some chunked and some to slow readers, arrive and are recorded as sent', async () => {
  const size = 6 * MEBIBYTE;
  const count = 6;
  const serve = async (): Promise<void> => {
    const server = await origin.next();
    // Connections come in any order; the request says whose it is.
    const mine = Number(/Number: (\d+)/.exec(await server.head())?.[1]);
    expect(sha256(await server.bytes(size))).toBe(sha256(numbered(size, mine + 1)));
    const isChunked = mine % 2 === 1;
    const framing = isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${String(size)}`;
    server.send(
      `HTTP/1.1 200 OK\r\nConnection: close\r\n${framing}\r\n\r\n${isChunked ? `${size.toString(16)}\r\n` : ''}`,
    );
    server.send(numbered(size, mine + 101));
    if (isChunked) server.send('\r\n0\r\n\r\n');
  };
  /** A slow reader takes nothing until `others` are done, so that its body waits in Weir while rooms go round. */
  const ask = async (n: number, others: Promise<unknown> | null): Promise<void> => {
    const client = await Wire.connect(weir.port);
    client.send(request('PUT', `Content-Length: ${String(size)}\r\nNumber: ${String(n)}\r\n`));
    client.send(numbered(size, n + 1));
    await client.head();
    if (n % 2 === 1) await client.until('\r\n');
    if (others !== null) {
      client.socket.pause();
      await others;
      client.socket.resume();
    }
    expect(sha256(await client.bytes(size))).toBe(sha256(numbered(size, n + 101)));
  };
  const numbers = Array.from({ length: count }, (_, n) => n);
  const served = numbers.map(serve);
  const quick = Promise.all(numbers.filter((n) => n % 3 !== 0).map((n) => ask(n, null)));
  const slow = numbers.filter((n) => n % 3 === 0).map((n) => ask(n, quick));
  await Promise.all([...served, quick, ...slow]);
  const rows = await weir.rows.ended(count);
  const ups = new Set(Array.from({ length: count }, (_, n) => sha256(numbered(size, n + 1))));
  const downs = new Set(Array.from({ length: count }, (_, n) => sha256(numbered(size, n + 101))));
  for (const row of rows) {
    expect(ups.delete(sha256(row.request))).toBe(true);
    expect(downs.delete(sha256(row.responseBody))).toBe(true);
  }
});

test('a changed head takes the place of the one that came, and neither its body nor what comes later is damaged', async () => {
  const sizes = [12, 20_000, 65_000, 200_000];
  const client = await Wire.connect(weir.port);
  let server: Wire | null = null;
  for (const [n, size] of [...sizes, ...sizes].entries()) {
    client.send(request('GET', ''));
    server ??= await origin.next();
    await server.head();
    const head = `HTTP/1.1 200 OK\r\nConnection: x-hop\r\nX-Hop: ${String(n)}\r\nContent-Length: ${String(size)}\r\n\r\n`;
    server.send(Buffer.concat([Buffer.from(head), numbered(size, n + 1)]));
    expect(await client.head()).toBe(`HTTP/1.1 200 OK\r\nContent-Length: ${String(size)}\r\n\r\n`);
    expect(sha256(await client.bytes(size))).toBe(sha256(numbered(size, n + 1)));
  }
  const rows = await weir.rows.ended(8);
  expect(rows.map((row) => sha256(row.responseBody))).toEqual(
    [...sizes, ...sizes].map((size, n) => sha256(numbered(size, n + 1))),
  );
});

test('a body that is held for a second attempt is sent again as it was, whatever passed in between', async () => {
  const first = await Wire.connect(weir.port);
  first.send(request('GET', ''));
  const kept = await origin.next();
  await kept.head();
  kept.send('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  await first.head();

  const body = numbered(48_000, 7);
  const client = await Wire.connect(weir.port);
  client.send(request('PUT', `Content-Length: ${String(body.length)}\r\n`));
  await kept.head();
  client.send(body.subarray(0, 24_000));
  await kept.bytes(24_000);
  client.send(body.subarray(24_000));
  await kept.bytes(24_000);

  const other = await Wire.connect(weir.port);
  other.send(request('GET', ''));
  const bulk = await origin.next();
  await bulk.head();
  bulk.send(`HTTP/1.1 200 OK\r\nContent-Length: ${String(MEBIBYTE)}\r\n\r\n`);
  bulk.send(Buffer.alloc(MEBIBYTE, '#'));
  await other.head();
  await other.bytes(MEBIBYTE);

  kept.end();
  const again = await origin.next();
  await again.head();
  expect(sha256(await again.bytes(body.length))).toBe(sha256(body));
  again.send('HTTP/1.1 204 No Content\r\n\r\n');
  expect(await client.head()).toMatch(/^HTTP\/1\.1 204 /);
});

test('buffers that the store gives back are packed again, so that recording bulk bodies needs no new memory', async () => {
  await weir.stop();
  const seen = new Map<ArrayBuffer, number>();
  const batches: ArrayBuffer[] = [];
  weir = await startEngine({
    onBatch: (bytes, engine, batch) => {
      batches.push(batch);
      seen.set(batch, (seen.get(batch) ?? 0) + 1);
      engine.returnCaptureCredit(bytes, [batch]);
    },
  });
  const client = await Wire.connect(weir.port);
  client.send(request('GET', ''));
  const server = await origin.next();
  await server.head();
  server.send(`HTTP/1.1 200 OK\r\nContent-Length: ${String(4 * MEBIBYTE)}\r\n\r\n`);
  server.send(Buffer.alloc(4 * MEBIBYTE, '#'));
  await client.head();
  await client.swallow(4 * MEBIBYTE);
  await weir.rows.ended(1);
  expect(batches.length).toBeGreaterThan(30);
  expect(Math.max(...seen.values())).toBeGreaterThan(5);
});
