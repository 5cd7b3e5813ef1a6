import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { auto } from 'http2-wrapper';
import { ContractError } from '#contract';
import type { RequestPlace } from './request-parts.ts';

/** How replays enter the engine: through a proxy listener of this Weir, like any client. */
export interface ProxyEntry {
  readonly host: string;
  readonly port: number;
  /** Value of Proxy-Authorization, where the listener wants one. */
  readonly authorization: string | null;
  /** PEM of Weir's own certificate authority, which is all that a replay trusts: beyond it is the engine. */
  readonly certificateAuthority: string;
}

/** A way to an origin through the engine. */
export interface Tunnel {
  readonly socket: Socket;
  readonly protocol: 'h2' | 'http/1.1';
  /** As the engine records its client: `address:port`. */
  readonly clientAddress: string;
}

const CONNECT_TIMEOUT_MS = 30_000;
const MOST_ANSWER_BYTES = 65_536;

/** What ALPN agreed on for each origin, so that the connections of one run need not ask again. */
export interface ProtocolMemory {
  readonly cache: Map<string, string>;
  readonly queue: Parameters<typeof auto.createResolveProtocol>[1];
}

export function createProtocolMemory(): ProtocolMemory {
  return { cache: new Map(), queue: new Map() };
}

/**
 * Opens a tunnel to an origin through the engine, with TLS inside it for https. Several versions are resolved by ALPN.
 *
 * @param beforeUse is awaited when the client's address is known and nothing was sent to the origin yet
 * @throws ContractError `unavailable` with a reason for a person; `cancelled`
 */
export async function openTunnel(
  entry: ProxyEntry,
  place: RequestPlace,
  versions: readonly ('h2' | 'http/1.1')[],
  memory: ProtocolMemory,
  beforeUse: (clientAddress: string) => Promise<void>,
  signal: AbortSignal,
): Promise<Tunnel> {
  const socket = connect({ host: entry.host, port: entry.port, noDelay: true });
  // It may break while nobody waits for it: what does wait hears of its end.
  socket.on('error', () => undefined);
  const abort = (): void => {
    socket.destroy(new ContractError('cancelled', 'The replay was cancelled.'));
  };
  signal.addEventListener('abort', abort, { once: true });
  socket.once('close', () => {
    signal.removeEventListener('abort', abort);
  });
  try {
    if (signal.aborted) abort();
    await connected(socket, entry, place);
    const { localAddress = '', localPort = 0 } = socket;
    const name = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
    const clientAddress = `${name}:${String(localPort)}`;
    await beforeUse(clientAddress);
    if (signal.aborted) throw new ContractError('cancelled', 'The replay was cancelled.');
    if (socket.destroyed) throw new Error('the connection to the proxy listener was closed');
    if (place.scheme === 'http') return { socket, protocol: versions[0] ?? 'http/1.1', clientAddress };
    const { socket: secure, protocol } = await secured(socket, entry, place, versions, memory);
    return { socket: secure, protocol, clientAddress };
  } catch (error: unknown) {
    socket.destroy();
    if (error instanceof ContractError) throw error;
    throw new ContractError('unavailable', `${place.authority} could not be reached through Weir: ${messageOf(error)}`);
  }
}

/** Asks for the tunnel (RFC 9110 §9.3.6); resolves when the engine agreed. */
function connected(socket: Socket, entry: ProxyEntry, place: RequestPlace): Promise<void> {
  const host = place.host.includes(':') ? `[${place.host}]` : place.host;
  const target = `${host}:${String(place.port)}`;
  const authorization = entry.authorization === null ? '' : `Proxy-Authorization: ${entry.authorization}\r\n`;
  return new Promise((resolve, reject) => {
    let answer = '';
    const timer = setTimeout(() => {
      reject(new Error('the proxy listener did not answer in 30 seconds'));
    }, CONNECT_TIMEOUT_MS);
    const settle = (error: Error | null): void => {
      clearTimeout(timer);
      socket.off('data', receive).off('error', settle).off('close', gone);
      socket.pause();
      if (error === null) resolve();
      else reject(error);
    };
    const gone = (): void => {
      settle(new Error('the connection to the proxy listener was closed'));
    };
    const receive = (bytes: Buffer): void => {
      answer += bytes.toString('latin1');
      const end = answer.indexOf('\r\n\r\n');
      if (end < 0) {
        if (answer.length > MOST_ANSWER_BYTES)
          settle(new Error('the proxy listener answered with a head that never ends'));
        return;
      }
      if (/^HTTP\/1\.[01] 2\d\d/.test(answer)) settle(null);
      else settle(new Error(`the proxy listener refused: ${answer.slice(0, answer.indexOf('\r\n'))}`));
    };
    socket.on('data', receive).on('error', settle).on('close', gone);
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
  });
}

async function secured(
  tunnel: Socket,
  entry: ProxyEntry,
  place: RequestPlace,
  versions: readonly ('h2' | 'http/1.1')[],
  memory: ProtocolMemory,
): Promise<{ socket: TLSSocket; protocol: 'h2' | 'http/1.1' }> {
  const options = {
    host: place.host,
    port: place.port,
    servername: isIP(place.host) === 0 ? place.host : '',
    ca: [entry.certificateAuthority],
    ALPNProtocols: [...versions],
    // Hands the connection over that it asked on, instead of closing it.
    resolveSocket: true,
  };
  const made: TLSSocket[] = [];
  // A failure, or the end of the tunnel, before the handshake is through.
  const failed = new Promise<never>((_, reject) => {
    tunnel.once('close', () => {
      reject(new Error('the connection was closed during the TLS handshake'));
    });
  });
  const shake = (alpn: readonly string[], onSecure: () => void): TLSSocket => {
    const { host, servername, ca } = options;
    const socket = connectTls({ socket: tunnel, host, servername, ca, ALPNProtocols: [...alpn] }, onSecure);
    made.push(socket);
    return socket;
  };
  const resolve = auto.createResolveProtocol(memory.cache, memory.queue, (_, onSecure) => shake(versions, onSecure));
  const resolved = await Promise.race([resolve(options), failed]);
  const protocol = resolved.alpnProtocol === 'h2' ? 'h2' : 'http/1.1';
  if (made.length === 0) {
    // Another connection had asked already: this one offers what was agreed on.
    const agreed = new Promise<void>((done, reject) => {
      shake([protocol], done).once('error', reject);
    });
    await Promise.race([agreed, failed]);
  }
  const [socket] = made;
  if (socket === undefined) throw new Error('no TLS connection was made');
  return { socket, protocol };
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code.startsWith('CERT') || code.includes('SELF_SIGNED') || code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE') {
    return `its certificate is not one of Weir's (${error.message}). It may be on the list of hosts that pass through unopened.`;
  }
  return error.message;
}
