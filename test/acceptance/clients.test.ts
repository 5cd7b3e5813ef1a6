import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOriginCertificate } from '../support/openssl-certificate.ts';
import { CLIENT_PROGRAMS, type ClientRequest } from '../support/http-clients.ts';
import { ORIGIN_BODY, ORIGIN_TAG, RecordingOrigin, type SeenRequest } from '../support/recording-origin.ts';
import { WeirProcess } from '../support/weir-process.ts';

let folder: string;
let origin: RecordingOrigin;
let weir: WeirProcess;
let originCaFile: string;
let bigFile: string;
const bigBody = randomBytes(10_000_000);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-clients-'));
  const certificate = createOriginCertificate(folder);
  originCaFile = certificate.caFile;
  origin = await RecordingOrigin.start(certificate);
  weir = await WeirProcess.start(['--origin-ca', originCaFile]);
  bigFile = join(folder, 'big');
  await writeFile(bigFile, bigBody);
});

afterAll(async () => {
  await weir.stop();
  await origin.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Case {
  readonly name: string;
  readonly path: string;
  readonly status: number;
  readonly request?: Partial<ClientRequest>;
  readonly body?: boolean;
}

const CASES: readonly Case[] = [
  {
    name: 'GET',
    path: '/body?a=1&b=%20',
    status: 200,
    request: {
      headers: [
        ['X-Odd-Case', 'one'],
        ['x-odd-case', 'two'],
      ],
    },
  },
  { name: 'GET of a chunked body', path: '/chunked', status: 200 },
  { name: 'POST of 10 MB', path: '/echo', status: 200, request: { method: 'POST' }, body: true },
  {
    name: 'chunked upload of 10 MB',
    path: '/echo',
    status: 200,
    request: { method: 'POST', chunked: true },
    body: true,
  },
  {
    name: 'Expect: 100-continue answered by 417',
    path: '/refuse-continue',
    status: 417,
    request: { method: 'PUT', headers: [['Expect', '100-continue']] },
    body: true,
  },
  { name: 'HEAD', path: '/body', status: 200, request: { method: 'HEAD' } },
  { name: '304', path: '/cached', status: 304, request: { headers: [['If-None-Match', ORIGIN_TAG]] } },
  { name: 'a range', path: '/range', status: 206, request: { headers: [['Range', 'bytes=100-299']] } },
  { name: 'a redirect', path: '/redirect', status: 200, request: { followRedirects: true } },
  { name: 'HTTP/1.0', path: '/body', status: 200, request: { http10: true } },
];

/** Fields of one hop, which a proxy must take away (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection']);

/** Names and values in turn, without those of one hop. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, rawHeaders[at + 1] ?? '');
  }
  return kept;
}

/** What must be equal at the origin, whether the request came straight or through Weir. */
function comparable(seen: readonly SeenRequest[]): unknown {
  // The version is that of the hop, and a proxy sends its own (RFC 9112 §2.3).
  return seen.map(({ version: _hop, ...request }) => ({ ...request, rawHeaders: endToEnd(request.rawHeaders) }));
}

for (const program of CLIENT_PROGRAMS) {
  for (const scheme of ['http', 'https'] as const) {
    describe(`${program.name} over ${scheme}`, () => {
      for (const item of CASES) {
        const request = (): ClientRequest => ({
          method: 'GET',
          url: origin.url(scheme, item.path),
          headers: [],
          bodyFile: item.body === true ? bigFile : null,
          chunked: false,
          http10: false,
          followRedirects: false,
          ...item.request,
        });
        const able = program.can({
          ...item.request,
          headers: item.request?.headers ?? [],
          chunked: item.request?.chunked === true,
          http10: item.request?.http10 === true,
          method: '',
          url: '',
          bodyFile: null,
          followRedirects: false,
        });
        // wget waits for a body behind 304 until the server closes the connection, with or without a proxy.
        if (!able || (program.name === 'wget' && item.status === 304)) continue;
        test(`${item.name}: answer and request are the same as without Weir`, async () => {
          origin.seen.length = 0;
          const direct = await program.run(request(), { proxy: null, caFile: originCaFile, folder });
          const directSeen = comparable(origin.seen);
          origin.seen.length = 0;
          const through = await program.run(request(), { proxy: weir.proxyUrl, caFile: weir.ready.ca, folder });
          expect(through).toEqual(direct);
          expect(through.status).toBe(item.status);
          expect(comparable(origin.seen)).toEqual(directSeen);
        }, 60_000);
      }
    });
  }
}

test('pipelined requests on one connection are answered in order', async () => {
  const socket = connect({ host: '127.0.0.1', port: weir.port });
  await once(socket, 'connect');
  const authority = `localhost:${String(origin.port('http'))}`;
  const target = (path: string): string => `http://${authority}${path}`;
  const paths = ['/range', '/cached', '/redirect', '/body'];
  const extra = ['Range: bytes=100-299\r\n', `If-None-Match: ${ORIGIN_TAG}\r\n`, '', 'Connection: close\r\n'];
  socket.write(
    paths.map((path, n) => `GET ${target(path)} HTTP/1.1\r\nHost: ${authority}\r\n${extra[n] ?? ''}\r\n`).join(''),
  );
  let text = '';
  for await (const chunk of socket) text += (chunk as Buffer).toString('latin1');
  expect([...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1])).toEqual(['206', '304', '302', '200']);
  expect(text.endsWith(ORIGIN_BODY.toString('latin1'))).toBe(true);
});

test('1,000 requests, 50 at a time, all come back whole and are all listed', async () => {
  const before = (await weir.list()).length;
  const expected = createHash('sha256').update(ORIGIN_BODY).digest('hex');
  const urls = Array.from(
    { length: 1_000 },
    (_unused, n) =>
      `url = "${origin.url('https', `/body?n=${String(n)}`)}"\noutput = "${join(folder, `many-${String(n)}`)}"`,
  );
  const config = join(folder, 'many.conf');
  await writeFile(config, urls.join('\n'));
  await promisify(execFile)('curl', [
    '-s',
    '-S',
    '--fail',
    '--parallel',
    '--parallel-max',
    '50',
    '--http1.1',
    '--cacert',
    weir.ready.ca,
    '--proxy',
    weir.proxyUrl,
    '--noproxy',
    '',
    '-K',
    config,
  ]);
  for (let n = 0; n < 1_000; n += 1) {
    const bytes = await readFile(join(folder, `many-${String(n)}`));
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(expected);
  }
  const rows = await weir.listUntil((all) => all.filter((row) => row.complete).length >= before + 1_000);
  const targets = new Set(rows.filter((row) => row.complete && row.url.includes('?n=')).map((row) => row.url));
  expect(targets.size).toBe(1_000);
}, 120_000);
