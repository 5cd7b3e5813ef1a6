import type { Socket } from 'node:net';

/*
 * What a connection through an upstream proxy leaves behind on its socket: TLS to the proxy lies below everything else, and
 * the origin may have spoken together with the proxy's yes.
 */

const below = new WeakMap<Socket, Socket>();
const early = new WeakMap<Socket, Buffer>();

/** Remembers that `upper` speaks TLS over `lower`, so that the connection itself can be reset. */
export function layOver(upper: Socket, lower: Socket): void {
  below.set(upper, lower);
}

/** The TCP socket at the bottom. */
export function lowestSocket(socket: Socket): Socket {
  let lowest = socket;
  for (let next = below.get(lowest); next !== undefined; next = below.get(lowest)) lowest = next;
  return lowest;
}

/** Puts bytes back that were read and belong to whoever takes the socket over, behind those that were put back before. */
export function leaveEarly(socket: Socket, bytes: Buffer): void {
  const before = early.get(socket);
  if (bytes.length > 0) early.set(socket, before === undefined ? bytes : Buffer.concat([before, bytes]));
}

/** What was left on the socket; null for nothing. It is given out once. */
export function takeEarly(socket: Socket): Buffer | null {
  const bytes = early.get(socket) ?? null;
  if (bytes !== null) early.delete(socket);
  return bytes;
}
