import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** The answer to a handshake's key (RFC 6455 §4.2.2); null when the head asks for no WebSocket. */
export function acceptKey(head: string): string | null {
  const key = /\r\nsec-websocket-key: *([^\r]+)/i.exec(head)?.[1];
  return key === undefined ? null : createHash('sha1').update(`${key.trim()}${GUID}`).digest('base64');
}

/** Sends each short masked frame back unmasked (RFC 6455 §5.2; payloads up to 125 bytes, which is all that is sent here). */
export function echoFrames(socket: Socket, early: Buffer): void {
  let held: Buffer = early;
  const drain = (): void => {
    let at = 0;
    const answers: Buffer[] = [];
    while (held.length - at >= 6) {
      const length = (held[at + 1] ?? 0) & 0x7f;
      const end = at + 6 + length;
      if (held.length < end) break;
      const answer = Buffer.allocUnsafe(2 + length);
      answer[0] = held[at] ?? 0;
      answer[1] = length;
      for (let n = 0; n < length; n += 1) answer[2 + n] = (held[at + 6 + n] ?? 0) ^ (held[at + 2 + (n & 3)] ?? 0);
      answers.push(answer);
      at = end;
    }
    if (at > 0) held = held.subarray(at);
    const [only] = answers;
    if (only !== undefined) socket.write(answers.length === 1 ? only : Buffer.concat(answers));
  };
  socket.on('data', (chunk: Buffer) => {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
    drain();
  });
  drain();
}
