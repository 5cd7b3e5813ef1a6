import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { CLIENT_HELLOS } from '../../../test/support/client-hellos.ts';
import { ClientHelloReader, ja3, ja3Text, ja4, ja4Text, type ClientHello } from './index.ts';

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function helloOf(bytes: Buffer): ClientHello {
  const result = new ClientHelloReader().receive(bytes);
  if (result.kind !== 'hello') throw new Error(result.kind);
  return result.hello;
}

const hex = (list: string): number[] => list.split(',').map((value) => Number.parseInt(value, 16));

/** The client of the worked example in the JA4 specification. */
const EXAMPLE: ClientHello = {
  legacyVersion: 0x0303,
  random: Buffer.alloc(32),
  sessionId: Buffer.alloc(32),
  cipherSuites: hex('2a2a,1301,1302,1303,c02b,c02f,c02c,c030,cca9,cca8,c013,c014,009c,009d,002f,0035'),
  compressionMethods: [0],
  extensions: hex('9a9a,001b,0000,0033,0010,4469,0017,002d,000d,0005,0023,0012,002b,ff01,000b,000a,0015,fafa'),
  sni: 'example.com',
  alpn: ['h2', 'http/1.1'],
  versions: hex('6a6a,0304,0303'),
  groups: hex('baba,001d,0017,0018'),
  pointFormats: [0],
  signatureAlgorithms: hex('0403,0804,0401,0503,0805,0501,0806,0601'),
  keyShareGroups: hex('baba,001d'),
  encryptedClientHello: false,
  byteLength: 512,
};

test('JA4 of the published example', () => {
  expect(ja4(EXAMPLE, sha256)).toBe('t13d1516h2_8daaf6152771_e5627efa2ab1');
  expect(ja4Text(EXAMPLE)).toBe(
    't13d1516h2_002f,0035,009c,009d,1301,1302,1303,c013,c014,c02b,c02c,c02f,c030,cca8,cca9_' +
      '0005,000a,000b,000d,0012,0015,0017,001b,0023,002b,002d,0033,4469,ff01_0403,0804,0401,0503,0805,0501,0806,0601',
  );
});

test('JA4 without signature algorithms ends without an underscore', () => {
  expect(ja4({ ...EXAMPLE, signatureAlgorithms: [] }, sha256)).toBe('t13d1516h2_8daaf6152771_6d807ffa2a79');
});

test('JA4 of empty lists is zeros', () => {
  const empty = { ...EXAMPLE, cipherSuites: [], extensions: [], signatureAlgorithms: [], alpn: [], versions: [] };
  expect(ja4(empty, sha256)).toBe('t12i000000_000000000000_000000000000');
});

test.each([
  ['\xab', 'ab'],
  ['\xab\xcd', 'ad'],
  ['0\xab', '3b'],
  ['01\xab\xcd', '3d'],
  ['0\xab\xcd1', '01'],
  ['http/1.1', 'h1'],
  ['x', 'xx'],
  ['', '00'],
])('the ALPN name %j is marked %s', (name, mark) => {
  expect(ja4({ ...EXAMPLE, alpn: [name] }, sha256).slice(8, 10)).toBe(mark);
});

test('more than 99 suites count as 99', () => {
  expect(ja4({ ...EXAMPLE, cipherSuites: Array.from({ length: 120 }, (_, index) => index) }, sha256)).toMatch(
    /^t13d9916h2_/,
  );
});

test.each([
  ['openssl', '5a1edc7f170af1014fc65c994878e63c'],
  ['opensslTls12', 'fbe7e189e37a07ee33706f86bc746344'],
  ['node', 'd67b094811e5145139d7cea5f014309f'],
  ['curl', '0149f47eabf9a20d0893e2a44e5a6323'],
  ['chromium', 'd1e28627770e4f977732560687ae4b89'],
] as const)('JA3 of %s is what tshark computes', (name, expected) => {
  expect(ja3(helloOf(CLIENT_HELLOS[name]), md5)).toBe(expected);
});

test('JA3 leaves GREASE out and keeps the order of the wire', () => {
  expect(ja3Text(EXAMPLE)).toBe(
    '771,4865-4866-4867-49195-49199-49196-49200-52393-52392-49171-49172-156-157-47-53,' +
      '27-0-51-16-17513-23-45-13-5-35-18-43-65281-11-10-21,29-23-24,0',
  );
});

test('Chromium keeps its JA4 while the order of its extensions changes', () => {
  const hello = helloOf(CLIENT_HELLOS.chromium);
  const shuffled = { ...hello, extensions: hello.extensions.toReversed() };
  expect(ja4(shuffled, sha256)).toBe(ja4(hello, sha256));
  expect(ja3(shuffled, md5)).not.toBe(ja3(hello, md5));
});
