import { createServer } from 'node:net';
import { ContractError } from '#contract';

/**
 * Finds the port for a listener that several threads will share. A second sharer of a taken port succeeds in silence, so
 * the port is taken once for itself alone first.
 *
 * @returns the port, chosen by the system when `port` is 0
 * @throws ContractError `conflict` when it is taken or cannot be used
 */
export function findSharedPort({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => {
      reject(new ContractError('conflict', `Weir cannot listen on ${host}:${String(port)}: ${error.message}.`));
    });
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      const given = address !== null && typeof address === 'object' ? address.port : port;
      server.close(() => {
        resolve(given);
      });
    });
  });
}
