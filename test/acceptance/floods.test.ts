import { readdirSync, readFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONNECTION_PREFACE } from '../../proxy-engine/protocol/http2/index.ts';
import { percentile } from '../support/main-thread-trace.ts';
import { FLOODS } from '../support/http2-floods.ts';
import { frame } from '../support/http2-frames.ts';
import { WeirProcess } from '../support/weir-process.ts';

/*
 * What attacks cost a whole Weir, and what somebody else notices of them. Prints its figures; `WEIR_FULL=1` attacks for longer
 * and with more.
 */

const FULL = process.env['WEIR_FULL'] === '1';
const ATTACK_MS = FULL ? 5_000 : 1_000;
/** Connections that attack at the same time. */
const AT_ONCE = 4;
const SLOW_ONES = FULL ? 2_000 : 500;
const HALF_OPEN_ONES = FULL ? 10_000 : 1_000;
/**
 * Garbage that nothing has pressed V8 to collect counts too, and rapid resets make most of it: a hundred recorded exchanges
 * a connection. What is still held after a collection is a small part (docs/benchmarks.md).
 */
const MOST_GROWTH_MIB = 192;
const WITNESS_GAP_MS = 20;

const origin = createServer((_request, response) => response.end('ok'));
let weir: WeirProcess;

beforeAll(async () => {
  origin.listen(0, '127.0.0.1');
  await new Promise((listening) => origin.once('listening', listening));
  const { port } = origin.address() as AddressInfo;
  weir = await WeirProcess.start(['--mode', `reverse:http://127.0.0.1:${String(port)}@127.0.0.1:0`]);
});

afterAll(async () => {
  await weir.stop();
  origin.closeAllConnections();
  origin.close();
});

function memoryMiB(): number {
  const status = readFileSync(`/proc/${String(weir.pid)}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}

/** CPU seconds of the process so far. */
function cpuSeconds(): number {
  const stat = readFileSync(`/proc/${String(weir.pid)}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

const descriptors = (): number => readdirSync(`/proc/${String(weir.pid)}/fd`).length;

interface Watched {
  readonly growthMiB: number;
  readonly cpuSeconds: number;
  readonly witness: readonly number[];
}

/** Runs an attack beside somebody who asks one thing after the other, and measures both. */
async function watch(attack: () => Promise<void>): Promise<Watched> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const request = get({ host: '127.0.0.1', port: weir.port, path: '/witness', agent }, (response) => {
        response.resume();
        response.on('end', resolve);
        response.on('error', reject);
        if (response.statusCode !== 200) reject(new Error(`answered ${String(response.statusCode)}`));
      });
      request.on('error', reject);
    });
  await ask();
  const before = { memory: memoryMiB(), cpu: cpuSeconds() };
  const witness: number[] = [];
  let peak = before.memory;
  let isOver = false;
  const witnessing = (async () => {
    while (!isOver) {
      const began = performance.now();
      await ask();
      witness.push(performance.now() - began);
      peak = Math.max(peak, memoryMiB());
      await pause(WITNESS_GAP_MS);
    }
  })();
  await attack();
  isOver = true;
  await witnessing;
  agent.destroy();
  return { growthMiB: peak - before.memory, cpuSeconds: cpuSeconds() - before.cpu, witness };
}

function report(what: string, { growthMiB, cpuSeconds: cpu, witness }: Watched, unit: string): void {
  process.stdout.write(
    `${what}: ${unit}, ${cpu.toFixed(2)} s CPU, +${growthMiB.toFixed(0)} MiB; others p50 ${percentile(witness, 0.5).toFixed(1)}, ` +
      `p95 ${percentile(witness, 0.95).toFixed(1)} ms of ${String(witness.length)}\n`,
  );
}

/** One attacking connection, from its first byte to the end that Weir makes. */
function attackOnce(bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(weir.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    socket.once('close', () => {
      resolve();
    });
    socket.write(Buffer.concat([CONNECTION_PREFACE, frame(4, 0, 0), frame(4, 1, 0), bytes]));
  });
}

test.each(FLOODS)('a flood of %s leaves memory bounded and others served', async (what, _limit, bytes) => {
  const prepared = bytes();
  let attacks = 0;
  const watched = await watch(async () => {
    const until = performance.now() + ATTACK_MS;
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (; performance.now() < until; attacks += 1) await attackOnce(prepared);
      }),
    );
  });
  report(what, watched, `${String(attacks)} connections in ${String(ATTACK_MS / 1_000)} s`);
  expect(attacks).toBeGreaterThan(AT_ONCE);
  expect(watched.growthMiB).toBeLessThanOrEqual(MOST_GROWTH_MIB);
  expect(percentile(watched.witness, 0.95)).toBeLessThan(1_000);
});

async function openMany(count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  for (let opened = 0; opened < count; opened += 100) {
    const some = Array.from({ length: Math.min(100, count - opened) }, () => {
      const socket = connect(weir.port, '127.0.0.1');
      socket.on('error', () => undefined);
      return socket;
    });
    await Promise.all(some.map((socket) => new Promise((connected) => socket.once('connect', connected))));
    sockets.push(...some);
  }
  return sockets;
}

test.each([
  ['heads that come a byte a second', SLOW_ONES, 'GET /slow HTTP/1.1\r\nHost: weir.example\r\nX: '],
  ['heads that never go on', HALF_OPEN_ONES, 'GET /half HT'],
  ['handshakes that never go on', HALF_OPEN_ONES, '\x16\x03\x01\x02\x00\x01'],
])('connections with %s are held at little cost, and let go', async (what, count, text) => {
  const idle = descriptors();
  const watched = await watch(async () => {
    const sockets = await openMany(count);
    for (const socket of sockets) socket.write(Buffer.from(text, 'latin1'));
    for (let second = 0; second < ATTACK_MS / 1_000; second += 1) {
      await pause(1_000);
      if (what.includes('a second')) for (const socket of sockets) socket.write('x');
    }
    expect(descriptors() - idle).toBeGreaterThanOrEqual(count);
    for (const socket of sockets) socket.destroy();
    await expect.poll(descriptors, { timeout: 30_000 }).toBeLessThanOrEqual(idle + 4);
  });
  report(what, watched, `${String(count)} connections`);
  expect(watched.growthMiB).toBeLessThanOrEqual(MOST_GROWTH_MIB);
  expect(percentile(watched.witness, 0.95)).toBeLessThan(1_000);
});
