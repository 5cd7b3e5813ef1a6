/**
 * A closed-loop load generator, a process of its own: keeps N connections busy with one request each, straight to a
 * server, or through CONNECT and TLS of an explicit proxy.
 *
 * Argument: one JSON object, see `Plan`. Prints one JSON line, see `Result`.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

interface Plan {
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Where the sockets go: the proxy, or the origin itself. */
  readonly port: number;
  /** `host:port` of CONNECT; null speaks to `port` directly. */
  readonly connectTo: string | null;
  readonly tls: boolean;
  readonly path: string;
  readonly host: string;
}

export interface Result {
  readonly requests: number;
  readonly errors: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const plan = JSON.parse(process.argv[2] ?? '{}') as Plan;
const request = Buffer.from(
  `GET ${plan.path} HTTP/1.1\r\nHost: ${plan.host}\r\nUser-Agent: weir-bench\r\nAccept: */*\r\n\r\n`,
);
const latencies: number[] = [];
let measuring = false;
let stopping = false;
let requests = 0;
let errors = 0;

/** Opens one connection, through CONNECT and TLS when the plan says so. */
async function open(): Promise<Socket> {
  const raw = connect({ host: '127.0.0.1', port: plan.port, noDelay: true });
  await once(raw, 'connect');
  if (plan.connectTo !== null) {
    raw.write(`CONNECT ${plan.connectTo} HTTP/1.1\r\nHost: ${plan.connectTo}\r\n\r\n`);
    const [answer] = (await once(raw, 'data')) as [Buffer];
    if (!answer.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error(answer.toString('latin1'));
  }
  if (!plan.tls) return raw;
  const secure = connectTls({ socket: raw, servername: 'localhost', rejectUnauthorized: false });
  await once(secure, 'secureConnect');
  return secure;
}

/** Sends one request after the other until told to stop. A response is complete when its Content-Length has arrived. */
function drive(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    let sentAt = 0;
    let missing = -1;
    let head = '';
    const send = (): void => {
      sentAt = performance.now();
      missing = -1;
      head = '';
      socket.write(request);
    };
    socket.on('data', (chunk: Buffer) => {
      if (missing === -1) {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        const length = /\r\ncontent-length: *(\d+)/i.exec(head);
        if (!head.startsWith('HTTP/1.1 200') || length === null) {
          errors += 1;
          socket.destroy();
          return;
        }
        missing = Number(length[1]) - (head.length - end - 4);
      } else missing -= chunk.length;
      if (missing > 0) return;
      if (measuring) {
        requests += 1;
        latencies.push(performance.now() - sentAt);
      }
      if (stopping) socket.destroy();
      else send();
    });
    socket.on('error', () => (errors += 1));
    socket.on('close', () => {
      resolve();
    });
    send();
  });
}

const sockets = await Promise.all(Array.from({ length: plan.connections }, open));
const driven = sockets.map(drive);
await new Promise((resolve) => setTimeout(resolve, plan.warmUpMs));
process.stdout.write('{"warm":true}\n');
measuring = true;
const begin = performance.now();
await new Promise((resolve) => setTimeout(resolve, plan.measureMs));
measuring = false;
const seconds = (performance.now() - begin) / 1000;
process.stdout.write('{"measured":true}\n');
stopping = true;
await Promise.all(driven);
latencies.sort((a, b) => a - b);
const at = (share: number): number =>
  latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
const result: Result = { requests, errors, seconds, p50: at(0.5), p99: at(0.99) };
process.stdout.write(`${JSON.stringify(result)}\n`);
