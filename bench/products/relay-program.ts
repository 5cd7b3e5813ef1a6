/**
 * Copies bytes between each client and a connection of its own to `127.0.0.1:PORT` (argument). With `connect` as a second argument a
 * client's first request is CONNECT, which is answered and not passed on. Prints its own port.
 */
import { BareSocket } from './bare-socket.ts';

const originPort = Number(process.argv[2]);
const isExplicit = process.argv[3] === 'connect';
const ESTABLISHED = Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n');

const port = await BareSocket.listen((client) => {
  const origin = BareSocket.connect(originPort);
  let early: Buffer[] | null = [];
  const pass = (bytes: Buffer): void => {
    if (early === null) origin.write(bytes);
    else early.push(bytes);
  };
  // The generator waits for the answer, so its request comes whole and alone.
  client.onBytes = !isExplicit
    ? pass
    : () => {
        client.onBytes = pass;
        client.write(ESTABLISHED);
      };
  origin.onBytes = (bytes) => {
    client.write(bytes);
  };
  origin.socket.on('connect', () => {
    for (const bytes of early ?? []) origin.write(bytes);
    early = null;
  });
  client.socket.on('close', () => origin.socket.destroy());
  origin.socket.on('close', () => client.socket.destroy());
});
process.stdout.write(`${String(port)}\n`);
