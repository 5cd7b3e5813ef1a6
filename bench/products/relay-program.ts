/** Copies bytes between each client and a connection of its own to `127.0.0.1:PORT` (argument). Prints its own port. */
import { BareSocket } from './bare-socket.ts';

const originPort = Number(process.argv[2]);

const port = await BareSocket.listen((client) => {
  const origin = BareSocket.connect(originPort);
  let early: Buffer[] | null = [];
  client.onBytes = (bytes) => {
    if (early === null) origin.write(bytes);
    else early.push(bytes);
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
