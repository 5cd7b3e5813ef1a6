import type { Socket } from 'node:net';
import { ANSWERS, EARLY_AFTER_BYTES, EARLY_PATH, type FixedAnswer } from './answers.ts';
import { acceptKey, echoFrames } from './websocket-echo.ts';

const HEAD_END = Buffer.from('\r\n\r\n');
const DATE = 'Date: Mon, 30 Nov 2026 08:00:00 GMT\r\nServer: origin\r\nConnection: keep-alive\r\n';

/** Each answer as it goes out: one write, or one a chunk. */
function wire(answer: FixedAnswer): Buffer[] {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${answer.type}\r\n${DATE}`;
  const [only, ...others] = answer.parts;
  if (only !== undefined && others.length === 0) {
    return [Buffer.concat([Buffer.from(`${head}Content-Length: ${String(only.length)}\r\n\r\n`), only])];
  }
  const chunks = answer.parts.map((part) =>
    Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]),
  );
  const last = chunks.pop() ?? Buffer.alloc(0);
  return [
    Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`),
    ...chunks,
    Buffer.concat([last, Buffer.from('0\r\n\r\n')]),
  ];
}

const WIRES = new Map(Object.entries(ANSWERS).map(([path, answer]) => [path, wire(answer)]));
const NOT_FOUND = [Buffer.from('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n')];

/**
 * Answers on one connection. It does as little as an origin can, so that its ceiling stays far above any proxy's: a head
 * is looked at once for its path and its length, and answers are bytes that were made at the start.
 */
export function serveHttp1(socket: Socket): void {
  socket.setNoDelay(true);
  let held: Buffer | null = null;
  /** Bytes of a request body that are still to come. */
  let missing = 0;
  /** So many bytes before a request's end its answer goes out. */
  let answerBefore = 0;
  let answer: readonly Buffer[] = NOT_FOUND;
  const respond = (): void => {
    if (answer.length === 1) {
      socket.write(answer[0] ?? '');
      return;
    }
    // A turn of the loop for each part: a stream is not one write.
    const parts = answer;
    const next = (at: number): void => {
      const part = parts[at];
      if (part === undefined || socket.destroyed) return;
      socket.write(part);
      setImmediate(next, at + 1);
    };
    next(0);
  };
  const onData = (chunk: Buffer): void => {
    let bytes = held === null ? chunk : Buffer.concat([held, chunk]);
    held = null;
    while (bytes.length > 0) {
      if (missing > 0) {
        const taken = Math.min(missing, bytes.length);
        const before = missing;
        missing -= taken;
        bytes = bytes.subarray(taken);
        if (before > answerBefore && missing <= answerBefore) respond();
        continue;
      }
      const end = bytes.indexOf(HEAD_END);
      if (end === -1) {
        held = bytes;
        return;
      }
      const head = bytes.toString('latin1', 0, end + 2);
      const rest = bytes.subarray(end + HEAD_END.length);
      const key = acceptKey(head);
      if (key !== null) {
        socket.off('data', onData);
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key}\r\n\r\n`,
        );
        echoFrames(socket, rest);
        return;
      }
      const path = pathOf(head);
      answer = WIRES.get(path) ?? NOT_FOUND;
      missing = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      answerBefore = path === EARLY_PATH ? Math.max(0, missing - EARLY_AFTER_BYTES) : 0;
      bytes = rest;
      if (missing === 0) respond();
    }
  };
  socket.on('data', onData);
  socket.on('error', () => socket.destroy());
}

function pathOf(head: string): string {
  const start = head.indexOf(' ') + 1;
  return head.slice(start, head.indexOf(' ', start));
}
