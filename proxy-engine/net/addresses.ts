import { isIP, isIPv4, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';

/** `address:port`, with brackets around IPv6. */
export function formatAddress(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${String(port)}` : `${address}:${String(port)}`;
}

/** The peer's address and port. */
export function remoteAddress(socket: Socket): string {
  return formatAddress(socket.remoteAddress ?? '', socket.remotePort ?? 0);
}

/**
 * The plain form of an address as the system writes it: IPv4 in IPv6 becomes IPv4 (`::ffff:127.0.0.1`), the unspecified
 * address becomes the loopback one that a connection to it reaches, zones are dropped.
 */
export function canonicalAddress(address: string): string {
  const zone = address.indexOf('%');
  const bare = (zone === -1 ? address : address.slice(0, zone)).toLowerCase();
  const mapped = bare.startsWith('::ffff:') ? bare.slice(7) : bare;
  if (isIPv4(mapped)) return mapped === '0.0.0.0' ? '127.0.0.1' : mapped;
  if (isIP(bare) !== 6) return bare;
  const plain = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const hexMapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(plain);
  if (hexMapped !== null) {
    const high = Number.parseInt(hexMapped[1] ?? '0', 16);
    const low = Number.parseInt(hexMapped[2] ?? '0', 16);
    return canonicalAddress(`${String(high >> 8)}.${String(high & 255)}.${String(low >> 8)}.${String(low & 255)}`);
  }
  return plain === '::' ? '::1' : plain;
}

/** True for every address that only this machine can be reached by. */
export function isLoopback(address: string): boolean {
  const plain = canonicalAddress(address);
  return plain === '::1' || (isIPv4(plain) && plain.startsWith('127.'));
}

/** True for the addresses of this machine's interfaces. @param plain in its canonical form */
export function isOfThisMachine(plain: string): boolean {
  return Object.values(networkInterfaces()).some((entries) =>
    (entries ?? []).some((entry) => canonicalAddress(entry.address) === plain),
  );
}
