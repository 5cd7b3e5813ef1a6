import type { Credentials } from '../model/engine-config.ts';

/**
 * Whether a value of Proxy-Authorization is the Basic scheme (RFC 7617) with the wanted user and password. How long it takes
 * tells nothing of where they differ.
 */
export function showsCredentials(value: string | null, wanted: Credentials): boolean {
  const token = /^basic +([A-Za-z0-9+/_-]+={0,2}) *$/i.exec(value ?? '')?.[1];
  if (token === undefined) return false;
  return isEqual(Buffer.from(token, 'base64'), Buffer.from(`${wanted.user}:${wanted.password}`, 'utf8'));
}

/** The same for a user and a password as SOCKS carries them: bytes. */
export function areCredentials(user: string, password: string, wanted: Credentials): boolean {
  const isUser = isEqual(Buffer.from(user, 'latin1'), Buffer.from(wanted.user, 'utf8'));
  const isPassword = isEqual(Buffer.from(password, 'latin1'), Buffer.from(wanted.password, 'utf8'));
  return isUser && isPassword;
}

/** Compares in a time that depends on the length of what was shown alone. */
function isEqual(shown: Buffer, wanted: Buffer): boolean {
  let difference = shown.length ^ wanted.length;
  for (let index = 0; index < shown.length; index += 1) {
    difference |= (shown[index] ?? 0) ^ (wanted[index % Math.max(1, wanted.length)] ?? 0);
  }
  return difference === 0;
}
