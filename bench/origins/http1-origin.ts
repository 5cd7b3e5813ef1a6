/**
 * The origin of the HTTP/1 profiles, a process of its own: answers every request with the same bytes, in plain and, when
 * a certificate is given, over TLS. It does as little as an origin can, so that its ceiling stays far above any proxy's.
 *
 * Arguments: `BODY_BYTES [CERTIFICATE_FILE KEY_FILE]`. Prints one JSON line `{"plain":PORT,"tls":PORT|null}` when ready.
 */
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

const [bodyBytesText = '42', certificateFile, keyFile] = process.argv.slice(2);
const HEAD_END = Buffer.from('\r\n\r\n');

function answerOf(bodyBytes: number): Buffer {
  const open = '{"message":"';
  const body = `${open}${'x'.repeat(Math.max(0, bodyBytes - open.length - 2))}"}`;
  return Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `Date: Mon, 30 Nov 2026 08:00:00 GMT\r\nServer: origin\r\nConnection: keep-alive\r\n\r\n${body}`,
  );
}

const answer = answerOf(Number(bodyBytesText));

function serve(socket: Socket): void {
  socket.setNoDelay(true);
  let held: Buffer | null = null;
  socket.on('data', (chunk: Buffer) => {
    const bytes = held === null ? chunk : Buffer.concat([held, chunk]);
    let from = 0;
    for (let end = bytes.indexOf(HEAD_END, from); end !== -1; end = bytes.indexOf(HEAD_END, from)) {
      socket.write(answer);
      from = end + HEAD_END.length;
    }
    held = from === bytes.length ? null : bytes.subarray(from);
  });
  socket.on('error', () => socket.destroy());
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const plain = await listen(createServer(serve));
const tls =
  certificateFile !== undefined && keyFile !== undefined
    ? await listen(createTlsServer({ cert: readFileSync(certificateFile), key: readFileSync(keyFile) }, serve))
    : null;
process.stdout.write(`${JSON.stringify({ plain, tls })}\n`);
