import { createSecureServer, type Http2SecureServer, type ServerHttp2Stream } from 'node:http2';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ContractClient, ExchangeSummary, ReplayLoad, ReplayProgress, ReplayRequest } from '#contract';
import { ContractError } from '#contract';
import { startBackend, type TestBackend } from '../support/backend-kit.ts';
import { startByteOrigin } from '../support/byte-origin.ts';
import { openClient, startOrigin, type PeerOrigin } from '../support/http-peers.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { Wire } from '../support/wire.ts';
import { readFileSync } from 'node:fs';

let weir: TestBackend;
let client: ContractClient;
let ca: string;

beforeAll(async () => {
  weir = await startBackend({ originCertificateAuthorities: [ORIGIN_CA] });
  client = await weir.connect();
  ca = readFileSync(weir.backend.authorityFile, 'utf8');
});
afterAll(() => weir.stop());

const AS_CAPTURED = { version: 'captured', cookies: 'kept', followRedirects: false } as const;

function replay(of: number, changes: Partial<ReplayRequest> = {}): ReturnType<typeof send> {
  return send({ of, ...AS_CAPTURED, ...changes });
}

function send(request: ReplayRequest) {
  return client.call('replay.send', request);
}

/** The newest exchange of a filter, once there is a complete one. */
async function captured(filter: string): Promise<ExchangeSummary> {
  const session = (await client.call('sessions.list', {})).sessions[0]?.id ?? 0;
  const query = { session, filter, sort: 'time', descending: true, after: null, limit: 1 } as const;
  for (;;) {
    const [row] = (await client.call('exchanges.query', query)).rows;
    if (row !== undefined && row.state !== 'active') return row;
    await weir.backend.services.calls['sessions.list']({}, { signal: new AbortController().signal });
  }
}

const ODD_HEAD = [
  'hOST: localhost:PORT',
  'X-Twice: one',
  'x-tWICE:two',
  'Accept:   */*',
  'X-Bytes: \xe9\xff',
  'X-Empty:',
  'transfer-encoding: chunked',
  'trailer: x-sum',
].join('\r\n');
const ODD_BODY = '5;note=x\r\nhello\r\n006\r\n world\r\n0\r\nx-sum: eleven\r\n\r\n';

async function sendOdd(scheme: 'http' | 'https', port: number): Promise<void> {
  const wire = await Wire.connect(weir.port);
  wire.send(`CONNECT localhost:${String(port)} HTTP/1.1\r\nHost: localhost:${String(port)}\r\n\r\n`);
  await wire.head();
  const inside =
    scheme === 'http' ? wire : await wire.secure({ ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
  inside.send(`POST /odd/../path?q=[1] HTTP/1.1\r\n${ODD_HEAD.replace('PORT', String(port))}\r\n\r\n${ODD_BODY}`);
  await inside.until('\r\n\r\nok');
  inside.socket.destroy();
}

test.each(['http', 'https'] as const)(
  'a replay as captured brings the same bytes to an origin of HTTP/1, over %s',
  async (scheme) => {
    const origin = await startByteOrigin(scheme, 'x-sum: eleven\r\n\r\n');
    await sendOdd(scheme, origin.port);
    const original = await captured(`port:${String(origin.port)}`);
    const outcome = await replay(original.id);
    expect(outcome).toMatchObject({ status: 200, problem: null });
    expect(outcome.exchanges).toHaveLength(1);
    expect(origin.connections).toHaveLength(2);
    expect(origin.connections[1]?.toString('latin1')).toBe(origin.connections[0]?.toString('latin1'));
    expect(origin.connections[0]?.toString('latin1')).toContain('x-tWICE:two\r\nAccept:   */*\r\n');
    await origin.close();
  },
);

test('a replay is an ordinary exchange that names the one it repeats, and is found from there', async () => {
  const origin = await startOrigin('h1');
  const peer = await openClient('h1', { port: weir.port, tunnelTo: origin.port, ca });
  await peer.ask({ method: 'PUT', path: '/thing', body: Buffer.from('contents') });
  const original = await captured(`port:${String(origin.port)}`);
  const { exchanges } = await replay(original.id);
  const [id = 0] = exchanges;
  const { summary } = await client.call('exchanges.get', { id });
  expect(summary).toMatchObject({
    replayOf: original.id,
    method: 'PUT',
    path: '/thing',
    status: 200,
    state: 'complete',
  });
  expect(await client.call('replay.list', { id: original.id })).toEqual({ ids: [id] });
  expect((await captured('is:replay')).id).toBe(id);
  expect(origin.seen.map(({ body }) => body.toString())).toEqual(['contents', 'contents']);
  await origin.close();
});

test('what comes later from anyone else is no replay', async () => {
  const origin = await startOrigin('h1');
  const peer = await openClient('h1', { port: weir.port, tunnelTo: origin.port, ca });
  await peer.ask({ path: '/plain' });
  expect((await captured(`port:${String(origin.port)}`)).replayOf).toBeNull();
  await origin.close();
});

/** An origin of HTTP/2 that keeps the field lists as they came. */
async function startListOrigin(): Promise<{ server: Http2SecureServer; port: number; lists: string[][] }> {
  const lists: string[][] = [];
  const server = createSecureServer(originCertificate('localhost'));
  server.on('stream', (stream: ServerHttp2Stream, _headers: unknown, _flags: unknown, raw: string[]) => {
    lists.push(raw);
    stream.on('error', () => undefined);
    stream.respond({ ':status': 200 });
    stream.resume();
    stream.end('ok');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, lists };
}

test('a replay as captured brings the same list of fields in the same order to an origin of HTTP/2', async () => {
  const { server, port, lists } = await startListOrigin();
  const peer = await openClient('h2 tls', { port: weir.port, tunnelTo: port, ca });
  const list = [
    [':path', '/list?x=1'],
    [':method', 'POST'],
    [':scheme', 'https'],
    [':authority', `localhost:${String(port)}`],
    ['x-b', '2'],
    ['cookie', 'a=1'],
    ['x-a', '1'],
    ['cookie', 'b=2'],
    ['x-b', '3'],
    ['content-length', '4'],
  ].flat();
  const stream = peer.session?.request(list);
  stream?.end('body');
  stream?.resume();
  if (stream !== undefined) await once(stream, 'close');
  const original = await captured(`port:${String(port)}`);
  const { status, exchanges } = await replay(original.id);
  expect(status).toBe(200);
  expect(lists).toHaveLength(2);
  expect(lists[1]).toEqual(lists[0]);
  const { summary } = await client.call('exchanges.get', { id: exchanges[0] ?? 0 });
  expect([summary.client.protocol, summary.origin.protocol]).toEqual(['h2', 'h2']);
  peer.close();
  server.close();
});

test('ALPN decides where no version is named, and a named one is spoken', async () => {
  const origin = await startOrigin('h2 tls');
  const url = `https://localhost:${String(origin.port)}/plain`;
  const base = { of: null, cookies: 'kept', followRedirects: false, method: 'GET', url, headers: [] } as const;
  const [auto = 0] = (await send({ ...base, version: 'auto' })).exchanges;
  const [h1 = 0] = (await send({ ...base, version: 'http/1.1' })).exchanges;
  expect((await client.call('exchanges.get', { id: auto })).summary.client.protocol).toBe('h2');
  const { summary } = await client.call('exchanges.get', { id: h1 });
  expect([summary.client.protocol, summary.replayOf]).toEqual(['http/1.1', null]);
  await origin.close();
});

test('edited parts change and the rest stays as it was captured', async () => {
  const origin = await startByteOrigin('http', 'hello');
  const wire = await Wire.connect(weir.port);
  const port = String(origin.port);
  wire.send(
    `POST http://localhost:${port}/a HTTP/1.1\r\nhost: localhost:${port}\r\nX-One:  1\r\nContent-Length: 5\r\nX-two: 2\r\n\r\nhello`,
  );
  await wire.until('\r\n\r\nok');
  const { id } = await captured(`port:${port}`);
  await replay(id, {
    setHeaders: [
      ['x-ONE', 'changed'],
      ['X-New', '3'],
    ],
  });
  expect(origin.connections[1]?.toString('latin1')).toBe(
    `POST /a HTTP/1.1\r\nhost: localhost:${port}\r\nX-One: changed\r\nContent-Length: 5\r\nX-two: 2\r\nX-New: 3\r\n\r\nhello`,
  );
  await replay(id, { method: 'PATCH', url: `http://localhost:${port}/b?c`, body: Buffer.from('oh hello') });
  expect(origin.connections[2]?.toString('latin1')).toBe(
    `PATCH /b?c HTTP/1.1\r\nhost: localhost:${port}\r\nX-One: 1\r\nContent-Length: 8\r\nX-two: 2\r\n\r\noh hello`,
  );
  await origin.close();
});

test('redirects are followed when asked for, with the cookies that they set', async () => {
  const origin: PeerOrigin = await startOrigin('h1', (request, response) => {
    if (request.url !== '/login') return false;
    response.writeHead(302, {
      location: '/home',
      'set-cookie': ['seen=2; Path=/', 'gone=; Max-Age=0', 'far=1; Domain=example.com'],
    });
    response.end();
    return true;
  });
  const request = {
    of: null,
    version: 'auto',
    method: 'POST',
    url: `http://localhost:${String(origin.port)}/login`,
    headers: [['Cookie', 'kept=1; seen=1']],
    body: Buffer.from('name=x'),
  } as const;
  const stays = await send({ ...request, cookies: 'kept', followRedirects: false });
  expect(stays).toMatchObject({ status: 302 });
  const follows = await send({ ...request, cookies: 'followed', followRedirects: true });
  expect(follows).toMatchObject({ status: 200, problem: null });
  expect(follows.exchanges).toHaveLength(2);
  expect(origin.seen).toMatchObject([{ method: 'GET', path: '/home', headers: { cookie: 'kept=1; seen=2' } }]);
  const drops = await send({
    ...request,
    url: request.url.replace('/login', '/bare'),
    cookies: 'dropped',
    followRedirects: false,
  });
  expect(drops.status).toBe(200);
  expect(origin.seen[1]?.headers['cookie']).toBeUndefined();
  await origin.close();
});

test('an origin that is gone leaves a row that says so', async () => {
  const origin = await startOrigin('h1');
  await origin.close();
  const url = `http://localhost:${String(origin.port)}/`;
  const outcome = await send({ of: null, ...AS_CAPTURED, method: 'GET', url, headers: [] });
  expect(outcome.status).toBe(502);
  const { summary } = await client.call('exchanges.get', { id: outcome.exchanges[0] ?? 0 });
  expect(summary.error?.side).toBe('origin');
});

test('what cannot be sent is refused before anything is', async () => {
  await expect(replay(999_999)).rejects.toMatchObject({ code: 'not-found' });
  await expect(send({ of: null, ...AS_CAPTURED, url: 'ftp://x/' })).rejects.toMatchObject({ code: 'bad-input' });
  const broken = send({ of: null, ...AS_CAPTURED, url: 'http://x/', headers: [['X', 'a\r\nY: b']] });
  await expect(broken).rejects.toBeInstanceOf(ContractError);
});

function runLoad(
  request: ReplayRequest,
  load: ReplayLoad,
): { last: Promise<ReplayProgress>; cancel: () => void; first: Promise<void> } {
  let cancel = (): void => undefined;
  let begun = (): void => undefined;
  const first = new Promise<void>((resolve) => (begun = resolve));
  const last = new Promise<ReplayProgress>((resolve, reject) => {
    let latest: ReplayProgress | null = null;
    const stream = client.stream(
      'replay.run',
      { request, load },
      {
        items(items) {
          latest = items.at(-1) ?? latest;
          if ((latest?.finished ?? 0) > 0) begun();
          if (latest?.done === true) resolve(latest);
        },
        gap: () => undefined,
        ended: (failure) => {
          if (failure !== null) reject(failure);
        },
      },
    );
    cancel = () => {
      stream.close();
      if (latest !== null) resolve(latest);
    };
  });
  return {
    last,
    first,
    cancel: () => {
      cancel();
    },
  };
}

test.each([
  ['h1', 'http', 4],
  ['h2 tls', 'https', 1],
] as const)(
  'a request is repeated in parallel on a bounded number of connections (%s)',
  async (speech, scheme, connections) => {
    const origin = await startOrigin(speech);
    const request: ReplayRequest = {
      of: null,
      version: 'auto',
      cookies: 'kept',
      followRedirects: false,
      method: 'GET',
      url: `${scheme}://localhost:${String(origin.port)}/many`,
      headers: [],
    };
    const { last } = runLoad(request, { count: 200, perSecond: null, parallel: 20, connections });
    const progress = await last;
    expect(progress).toMatchObject({
      total: 200,
      finished: 200,
      failed: 0,
      done: true,
      statuses: [{ status: 200, count: 200 }],
    });
    expect(progress.latencies.reduce((sum, { count }) => sum + count, 0)).toBe(200);
    expect(origin.seen).toHaveLength(200);
    const rows = await client.call('exchanges.query', {
      session: (await captured(`port:${String(origin.port)}`)).session,
      filter: `port:${String(origin.port)}`,
      sort: 'time',
      descending: false,
      after: null,
      limit: 500,
    });
    expect(new Set(rows.rows.map((row) => row.client.address)).size).toBe(connections);
    await origin.close();
  },
);

test('a run ends when its stream is closed', async () => {
  const origin = await startOrigin('h1');
  const request: ReplayRequest = {
    of: null,
    ...AS_CAPTURED,
    method: 'GET',
    url: `http://localhost:${String(origin.port)}/slow`,
    headers: [],
  };
  const run = runLoad(request, { count: 1_000_000, perSecond: 50, parallel: 4, connections: 4 });
  await run.first;
  run.cancel();
  expect((await run.last).finished).toBeLessThan(1_000_000);
  await origin.close();
});
