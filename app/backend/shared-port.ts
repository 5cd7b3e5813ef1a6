import { createSocket } from 'node:dgram';
import { createServer, isIP } from 'node:net';
import type { ListenerConfig } from '#contract';
import { ContractError } from '#contract';
import { ListenError } from '#engine';

/**
 * Finds the port for a listener that several threads will share. A second sharer of a taken port succeeds in silence, so
 * the port is taken once for itself alone first.
 *
 * @returns the port, chosen by the system when `port` is 0
 * @throws ContractError `conflict` when it is taken or cannot be used
 */
export function findSharedPort({ mode, host, port }: ListenerConfig): Promise<number> {
  const probe = mode.kind === 'udp' ? probeUdp : probeTcp;
  return probe(host, port).catch((error: NodeJS.ErrnoException) => {
    throw new ContractError('conflict', new ListenError(host, port, error).message);
  });
}

function probeTcp(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      const given = address !== null && typeof address === 'object' ? address.port : port;
      server.close(() => {
        resolve(given);
      });
    });
  });
}

function probeUdp(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIP(host) === 6 ? 'udp6' : 'udp4');
    socket.once('error', reject);
    socket.bind({ address: host, port, exclusive: true }, () => {
      const given = socket.address().port;
      socket.close(() => {
        resolve(given);
      });
    });
  });
}
