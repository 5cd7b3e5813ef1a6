import type { Socket } from 'node:net';
import type { GeneratorPlan } from '../workload.ts';
import type { Meter } from './meter.ts';
import { openConnection } from './open-connection.ts';
import { ResponseEnds } from './response-ends.ts';

/** Keeps every connection busy with one request after the other. */
export async function driveHttp1(plan: GeneratorPlan, meter: Meter): Promise<Promise<void>[]> {
  const request = requestBytes(plan);
  if (plan.workload.fresh) return Array.from({ length: plan.connections }, () => driveFresh(plan, request, meter));
  const sockets = await Promise.all(Array.from({ length: plan.connections }, () => openConnection(plan, 'http/1.1')));
  return sockets.map((socket) => drive(socket, request, meter));
}

function requestBytes({ workload, host }: GeneratorPlan): Buffer {
  const { path, sends, fresh } = workload;
  const body = sends > 0 ? `Content-Type: application/octet-stream\r\nContent-Length: ${String(sends)}\r\n` : '';
  const close = fresh ? 'Connection: close\r\n' : '';
  const line = `${sends > 0 ? 'POST' : 'GET'} ${path} HTTP/1.1\r\n`;
  const head = `${line}Host: ${host}\r\nUser-Agent: weir-bench\r\nAccept: */*\r\n${body}${close}`;
  return Buffer.concat([Buffer.from(`${head}\r\n`), Buffer.alloc(sends, 'b')]);
}

/** Resolves when the connection is closed: after the window, or by a fault. */
function drive(socket: Socket, request: Buffer, meter: Meter): Promise<void> {
  return new Promise((resolve) => {
    const ends = new ResponseEnds();
    let sentAt = 0;
    const send = (): void => {
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('data', (chunk: Buffer) => {
      if (!ends.read(chunk)) return;
      if (ends.failed) meter.failed();
      else meter.done(sentAt);
      if (meter.stopping) socket.destroy();
      else send();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      // Before the window's end nobody should have closed it.
      meter.failed();
      resolve();
    });
    send();
  });
}

/** One request a connection, so that each pays for accepting, for TLS, and for CONNECT where the plan has it. */
async function driveFresh(plan: GeneratorPlan, request: Buffer, meter: Meter): Promise<void> {
  while (!meter.stopping) {
    const startedAt = performance.now();
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
