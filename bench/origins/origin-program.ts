/**
 * The origins of every profile in one process of their own. Arguments: files of a certificate and its key for `localhost`, and
 * of those for made-up hosts. Prints one JSON line,
 * see `OriginPorts`, when all of them accept; ends on SIGTERM.
 */
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import type { Http2SecureServer, Http2Server } from 'node:http2';
import { createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { NEW_NAMES_DOMAIN } from '../origin-names.ts';
import type { OriginPorts } from '../workload.ts';
import { serveHttp1 } from './http1-origin.ts';
import { createHttp2Origin } from './http2-origin.ts';

const [cert, key, newNamesCert, newNamesKey] = process.argv.slice(2).map((file) => readFileSync(file));
if (cert === undefined || key === undefined || newNamesCert === undefined || newNamesKey === undefined) {
  throw new Error('Say which certificates and keys to use.');
}

async function listen(server: Server | Http2Server | Http2SecureServer): Promise<number> {
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

const tls = createTlsServer({ cert, key }, serveHttp1);
tls.addContext(`*.${NEW_NAMES_DOMAIN}`, { cert: newNamesCert, key: newNamesKey });
tls.on('tlsClientError', () => undefined);
const ports: OriginPorts = {
  plain: await listen(createServer(serveHttp1)),
  tls: await listen(tls),
  h2: await listen(createHttp2Origin({ cert, key })),
  h2c: await listen(createHttp2Origin(null)),
  tcp: await listen(echo),
  udp: datagrams.address().port,
};
process.stdout.write(`${JSON.stringify(ports)}\n`);
