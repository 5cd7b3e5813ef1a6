import { EXTENSION, isGrease, type ClientHello } from './client-hello.ts';

/** Hash of a text's bytes as lower-case hex; handed in, since this level knows no cryptography. */
export type HexHash = (text: string) => string;

/**
 * The text that JA3 hashes: version, suites, extensions, groups and point formats in wire order, decimal, without GREASE.
 */
export function ja3Text(hello: ClientHello): string {
  const lists = [hello.cipherSuites, hello.extensions, hello.groups, hello.pointFormats];
  const parts = lists.map((list) => list.filter((value) => !isGrease(value)).join('-'));
  return [String(hello.legacyVersion), ...parts].join(',');
}

/** JA3 fingerprint, 32 hex digits. @param md5 MD5 of a text */
export function ja3(hello: ClientHello, md5: HexHash): string {
  return md5(ja3Text(hello));
}

/**
 * JA4 fingerprint of a hello over TCP, for example `t13d1516h2_8daaf6152771_e5627efa2ab1`.
 * @param sha256 SHA-256 of a text
 */
export function ja4(hello: ClientHello, sha256: HexHash): string {
  const { suites, extensions } = ja4Lists(hello);
  const shortHash = (text: string): string => (text === '' ? '000000000000' : sha256(text).slice(0, 12));
  return `${ja4Head(hello)}_${shortHash(suites)}_${shortHash(extensions)}`;
}

/** The same before hashing (JA4_r), for people who compare clients. */
export function ja4Text(hello: ClientHello): string {
  const { suites, extensions } = ja4Lists(hello);
  return `${ja4Head(hello)}_${suites}_${extensions}`;
}

const VERSION_NAMES: ReadonlyMap<number, string> = new Map([
  [0x0304, '13'],
  [0x0303, '12'],
  [0x0302, '11'],
  [0x0301, '10'],
  [0x0300, 's3'],
  [0x0002, 's2'],
]);

function ja4Head(hello: ClientHello): string {
  const versions = hello.versions.filter((version) => !isGrease(version));
  const version = versions.length > 0 ? Math.max(...versions) : hello.legacyVersion;
  const name = VERSION_NAMES.get(version) ?? '00';
  const target = hello.extensions.includes(EXTENSION.serverName) ? 'd' : 'i';
  return `t${name}${target}${count(hello.cipherSuites)}${count(hello.extensions)}${alpnMark(hello.alpn[0] ?? '')}`;
}

/** Two digits, GREASE not counted, 99 at most. */
function count(values: readonly number[]): string {
  const real = values.filter((value) => !isGrease(value)).length;
  return String(Math.min(real, 99)).padStart(2, '0');
}

/** First and last character of the first ALPN name; of its hex form when either is not alphanumeric. */
function alpnMark(name: string): string {
  if (name === '') return '00';
  const first = name.charAt(0);
  const last = name.charAt(name.length - 1);
  if (isAlphanumeric(first) && isAlphanumeric(last)) return first + last;
  const hex = Buffer.from(name, 'latin1').toString('hex');
  return hex.charAt(0) + hex.charAt(hex.length - 1);
}

function isAlphanumeric(character: string): boolean {
  return /^[0-9A-Za-z]$/.test(character);
}

/**
 * Suites and extensions sorted, without GREASE; the server name and ALPN are left out since they say where a client goes
 * and not what it is. Signature algorithms follow in wire order.
 */
function ja4Lists(hello: ClientHello): { suites: string; extensions: string } {
  const suites = sortedHex(hello.cipherSuites).join(',');
  const kept = hello.extensions.filter((type) => type !== EXTENSION.serverName && type !== EXTENSION.alpn);
  const types = sortedHex(kept).join(',');
  const algorithms = hello.signatureAlgorithms.filter((value) => !isGrease(value)).map(hex4);
  const extensions = algorithms.length === 0 ? types : `${types}_${algorithms.join(',')}`;
  return { suites, extensions };
}

function sortedHex(values: readonly number[]): string[] {
  return values
    .filter((value) => !isGrease(value))
    .map(hex4)
    .sort();
}

function hex4(value: number): string {
  return value.toString(16).padStart(4, '0');
}
