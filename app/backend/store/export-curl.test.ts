import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStoreKit, type RecordedExchange, type StoreKit } from '../../../test/support/store-kit.ts';
import { exportCurl } from './export-curl.ts';

const run = promisify(execFile);

/** Everything that a shell, curl or a URL could misread. */
const AWKWARD = `'"$HOME \`id\` \\n \\\\ !x; & | > < * ? [a] {b,c} ~ # % %s %% é 漢 \u{1F600}`;

const EVERY_BYTE = Buffer.from(Array.from({ length: 1_024 }, (_, index) => index % 256));

const REQUESTS: Readonly<Record<string, RecordedExchange>> = {
  'a plain GET': { path: '/a/b?x=1&y=2', requestHeaders: ['User-Agent: test/1', 'Accept: */*'] },
  'no usual field at all': { path: '/' },
  'fields in odd case, doubled and empty': {
    path: '/',
    requestHeaders: [
      'x-LOWER: 1',
      'X-Same: a',
      'x-same: b',
      'X-Empty: ',
      'aCCept: text/*',
      'X-At: @file',
      'Cookie: a=b; c="d e"',
    ],
  },
  'a field with everything that a shell could misread': { path: '/', requestHeaders: [`X-Odd: ${latin1(AWKWARD)}`] },
  'a field of bytes that are no UTF-8': { path: '/', requestHeaders: ['X-Latin: caf\xe9 \xff\x80'] },
  'a target with brackets, braces, dots and quotes': { path: "/a/../b/./[1]{x,y}?q='z'&r=%20%2F$(id)" },
  'a HEAD': { method: 'HEAD', path: '/head' },
  'an unusual method': { method: 'PURGE', path: '/cache' },
  'a GET with a body': {
    method: 'GET',
    path: '/search',
    requestBody: '{"query":{}}',
    requestHeaders: ['Content-Type: application/json'],
  },
  'a DELETE without a body': { method: 'DELETE', path: '/thing' },
  'a form': {
    method: 'POST',
    path: '/form',
    requestBody: 'a=1&b=%20',
    requestHeaders: ['Content-Type: application/x-www-form-urlencoded'],
  },
  'a body without a type': { method: 'POST', path: '/', requestBody: 'x' },
  'a body with everything that a shell could misread': { method: 'PUT', path: '/', requestBody: AWKWARD },
  'a body of several lines': { method: 'POST', path: '/', requestBody: 'one\ntwo\r\n\tthree\n' },
  'a body that begins with @': { method: 'POST', path: '/', requestBody: '@/etc/hostname' },
  'a body of every byte': { method: 'POST', path: '/', requestBody: EVERY_BYTE },
  'a body of one NUL': { method: 'POST', path: '/', requestBody: Buffer.from([0]) },
  'a body with a content coding': {
    method: 'POST',
    path: '/',
    requestBody: gzipSync('coded'),
    requestHeaders: ['Content-Encoding: gzip'],
  },
  'a body of 400 KB': {
    method: 'POST',
    path: '/',
    requestBody: Buffer.concat(Array.from({ length: 400 }, () => EVERY_BYTE)),
  },
};

const origin = createServer();
let seen: Buffer = Buffer.alloc(0);
let kit: StoreKit;

beforeAll(async () => {
  origin.on('connection', (socket) => {
    seen = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      seen = Buffer.concat([seen, bytes]);
      if (isWhole(seen)) socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n');
    });
  });
  await once(origin.listen(0, '127.0.0.1'), 'listening');
  kit = openStoreKit();
});

afterAll(() => {
  kit[Symbol.dispose]();
  origin.close();
});

test.each(Object.entries(REQUESTS))('%s reaches the origin as it was recorded', async (_title, request) => {
  const { port } = origin.address() as AddressInfo;
  const host = `127.0.0.1:${String(port)}`;
  const id = kit.record({ ...request, scheme: 'http', host: '127.0.0.1', port, responseBody: '' });
  kit.commit();
  const command = await exportCurl(kit.reader(), id);
  // `sh` reads the command from a file as a person's shell would from a paste.
  const child = run('sh', ['-s', '--'], { encoding: 'buffer' });
  child.child.stdin?.end(`${command} --silent --show-error --output /dev/null --noproxy '*'\n`);
  await child;

  const { method = 'GET', path = '/', requestHeaders = [], requestBody = '' } = request;
  const end = seen.indexOf('\r\n\r\n');
  const [startLine, first, ...fields] = seen.subarray(0, end).toString('latin1').split('\r\n');
  expect(startLine).toBe(`${method} ${path} HTTP/1.1`);
  expect(first).toBe(`Host: ${host}`);
  expect(
    fields.filter((field) => !field.startsWith('Content-Length:')).map((field) => field.replace(/:$/, ': ')),
  ).toEqual(requestHeaders);
  expect(seen.subarray(end + 4).equals(Buffer.from(requestBody))).toBe(true);
});

test('a body that is too long for a command is named as a file', async () => {
  const id = kit.record({ method: 'POST', requestBody: Buffer.alloc(2_000_000) });
  kit.commit();

  expect(await exportCurl(kit.reader(), id)).toContain('--data-binary @request-body.bin');
});

function isWhole(bytes: Buffer): boolean {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: (\d+)/im.exec(bytes.subarray(0, end).toString('latin1'))?.[1];
  return bytes.length >= end + 4 + Number(length ?? 0);
}

/** Text as a header field holds it: its UTF-8 bytes, a character each. */
function latin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
