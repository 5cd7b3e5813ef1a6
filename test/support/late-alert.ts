import { createCipheriv, createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, type ConnectionOptions } from 'node:tls';

/** Names of TLS alerts (RFC 8446 §6). */
const ALERTS = { bad_certificate: 42, unknown_ca: 48, internal_error: 80 } as const;

/**
 * A client of TLS 1.3 that finishes its handshake and then sends a fatal alert, which no client library here does by
 * itself: the record is encrypted by hand with the secret that Node logs.
 *
 * @param raw the connection to the server, or the tunnel to it
 */
export async function sendLateAlert(
  raw: Socket,
  alert: keyof typeof ALERTS,
  options: ConnectionOptions,
): Promise<void> {
  const socket = connect({ ...options, socket: raw, minVersion: 'TLSv1.3', rejectUnauthorized: false });
  let secret: Buffer = Buffer.alloc(0);
  socket.on('keylog', (line: Buffer) => {
    const [label, , hex] = line.toString('latin1').trim().split(' ');
    if (label === 'CLIENT_TRAFFIC_SECRET_0') secret = Buffer.from(hex ?? '', 'hex');
  });
  socket.resume();
  // The server's tickets come once our own Finished is with it.
  await once(socket, 'session');
  // RFC 8446 §7.3 with the hash of the suite.
  const [hash, cipher, keyBytes] =
    secret.length === 48 ? (['sha384', 'aes-256-gcm', 32] as const) : (['sha256', 'aes-128-gcm', 16] as const);
  const key = expand(hash, secret, 'key', keyBytes);
  const nonce = expand(hash, secret, 'iv', 12);
  const inner = Buffer.from([2, ALERTS[alert], 0x15]);
  const header = Buffer.from([0x17, 3, 3, 0, inner.length + 16]);
  const sealing = createCipheriv(cipher, key, nonce);
  sealing.setAAD(header);
  const sealed = Buffer.concat([sealing.update(inner), sealing.final(), sealing.getAuthTag()]);
  raw.write(Buffer.concat([header, sealed]));
}

function expand(hash: string, secret: Buffer, label: string, length: number): Buffer {
  const name = `tls13 ${label}`;
  const info = Buffer.concat([Buffer.from([0, length, name.length]), Buffer.from(name), Buffer.from([0])]);
  return hkdfExpand(hash, secret, info, length);
}

/** HKDF-Expand alone (RFC 5869 §2.3): one block of HMAC is enough for keys. */
function hkdfExpand(hash: string, secret: Buffer, info: Buffer, length: number): Buffer {
  return createHmac(hash, secret)
    .update(info)
    .update(Buffer.from([1]))
    .digest()
    .subarray(0, length);
}
