/** Copies bytes between each client and a connection of its own to `127.0.0.1:PORT` (argument). Prints its own port. */
import { connect, createServer } from 'node:net';

const originPort = Number(process.argv[2]);

const server = createServer({ noDelay: true }, (client) => {
  const origin = connect({ host: '127.0.0.1', port: originPort, noDelay: true });
  client.pipe(origin);
  origin.pipe(client);
  client.on('error', () => origin.destroy());
  origin.on('error', () => client.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${String(typeof address === 'object' && address !== null ? address.port : 0)}\n`);
});
