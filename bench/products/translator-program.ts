/**
 * From HTTP/2 over TLS to HTTP/1.1 at `127.0.0.1:PORT`, without reading more than the heads of frames: whatever is asked, the
 * same request goes to the origin, and its body comes back behind the same header block. Arguments: PORT, certificate, key
 * (PEM files). Prints its own port.
 */
import { readFileSync } from 'node:fs';
import { createServer, type TLSSocket } from 'node:tls';
import { BareSocket } from './bare-socket.ts';

const PREFACE_BYTES = 24;
const FRAME_HEAD_BYTES = 9;
const FRAME = { data: 0, headers: 1, settings: 4 } as const;
const FLAG = { ack: 1, endStream: 1, endHeaders: 4 } as const;
/** `:status: 200` of the static table, and `content-type` as a literal that is not indexed (RFC 7541 §6.1, §6.2.2). */
const HEADER_BLOCK = Buffer.concat([Buffer.of(0x88, 0x0f, 0x10, 16), Buffer.from('application/json')]);

const [, , portText = '', certificateFile = '', keyFile = ''] = process.argv;
const originPort = Number(portText);
const request = Buffer.from(`GET /small HTTP/1.1\r\nHost: 127.0.0.1:${portText}\r\nUser-Agent: weir-bench\r\n\r\n`);
const idle: BareSocket[] = [];

function ask(onResponse: (response: Buffer) => void): void {
  const origin = idle.pop() ?? BareSocket.connect(originPort);
  origin.onBytes = (response) => {
    idle.push(origin);
    onResponse(response);
  };
  if (origin.socket.connecting) {
    origin.socket.once('connect', () => {
      origin.write(request);
    });
  } else origin.write(request);
}

/** Writes a frame's head and returns where its payload goes. */
function frameHead(into: Buffer, at: number, length: number, type: number, flags: number, stream: number): number {
  into.writeUIntBE(length, at, 3);
  into[at + 3] = type;
  into[at + 4] = flags;
  into.writeUInt32BE(stream, at + 5);
  return at + FRAME_HEAD_BYTES;
}

function settings(flags: number): Buffer {
  const frame = Buffer.alloc(FRAME_HEAD_BYTES);
  frameHead(frame, 0, 0, FRAME.settings, flags, 0);
  return frame;
}

function serve(client: TLSSocket): void {
  let waiting: Buffer[] = [settings(0)];
  let held: Buffer = Buffer.alloc(0);
  let skip = PREFACE_BYTES;
  const flush = (): void => {
    const parts = waiting;
    waiting = [];
    client.write(Buffer.concat(parts));
  };
  const send = (bytes: Buffer): void => {
    if (waiting.push(bytes) === 1) setImmediate(flush);
  };
  const answer = (stream: number, response: Buffer): void => {
    const bodyAt = response.indexOf('\r\n\r\n') + 4;
    const length = response.length - bodyAt;
    const frames = Buffer.allocUnsafe(2 * FRAME_HEAD_BYTES + HEADER_BLOCK.length + length);
    let at = frameHead(frames, 0, HEADER_BLOCK.length, FRAME.headers, FLAG.endHeaders, stream);
    at += HEADER_BLOCK.copy(frames, at);
    at = frameHead(frames, at, length, FRAME.data, FLAG.endStream, stream);
    response.copy(frames, at, bodyAt);
    send(frames);
  };
  client.on('error', () => undefined);
  client.on('data', (segment: Buffer) => {
    const bytes = held.length === 0 ? segment : Buffer.concat([held, segment]);
    let at = skip;
    while (at + FRAME_HEAD_BYTES <= bytes.length) {
      const end = at + FRAME_HEAD_BYTES + bytes.readUIntBE(at, 3);
      if (end > bytes.length) break;
      const type = bytes[at + 3];
      const stream = bytes.readUInt32BE(at + 5);
      if (type === FRAME.settings && ((bytes[at + 4] ?? 0) & FLAG.ack) === 0) send(settings(FLAG.ack));
      if (type === FRAME.headers) {
        ask((response) => {
          answer(stream, response);
        });
      }
      at = end;
    }
    skip = Math.max(0, at - bytes.length);
    held = bytes.subarray(Math.min(at, bytes.length));
  });
  setImmediate(flush);
}

const server = createServer(
  { cert: readFileSync(certificateFile), key: readFileSync(keyFile), ALPNProtocols: ['h2'], noDelay: true },
  serve,
);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${String(typeof address === 'object' && address !== null ? address.port : 0)}\n`);
});
