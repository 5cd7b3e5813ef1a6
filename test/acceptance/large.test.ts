import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WeirProcess } from '../support/weir-process.ts';

/** Bytes each way; `WEIR_FULL=1` runs the whole 2 GiB. */
const BYTES = process.env['WEIR_FULL'] === '1' ? 2 * 2 ** 30 : 192 * 2 ** 20;
const CHUNK = Buffer.alloc(65_536);
for (let at = 0; at < CHUNK.length; at += 4) CHUNK.writeUInt32BE((at * 2_654_435_761) >>> 0, at);

let server: Server;
let weir: WeirProcess;
let origin: string;
/** The origin's side of the connection on which `/slow` was asked for. */
let onSlow: (socket: Socket) => void = () => undefined;

/** Hash of `bytes` bytes of the repeated, numbered chunk. */
function expectedHash(bytes: number): string {
  const hash = createHash('sha256');
  let number = 0;
  for (let left = bytes; left > 0; left -= CHUNK.length) {
    CHUNK.writeUInt32BE((number += 1), 0);
    hash.update(left >= CHUNK.length ? CHUNK : CHUNK.subarray(0, left));
  }
  return hash.digest('hex');
}

/** Writes the numbered chunks with back-pressure. Resolves when the last byte was taken. */
async function writeNumbered(socket: Socket, bytes: number): Promise<void> {
  let number = 0;
  for (let left = bytes; left > 0; left -= CHUNK.length) {
    const chunk = Buffer.from(left >= CHUNK.length ? CHUNK : CHUNK.subarray(0, left));
    chunk.writeUInt32BE((number += 1), 0);
    if (!socket.write(chunk)) await once(socket, 'drain');
  }
}

/** GET: the big body. POST: hashes what comes and answers the hash. Bytes only, so that nothing else sets the pace. */
function serve(socket: Socket): void {
  let head = '';
  let hash: ReturnType<typeof createHash> | null = null;
  let left = 0;
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    let body = chunk;
    if (hash === null) {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      if (head.startsWith('GET /slow')) onSlow(socket);
      if (head.startsWith('GET /slow') || head.startsWith('GET /big')) {
        socket.write(
          `HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: ${String(BYTES)}\r\n\r\n`,
        );
        head = '';
        void writeNumbered(socket, BYTES).catch(() => undefined);
        return;
      }
      if (head.startsWith('GET')) {
        head = '';
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
        return;
      }
      hash = createHash('sha256');
      left = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      body = Buffer.from(head.slice(end + 4), 'latin1');
      head = '';
    }
    hash.update(body);
    left -= body.length;
    if (left > 0) return;
    const digest = hash.digest('hex');
    hash = null;
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${String(digest.length)}\r\n\r\n${digest}`);
  });
}

beforeAll(async () => {
  server = createServer(serve);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  origin = `127.0.0.1:${String(typeof address === 'object' && address !== null ? address.port : 0)}`;
  weir = await WeirProcess.start();
});

afterAll(async () => {
  await weir.stop();
  server.close();
});

/** Current and highest resident memory of a process, bytes. */
function memoryOf(pid: number): { now: number; peak: number } {
  const text = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  const of = (key: string): number => Number(new RegExp(`${key}:\\s+(\\d+) kB`).exec(text)?.[1] ?? 0) * 1024;
  return { now: of('VmRSS'), peak: of('VmHWM') };
}

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${String(pid)}/fd`).length;

async function openRequest(head: string): Promise<Socket> {
  const [host = '', port = ''] = weir.proxyUrl.slice('http://'.length).split(':');
  const socket = connect({ host, port: Number(port) });
  await once(socket, 'connect');
  socket.write(head);
  return socket;
}

/** Reads until the head's end, then counts and hashes the body up to its Content-Length. */
async function readBody(socket: Socket): Promise<{ bytes: number; hash: string; text: string }> {
  const hash = createHash('sha256');
  let head = '';
  let bytes = 0;
  let length = -1;
  let text = '';
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    let body = chunk;
    if (length === -1) {
      head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) continue;
      length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      body = Buffer.from(head.slice(end + 4), 'latin1');
    }
    hash.update(body);
    bytes += body.length;
    if (bytes < 200) text += body.toString('latin1');
    if (bytes >= length) break;
  }
  return { bytes, hash: hash.digest('hex'), text };
}

/** Hash of what `weir show --body` prints, read as a stream. */
async function storedHash(id: number, side: 'request' | 'response'): Promise<string> {
  const command = fileURLToPath(new URL('../../app/cli/index.ts', import.meta.url));
  const child = spawn(process.execPath, [command, 'show', String(id), '--data', weir.dataFolder, '--body', side], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const hash = createHash('sha256');
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

test('a huge body down and up passes whole, is recorded whole, and costs no more than 64 MiB', async () => {
  const warm = await openRequest(`GET http://${origin}/warm HTTP/1.1\r\nHost: ${origin}\r\nConnection: close\r\n\r\n`);
  await readBody(warm);
  await weir.listUntil((rows) => rows.length === 1);
  const ready = memoryOf(weir.pid).now;
  const expected = expectedHash(BYTES);

  const down = await openRequest(`GET http://${origin}/big HTTP/1.1\r\nHost: ${origin}\r\nConnection: close\r\n\r\n`);
  const got = await readBody(down);
  expect(got.bytes).toBe(BYTES);
  expect(got.hash).toBe(expected);

  const up = await openRequest(
    `POST http://${origin}/up HTTP/1.1\r\nHost: ${origin}\r\nContent-Length: ${String(BYTES)}\r\nConnection: close\r\n\r\n`,
  );
  const [, answer] = await Promise.all([writeNumbered(up, BYTES), readBody(up)]);
  expect(answer.text).toBe(expected);

  const rows = await weir.listUntil((all) => all.filter((row) => row.complete).length === 3);
  const growth = memoryOf(weir.pid).peak - ready;
  process.stdout.write(
    `huge bodies: ${String(BYTES / 2 ** 20)} MiB each way, peak minus ready ${(growth / 2 ** 20).toFixed(1)} MiB\n`,
  );
  expect(growth).toBeLessThanOrEqual(64 * 2 ** 20);
  const [, downRow, upRow] = rows;
  expect(downRow?.responseBodyBytes).toBe(BYTES);
  expect(upRow?.requestBodyBytes).toBe(BYTES);
  expect(await storedHash(downRow?.id ?? 0, 'response')).toBe(expected);
  expect(await storedHash(upRow?.id ?? 0, 'request')).toBe(expected);
}, 300_000);

test('a slow reader stops the origin’s writer, and its going away frees everything', async () => {
  const before = descriptorsOf(weir.pid);
  const asked = new Promise<Socket>((resolve) => (onSlow = resolve));
  const slow = await openRequest(`GET http://${origin}/slow HTTP/1.1\r\nHost: ${origin}\r\nConnection: close\r\n\r\n`);
  slow.pause();
  const originSide = await asked;
  // The connection may come from the pool and have carried bodies before.
  const carried = originSide.bytesWritten;
  let written = -1;
  for (let same = 0; same < 5;) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const now = originSide.bytesWritten;
    same = now === written ? same + 1 : 0;
    written = now;
  }
  expect(written - carried).toBeLessThan(BYTES / 2);
  // Weir cancels by a reset, which is an error before it is a close.
  const closed = new Promise((resolve) => originSide.once('close', resolve));
  slow.destroy();
  await closed;
  await weir.listUntil((rows) =>
    rows.some((row) => row.url.endsWith('/slow') && row.error?.code === 'client.cancelled'),
  );
  await expect.poll(() => descriptorsOf(weir.pid), { timeout: 5_000 }).toBeLessThanOrEqual(before);
}, 60_000);

test('1,000 idle connections leave room for another request, and every descriptor comes back', async () => {
  const before = descriptorsOf(weir.pid);
  const idle: Socket[] = [];
  for (let n = 0; n < 1_000; n += 1) {
    const socket = connect({ host: '127.0.0.1', port: weir.port });
    await once(socket, 'connect');
    idle.push(socket);
  }
  await expect.poll(() => descriptorsOf(weir.pid), { timeout: 10_000 }).toBeGreaterThanOrEqual(before + 990);
  const request = await openRequest(
    `GET http://${origin}/while HTTP/1.1\r\nHost: ${origin}\r\nConnection: close\r\n\r\n`,
  );
  expect((await readBody(request)).text).toBe('ok');
  for (const socket of idle) socket.destroy();
  await expect.poll(() => descriptorsOf(weir.pid), { timeout: 10_000 }).toBeLessThanOrEqual(before + 1);
}, 60_000);
