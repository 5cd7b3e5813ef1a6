import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { GeneratorPlan } from '../workload.ts';
import type { Meter } from './meter.ts';
import { openConnection } from './open-connection.ts';
import type { Pace } from './pace.ts';
import { ResponseEnds } from './response-ends.ts';

/** What a slow reader takes at once, bytes. */
const SLOW_READ_BYTES = 16_384;

/** Keeps every connection busy with one request after the other. */
export async function driveHttp1(plan: GeneratorPlan, meter: Meter, pace: Pace): Promise<Promise<void>[]> {
  const request = requestBytes(plan);
  const { fresh, readPauseMs, idle } = plan.workload;
  await openIdle(plan, request, idle);
  if (fresh) return Array.from({ length: plan.connections }, () => driveFresh(plan, request, meter, pace));
  const sockets = await Promise.all(Array.from({ length: plan.connections }, () => openConnection(plan, 'http/1.1')));
  return sockets.map((socket) => drive(socket, request, meter, pace, readPauseMs));
}

/** How many open at once: a backlog holds more, a burst of thousands it does not. */
const OPENING = 100;

/** Connections that make one request each and then only stay; they end with the process. */
async function openIdle(plan: GeneratorPlan, request: Buffer, count: number): Promise<void> {
  for (let opened = 0; opened < count; opened += OPENING) {
    const few = Array.from({ length: Math.min(OPENING, count - opened) }, async () => {
      const socket = await openConnection(plan, 'http/1.1');
      socket.on('error', () => undefined);
      socket.write(request);
      await once(socket, 'data');
      socket.resume();
    });
    await Promise.all(few);
  }
}

function requestBytes({ workload, way, host }: GeneratorPlan): Buffer {
  const { path, sends, fresh } = workload;
  const body = sends > 0 ? `Content-Type: application/octet-stream\r\nContent-Length: ${String(sends)}\r\n` : '';
  const close = fresh ? 'Connection: close\r\n' : '';
  const target = way.kind === 'request' ? `http://${way.origin}${path}` : path;
  const line = `${sends > 0 ? 'POST' : 'GET'} ${target} HTTP/1.1\r\n`;
  const head = `${line}Host: ${host}\r\nUser-Agent: weir-bench\r\nAccept: */*\r\n${body}${close}`;
  return Buffer.concat([Buffer.from(`${head}\r\n`), Buffer.alloc(sends, 'b')]);
}

/** Resolves when the connection is closed: after the window, or by a fault. */
function drive(socket: Socket, request: Buffer, meter: Meter, pace: Pace, readPauseMs: number): Promise<void> {
  return new Promise((resolve) => {
    const ends = new ResponseEnds();
    let startedAt = 0;
    const send = (intendedAt: number | null): void => {
      if (intendedAt === null) {
        socket.destroy();
        return;
      }
      startedAt = intendedAt;
      socket.write(request);
    };
    const read = (chunk: Buffer): void => {
      if (!ends.read(chunk)) return;
      if (ends.failed) meter.failed();
      else meter.done(startedAt);
      pace.next(send);
    };
    if (readPauseMs === 0) socket.on('data', read);
    else void readSlowly(socket, readPauseMs, read);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      // Before the window's end nobody should have closed it.
      meter.failed();
      resolve();
    });
    pace.next(send);
  });
}

async function readSlowly(socket: Socket, pauseMs: number, read: (chunk: Buffer) => void): Promise<void> {
  while (!socket.destroyed) {
    const size = Math.min(SLOW_READ_BYTES, socket.readableLength);
    const chunk = (size === 0 ? socket.read(0) : socket.read(size)) as Buffer | null;
    if (chunk === null) {
      // Ends in an error when the connection does: the loop is over then.
      await once(socket, 'readable').catch(() => undefined);
      continue;
    }
    read(chunk);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** One request a connection, so that each pays for accepting, for TLS, and for CONNECT where the plan has it. */
async function driveFresh(plan: GeneratorPlan, request: Buffer, meter: Meter, pace: Pace): Promise<void> {
  for (;;) {
    const startedAt = await new Promise<number | null>((begin) => {
      pace.next(begin);
    });
    if (startedAt === null) return;
    try {
      if (await askOnce(await openConnection(plan, 'http/1.1'), request)) meter.done(startedAt);
      else meter.failed();
    } catch {
      meter.failed();
      // A product that refuses everything must not make this a busy loop.
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** @throws when the connection ends before the response is whole */
async function askOnce(socket: Socket, request: Buffer): Promise<boolean> {
  const ends = new ResponseEnds();
  socket.write(request);
  await new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk: Buffer) => {
      if (ends.read(chunk)) resolve();
    });
    socket.on('error', reject);
    socket.on('close', () => {
      reject(new Error('The connection was closed before the response was whole.'));
    });
  });
  socket.destroy();
  return !ends.failed;
}
