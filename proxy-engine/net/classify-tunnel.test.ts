import { expect, test } from 'vitest';
import { classifyTunnel, isBrokenPreface } from './classify-tunnel.ts';

test.each([
  ['\x16\x03\x01', 'tls'],
  ['GET / HTTP/1.1\r\n', 'http'],
  ['get /x HTTP/1.0\n', 'http'],
  ['OPTIONS * HTTP/1.1\r\nHost: a\r\n', 'http'],
  ['G', 'unknown'],
  ['GET /a', 'unknown'],
  ['GET /a HTTP/1.1', 'unknown'],
  ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'http2'],
  ['NICK weir\r\n', 'other'],
  ['SSH-2.0-OpenSSH_9\r\n', 'other'],
  ['EHLO me\r\n', 'other'],
  ['\x00\x01', 'other'],
  ['\x80\x2e', 'other'],
  [' GET / HTTP/1.1\r\n', 'other'],
])('%j is %s', (bytes, content) => {
  expect(classifyTunnel(Buffer.from(bytes, 'latin1'))).toBe(content);
});

test.each([
  ['INVALID CONNECTION PREFACE\r\n\r\n', true],
  ['GET / HTTP/1.1\r\n', false],
  ['GET / HTTP\r\n', false],
  ['GET /\r\n', false],
  ['GET / HTTP/9\r\n', false],
])('%j is a broken preface: %j', (bytes, isBroken) => {
  expect(isBrokenPreface(Buffer.from(bytes, 'latin1'))).toBe(isBroken);
});
