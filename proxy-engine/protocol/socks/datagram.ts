import { readAddress, writeAddress, type SocksAddress } from './address.ts';

/** A datagram inside SOCKS5 (RFC 1928 §7). */
export interface SocksDatagram {
  /** Where it goes, or on the way back where it came from. */
  readonly address: SocksAddress;
  readonly payload: Buffer;
}

const FRAGMENT = 2;
const HEADER_BYTES = 3;

/**
 * Takes the header off a datagram of a client. Fragments are dropped, as RFC 1928 lets whoever does not put them together.
 *
 * @returns null when it is none or a fragment
 */
export function readDatagram(bytes: Buffer): SocksDatagram | null {
  if (bytes.length < HEADER_BYTES || bytes[FRAGMENT] !== 0) return null;
  const found = readAddress(bytes, HEADER_BYTES);
  if (found.kind !== 'address' || found.address.port === 0) return null;
  return { address: found.address, payload: bytes.subarray(found.end) };
}

/** Puts the header before a datagram for a client. */
export function writeDatagram({ address, payload }: SocksDatagram): Buffer {
  return Buffer.concat([Buffer.alloc(HEADER_BYTES), writeAddress(address) ?? Buffer.alloc(0), payload]);
}
