import { describe, expect, test } from 'vitest';
import { CLIENT_HELLOS } from '../../../test/support/client-hellos.ts';
import { acceptsEcdsa, ClientHelloReader, isGrease, type ClientHello, type ClientHelloResult } from './index.ts';

const { chromium, openssl, opensslTls12, node, python, java } = CLIENT_HELLOS;

function read(...pieces: readonly Uint8Array[]): ClientHelloResult {
  const reader = new ClientHelloReader();
  for (const piece of pieces) reader.receive(piece);
  return reader.result;
}

function helloOf(...pieces: readonly Uint8Array[]): ClientHello {
  const result = read(...pieces);
  if (result.kind !== 'hello') throw new Error(`expected a hello, got ${JSON.stringify(result)}`);
  return result.hello;
}

/** The hello's handshake message without its record. */
const messageOf = (record: Buffer): Buffer => record.subarray(5, 5 + record.readUInt16BE(3));

function records(message: Buffer, fragmentBytes: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < message.length; at += fragmentBytes) {
    const fragment = message.subarray(at, at + fragmentBytes);
    parts.push(Buffer.from([22, 3, 1, fragment.length >> 8, fragment.length & 0xff]), fragment);
  }
  return Buffer.concat(parts);
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 0xff]);
}

function extension(type: number, content: Buffer): Buffer {
  return Buffer.concat([uint16(type), uint16(content.length), content]);
}

/** A hello message with the given extensions block. */
function helloMessage(...extensions: readonly Buffer[]): Buffer {
  const block = Buffer.concat(extensions);
  const body = Buffer.concat([
    uint16(0x0303),
    Buffer.alloc(32, 7),
    Buffer.from([0]),
    uint16(2),
    uint16(0x1301),
    Buffer.from([1, 0]),
    uint16(block.length),
    block,
  ]);
  return Buffer.concat([Buffer.from([1, body.length >> 16, (body.length >> 8) & 0xff, body.length & 0xff]), body]);
}

describe('what real clients say', () => {
  test('the server name, ALPN and versions of openssl', () => {
    const hello = helloOf(openssl);
    expect(hello.sni).toBe('openssl.example');
    expect(hello.alpn).toEqual(['h2', 'http/1.1']);
    expect(hello.versions).toEqual([0x0304, 0x0303, 0x0302, 0x0301]);
    expect(hello.legacyVersion).toBe(0x0303);
    expect(hello.sessionId).toHaveLength(32);
    expect(hello.encryptedClientHello).toBe(false);
  });

  test('a hello without server name and without supported_versions', () => {
    const hello = helloOf(opensslTls12);
    expect(hello.sni).toBeNull();
    expect(hello.alpn).toEqual([]);
    expect(hello.versions).toEqual([]);
    expect(hello.legacyVersion).toBe(0x0303);
  });

  test("Chromium's GREASE, encrypted_client_hello and post-quantum share", () => {
    const hello = helloOf(chromium);
    expect(hello.sni).toBe('chromium.example');
    expect(hello.encryptedClientHello).toBe(true);
    expect(hello.cipherSuites.filter(isGrease)).toHaveLength(1);
    expect(hello.extensions.filter(isGrease)).toHaveLength(2);
    expect(hello.keyShareGroups).toContain(0x11ec);
  });

  test('a post-quantum share of Node makes the hello longer than one segment', () => {
    expect(node.length).toBeGreaterThan(1_460);
    expect(helloOf(node).keyShareGroups).toEqual([0x11ec, 0x001d]);
  });

  test('every one of them can verify an ECDSA leaf', () => {
    for (const hello of [chromium, openssl, opensslTls12, node, python, java])
      expect(acceptsEcdsa(helloOf(hello))).toBe(true);
  });
});

describe('however the bytes are cut', () => {
  test.each(Object.entries(CLIENT_HELLOS))('%s byte by byte gives the same hello as whole', (_name, bytes) => {
    const whole = helloOf(bytes);
    expect(helloOf(...[...bytes].map((byte) => Buffer.from([byte])))).toEqual(whole);
  });

  test('every split into two segments gives the same hello', () => {
    const whole = helloOf(openssl);
    for (let at = 1; at < openssl.length; at += 1) {
      expect(helloOf(openssl.subarray(0, at), openssl.subarray(at))).toEqual(whole);
    }
  });

  test('every proper beginning is incomplete', () => {
    for (let length = 0; length < chromium.length; length += 1) {
      expect(read(chromium.subarray(0, length)).kind).toBe('incomplete');
    }
  });

  test.each([1, 2, 3, 5, 100, 1_000])('records of %i bytes give the same hello as one record', (size) => {
    const message = messageOf(chromium);
    expect(helloOf(records(message, size))).toEqual(helloOf(chromium));
    expect(helloOf(...[...records(message, size)].map((byte) => Buffer.from([byte])))).toEqual(helloOf(chromium));
  });

  test('bytes after the hello are left alone', () => {
    expect(helloOf(Buffer.concat([openssl, Buffer.from([20, 3, 3, 0, 1, 1, 99, 99])]))).toEqual(helloOf(openssl));
  });

  test('rule 41: a hello over 16 KiB that spans records is read', () => {
    const share = Buffer.concat([uint16(0x11ec), uint16(40_000), Buffer.alloc(40_000, 1)]);
    const message = helloMessage(extension(51, Buffer.concat([uint16(share.length), share])));
    const hello = helloOf(records(message, 16_384));
    expect(hello.keyShareGroups).toEqual([0x11ec]);
    expect(hello.byteLength).toBe(message.length);
  });

  test('what was read does not change when the buffer is used again', () => {
    const bytes = Buffer.from(openssl);
    const hello = helloOf(bytes);
    const random = Buffer.from(hello.random);
    bytes.fill(0);
    expect(hello.random).toEqual(random);
  });
});

describe('what is not a ClientHello', () => {
  test.each([
    ['an HTTP request', 'GET / HTTP/1.1\r\n'],
    ['an SSH greeting', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['the first byte of something else', 'G'],
    ['a TLS alert', '\x15\x03\x03\0\x02\x02\x28'],
    ['a ServerHello', '\x16\x03\x03\0\x04\x02\0\0\0'],
    ['a record version of SSL 2', '\x16\x02\x00\0\x04'],
  ])('%s is not TLS', (_what, text) => {
    expect(read(Buffer.from(text, 'latin1'))).toEqual({ kind: 'not-tls' });
  });

  test('one byte of 0x16 is not enough to tell', () => {
    expect(read(Buffer.from([22])).kind).toBe('incomplete');
  });

  test('an empty record and one over 16 KiB are refused', () => {
    expect(read(Buffer.from([22, 3, 1, 0, 0])).kind).toBe('not-tls');
    expect(read(Buffer.from([22, 3, 1, 0x40, 1])).kind).toBe('not-tls');
  });

  test('another record in the middle of the hello is malformed', () => {
    const message = messageOf(openssl);
    const bytes = Buffer.concat([records(message.subarray(0, 50), 50), Buffer.from([23, 3, 3, 0, 1, 0])]);
    expect(read(bytes).kind).toBe('malformed');
  });

  test('a hello that claims more than the bound is malformed before its bytes come', () => {
    const result = read(Buffer.from([22, 3, 1, 0x40, 0, 1, 1, 0, 1]));
    expect(result).toEqual({ kind: 'malformed', reason: 'the ClientHello has 65537 bytes; at most 65536 are read' });
  });

  test.each([
    ['an ALPN list longer than its extension', extension(16, Buffer.from([0, 9, 1, 0x61]))],
    ['a server name longer than its list', extension(0, Buffer.from([0, 5, 0, 0, 9, 0x61, 0x62]))],
    ['half a group', extension(10, Buffer.from([0, 3, 0, 29, 0]))],
    ['an extension longer than the block', Buffer.from([0, 16, 0, 9, 0])],
  ])('%s is malformed', (_what, bytes) => {
    expect(read(records(helloMessage(bytes), 16_384)).kind).toBe('malformed');
  });

  test('an empty server name counts as none', () => {
    expect(helloOf(records(helloMessage(extension(0, Buffer.alloc(0))), 16_384)).sni).toBeNull();
    expect(helloOf(records(helloMessage(extension(0, Buffer.from([0, 3, 0, 0, 0]))), 16_384)).sni).toBeNull();
  });

  test('a result stays as it is when more bytes come', () => {
    const reader = new ClientHelloReader();
    expect(reader.receive(Buffer.from('GET')).kind).toBe('not-tls');
    expect(reader.receive(openssl).kind).toBe('not-tls');
  });
});

describe('which kind of leaf a client can verify', () => {
  const TLS_12 = { versions: [], signatureAlgorithms: [0x0403], groups: [0x001d, 0x0017], cipherSuites: [0xc02b] };
  const TLS_13 = { versions: [0x0304], signatureAlgorithms: [0x0403], groups: [0x001d], cipherSuites: [0x1301] };

  test.each([
    ['TLS 1.3 with the scheme for P-256', TLS_13, true],
    ['TLS 1.3 with RSA schemes alone', { ...TLS_13, signatureAlgorithms: [0x0804, 0x0401] }, false],
    ['TLS 1.2 with an ECDSA suite', TLS_12, true],
    ['TLS 1.2 with RSA suites alone', { ...TLS_12, cipherSuites: [0xc02f, 0x009c] }, false],
    ['TLS 1.2 without our curve', { ...TLS_12, groups: [0x001d] }, false],
    ['TLS 1.2 with RSA schemes alone', { ...TLS_12, signatureAlgorithms: [0x0401] }, false],
    ['a client that says nothing of schemes and groups', { ...TLS_12, signatureAlgorithms: [], groups: [] }, true],
  ])('%s', (_what, changes, accepted) => {
    expect(acceptsEcdsa({ ...helloOf(openssl), ...changes })).toBe(accepted);
  });
});
