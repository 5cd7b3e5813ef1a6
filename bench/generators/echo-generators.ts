import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { GeneratorPlan } from '../workload.ts';
import type { Meter } from './meter.ts';
import { openConnection } from './open-connection.ts';

/** A datagram that has not come back by then is lost, ms. */
const DATAGRAM_PATIENCE_MS = 1_000;

/** Sends a message of a fixed size on each connection and waits until as many bytes have come back. */
export async function driveTcp(plan: GeneratorPlan, meter: Meter): Promise<Promise<void>[]> {
  const sockets = await openAll(plan);
  const message = Buffer.alloc(plan.workload.sends, 't');
  return sockets.map((socket) => echo(socket, message, message.length, meter));
}

/** The same with WebSocket messages, after a handshake. */
export async function driveWebSocket(plan: GeneratorPlan, meter: Meter): Promise<Promise<void>[]> {
  const sockets = await openAll(plan);
  await Promise.all(sockets.map((socket) => shakeHands(socket, plan)));
  const { sends } = plan.workload;
  const mask = randomBytes(4);
  const payload = Buffer.alloc(sends, 'w').map((byte, at) => byte ^ (mask[at & 3] ?? 0));
  const frame = Buffer.concat([Buffer.from([0x82, 0x80 | sends]), mask, payload]);
  return sockets.map((socket) => echo(socket, frame, 2 + sends, meter));
}

/** One datagram under way on each socket. */
export async function driveUdp(plan: GeneratorPlan, meter: Meter): Promise<Promise<void>[]> {
  const message = Buffer.alloc(plan.workload.sends, 'u');
  const sockets = await Promise.all(
    Array.from({ length: plan.connections }, async () => {
      const socket = createSocket('udp4');
      socket.connect(plan.port, '127.0.0.1');
      await once(socket, 'connect');
      return socket;
    }),
  );
  return sockets.map(
    (socket) =>
      new Promise((resolve) => {
        let sentAt = 0;
        let patience: NodeJS.Timeout | undefined;
        const send = (): void => {
          if (meter.stopping) {
            socket.close(resolve);
            return;
          }
          sentAt = performance.now();
          socket.send(message);
          patience = setTimeout(() => {
            meter.failed();
            send();
          }, DATAGRAM_PATIENCE_MS);
        };
        socket.on('message', () => {
          clearTimeout(patience);
          meter.done(sentAt);
          send();
        });
        socket.on('error', () => {
          meter.failed();
        });
        send();
      }),
  );
}

function openAll(plan: GeneratorPlan): Promise<Socket[]> {
  return Promise.all(Array.from({ length: plan.connections }, () => openConnection(plan, 'http/1.1')));
}

async function shakeHands(socket: Socket, plan: GeneratorPlan): Promise<void> {
  socket.write(
    `GET ${plan.workload.path} HTTP/1.1\r\nHost: ${plan.host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
  );
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(answer.toString('latin1'));
}

function echo(socket: Socket, message: Buffer, comesBack: number, meter: Meter): Promise<void> {
  return new Promise((resolve) => {
    let missing = comesBack;
    let sentAt = performance.now();
    socket.on('data', (bytes: Buffer) => {
      missing -= bytes.length;
      if (missing > 0) return;
      meter.done(sentAt);
      if (meter.stopping) {
        socket.destroy();
        return;
      }
      missing = comesBack;
      sentAt = performance.now();
      socket.write(message);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      // Before the window's end nobody should have closed it.
      meter.failed();
      resolve();
    });
    socket.write(message);
  });
}
