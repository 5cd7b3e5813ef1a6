import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { contractProtocols, createContractClient, createSocketCarrier } from '#contract';
import type { ControlServer } from './control-server.ts';
import { startControlServer } from './control-server.ts';
import type { Services } from './server.ts';
import { serveContract } from './server.ts';

let folder: string;
let server: ControlServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-control-'));
  const pages = join(folder, 'pages');
  await mkdir(join(pages, 'assets'), { recursive: true });
  await writeFile(join(folder, 'secret.txt'), 'not for pages');
  await writeFile(join(pages, 'index.html'), '<!doctype html><title>Weir</title>');
  await writeFile(join(pages, 'assets', 'main-1a2b.js'), 'export {};');
  await writeFile(join(pages, '.hidden.txt'), 'hidden');
  await writeFile(join(pages, 'program.exe'), 'no type');
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
  const services = {
    calls: { 'ca.export': () => ({ bytes, fileName: 'weir-ca.pem' }) },
    streams: {},
  } as unknown as Services;
  server = await startControlServer({
    host: '127.0.0.1',
    port: 0,
    pages,
    onClient: (carrier) => {
      serveContract(carrier, services, () => undefined);
    },
  });
});

afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends a request whose path goes out as it is, which fetch would normalise. */
function ask(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = options;
    const request = httpRequest({ host: '127.0.0.1', port: server.port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

function trade(code: string, headers: Record<string, string> = {}): Promise<Answer> {
  return ask('/api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ code }),
  });
}

function newCode(): string {
  return new URL(server.createPageUrl()).hash.replace('#code=', '');
}

interface Handshake {
  readonly protocols?: string[];
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

/** Resolves with the socket, or with the status of the refusal. */
function connect({ protocols = contractProtocols(server.token), headers = {}, path = 'api/contract' }: Handshake) {
  return new Promise<WebSocket | number>((resolve, reject) => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, protocols, { headers });
    socket.once('open', () => {
      resolve(socket);
    });
    socket.once('unexpected-response', (_request, response) => {
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
    socket.once('error', reject);
  });
}

describe('pages', () => {
  test('come with their type and under a strict policy', async () => {
    const page = await ask('/');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(page.headers['x-content-type-options']).toBe('nosniff');
    expect(page.headers['cache-control']).toBe('no-cache');
    const script = await ask('/assets/main-1a2b.js');
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(script.headers['cache-control']).toContain('immutable');
    expect(script.body).toBe('export {};');
  });

  test('answer HEAD with the headers alone', async () => {
    const answer = await ask('/', { method: 'HEAD' });
    expect(answer).toMatchObject({ status: 200, body: '' });
    expect(answer.headers['content-length']).toBe('34');
  });

  test.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/../../secret.txt',
    '/assets//main-1a2b.js',
    '/..\\secret.txt',
    '/.hidden.txt',
    '/assets',
    '/assets/',
    '/program.exe',
    '/index.html%00.js',
    '/missing.js',
  ])('are none at %s', async (path) => {
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    expect(answer.body).not.toContain('not for pages');
  });

  test('cannot be written to', async () => {
    expect((await ask('/', { method: 'POST' })).status).toBe(405);
  });

  test('are not a proxy', async () => {
    expect((await ask('http://example.com/')).status).toBe(400);
  });
});

describe('names', () => {
  test.each(['localhost', '127.0.0.1'])('of this port are answered: %s', async (name) => {
    expect((await ask('/', { headers: { host: `${name}:${String(server.port)}` } })).status).toBe(200);
  });

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.2',
    '[::1]',
    'user@localhost',
  ])('of others are refused: %s', async (name) => {
    const answer = await ask('/', { headers: { host: `${name}:${String(server.port)}` } });
    expect(answer.status).toBe(403);
  });

  test('with another port are refused', async () => {
    expect((await ask('/', { headers: { host: '127.0.0.1:1' } })).status).toBe(403);
    expect((await ask('/', { headers: { host: '127.0.0.1' } })).status).toBe(403);
  });
});

describe('the one-time code', () => {
  test('is traded for the token once', async () => {
    const code = newCode();
    const first = await trade(code);
    expect(JSON.parse(first.body)).toEqual({ token: server.token });
    expect((await trade(code)).status).toBe(403);
  });

  test('does not work for a page of another origin or site', async () => {
    const code = newCode();
    expect((await trade(code, { origin: 'http://evil.example' })).status).toBe(403);
    expect((await trade(code, { origin: 'null' })).status).toBe(403);
    expect((await trade(code, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await trade(code, { 'sec-fetch-site': 'same-site' })).status).toBe(403);
    const own = { origin: server.url.slice(0, -1), 'sec-fetch-site': 'same-origin' };
    expect((await trade(code, own)).status).toBe(200);
  });

  test('is not guessed, and not taken in another form', async () => {
    expect((await trade('x'.repeat(32))).status).toBe(403);
    expect((await trade('')).status).toBe(403);
    const form = { 'content-type': 'text/plain' };
    expect((await trade(newCode(), form)).status).toBe(403);
    const long = await ask('/api/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: newCode(), padding: 'x'.repeat(10_000) }),
    });
    expect(long.status).toBe(403);
  });

  test('is given anew only against the token', async () => {
    const withoutToken = await ask('/api/code', { method: 'POST' });
    expect(withoutToken.status).toBe(401);
    const wrong = await ask('/api/code', { method: 'POST', headers: { authorization: 'Bearer nonsense' } });
    expect(wrong.status).toBe(401);
    const right = await ask('/api/code', { method: 'POST', headers: { authorization: `Bearer ${server.token}` } });
    const { code } = JSON.parse(right.body) as { code: string };
    expect((await trade(code)).status).toBe(200);
  });
});

describe('the contract', () => {
  test('is served over a WebSocket to who has the token, binary values included', async () => {
    const socket = await connect({ headers: { origin: server.url.slice(0, -1) } });
    if (typeof socket === 'number') throw new Error(`refused with ${String(socket)}`);
    expect(socket.protocol).toBe('weir.v1');
    const client = createContractClient(createSocketCarrier(socket));
    const { bytes, fileName } = await client.call('ca.export', { format: 'pem' });
    expect(fileName).toBe('weir-ca.pem');
    expect(bytes).toHaveLength(100_000);
    expect(bytes[257]).toBe(1);
    client.close();
  });

  test.each<[string, Handshake, number]>([
    ['without a token', { protocols: ['weir.v1'] }, 401],
    ['with a wrong token', { protocols: contractProtocols('A'.repeat(32)) }, 401],
    ['from a page of another site', { headers: { origin: 'http://evil.example' } }, 403],
    ['from a sandboxed page', { headers: { origin: 'null' } }, 403],
    ['from a page of the same host on another port', { headers: { origin: 'http://127.0.0.1:1' } }, 403],
    ['under a foreign name', { headers: { host: 'evil.example' } }, 403],
    ['at another path', { path: 'api/other' }, 400],
  ])('is refused %s', async (_, handshake, status) => {
    await expect(connect(handshake)).resolves.toBe(status);
  });

  test.each<[string, string | Buffer]>([
    ['no frame', '{"type":"shutdown"}'],
    ['no JSON', 'hello'],
    ['cut binary', Buffer.from([0, 0, 0, 9])],
    ['longer than the limit', Buffer.alloc(1_048_577)],
  ])('ends for a client that sends what is %s', async (_, message) => {
    const socket = await connect({});
    if (typeof socket === 'number') throw new Error(`refused with ${String(socket)}`);
    socket.on('error', () => undefined);
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    socket.send(message);
    expect([1007, 1008, 1009]).toContain(await closed);
  });
});

test('a taken port fails instead of being shared', async () => {
  const second = startControlServer({ host: '127.0.0.1', port: server.port, pages: null, onClient: () => undefined });
  await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
