/**
 * The origins of every profile in one process of their own. Arguments: `CERTIFICATE_FILE KEY_FILE`. Prints one JSON line,
 * see `OriginPorts`, when all of them accept; ends on SIGTERM.
 */
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { OriginPorts } from '../workload.ts';
import { serveHttp1 } from './http1-origin.ts';
import { createHttp2Origin } from './http2-origin.ts';

const [certificateFile, keyFile] = process.argv.slice(2);
if (certificateFile === undefined || keyFile === undefined) throw new Error('Say which certificate and key to use.');

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1', 1_024);
  await once(server, 'listening');
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const echo = createServer({ noDelay: true }, (socket) => {
  socket.on('data', (bytes) => socket.write(bytes));
  socket.on('error', () => socket.destroy());
});
const datagrams = createSocket('udp4', (bytes, { port, address }) => {
  datagrams.send(bytes, port, address);
});
datagrams.bind(0, '127.0.0.1');
await once(datagrams, 'listening');

const tls = createTlsServer({ cert: readFileSync(certificateFile), key: readFileSync(keyFile) }, serveHttp1);
tls.on('tlsClientError', () => undefined);
const ports: OriginPorts = {
  plain: await listen(createServer(serveHttp1)),
  tls: await listen(tls),
  h2c: await listen(createHttp2Origin()),
  tcp: await listen(echo),
  udp: datagrams.address().port,
};
process.stdout.write(`${JSON.stringify(ports)}\n`);
