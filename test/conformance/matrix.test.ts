import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ListenerMode } from '../../proxy-engine/model/listener-mode.ts';
import { startEngine, type EngineUnderTest, type Row } from '../support/engine-kit.ts';
import { isHttp2, isSecure, LARGE, openClient, SPEECHES, startOrigin } from '../support/http-peers.ts';
import type { PeerAnswer, PeerAsk, PeerClient, PeerOrigin, PeerPlace, Speech } from '../support/http-peers.ts';
import { ORIGIN_CA } from '../support/origin-certificates.ts';
import { MATRIX_FOLDER, type MatrixCell } from './evidence.ts';

const PROTOCOL: Readonly<Record<Speech, string>> = { h1: 'http/1.1', 'h1 tls': 'http/1.1', h2c: 'h2c', 'h2 tls': 'h2' };
const UPLOAD = Buffer.alloc(1_048_576, 'up the weir ');
const TOGETHER = 100;

interface Cell {
  readonly name: string;
  readonly client: Speech;
  readonly origin: Speech;
  /** Where the client connects, from the ports of a proxy, of a reverse listener, and of the origin. */
  readonly place: (proxy: number, reverse: number, origin: number) => Omit<PeerPlace, 'ca'>;
}

function reverse(speech: Speech, port: number): ListenerMode {
  const scheme = isSecure(speech) ? 'https' : isHttp2(speech) ? 'h2c' : 'http';
  return { kind: 'reverse', scheme, host: 'localhost', port, basePath: '' };
}

function inTunnel(proxyBy: Speech, client: Speech, origin: Speech): Cell {
  // A client that can do both is offered what its origin speaks.
  const http2Only = client === 'h2 tls' && origin === 'h1 tls';
  return {
    name: `CONNECT by ${proxyBy}: ${client} to ${origin}`,
    client,
    origin,
    place: (port, _reverse, tunnelTo) => ({ port, tunnelTo, proxyBy, http2Only }),
  };
}

const INNER: readonly (readonly [Speech, Speech])[] = [
  ['h1', 'h1'],
  ['h2c', 'h2c'],
  ['h1 tls', 'h1 tls'],
  ['h1 tls', 'h2 tls'],
  ['h2 tls', 'h1 tls'],
  ['h2 tls', 'h2 tls'],
];

const CELLS: readonly Cell[] = [
  ...SPEECHES.flatMap((client) =>
    SPEECHES.map((origin) => ({
      name: `reverse: ${client} to ${origin}`,
      client,
      origin,
      place: (_proxy: number, port: number) => ({ port }),
    })),
  ),
  ...(['h1', 'h2c', 'h2 tls'] as const).flatMap((proxyBy) =>
    INNER.map(([client, origin]) => inTunnel(proxyBy, client, origin)),
  ),
  ...SPEECHES.map((client) => ({
    name: `absolute: ${client} to h1`,
    client,
    origin: 'h1' as const,
    place: (port: number, _reverse: number, absoluteTo: number) => ({ port, absoluteTo }),
  })),
];

/** Cases whose answer has to equal that of a direct run, by name. */
const ALIKE: readonly (readonly [string, (client: Speech) => PeerAsk])[] = [
  ['GET', () => ({ path: '/plain' })],
  ['GET 1 MB', () => ({ path: '/large' })],
  ['POST 1 MB', () => ({ method: 'POST', path: '/up', body: UPLOAD })],
  [
    'trailers',
    (client) => ({
      method: 'POST',
      path: '/trailers',
      body: Buffer.from('body before trailers'),
      headers: isHttp2(client) ? {} : { 'transfer-encoding': 'chunked' },
      trailers: { 'x-ask': 'yes' },
    }),
  ],
  ['HEAD', () => ({ method: 'HEAD', path: '/large' })],
  ['204', () => ({ path: '/no-content' })],
  ['304', () => ({ path: '/not-modified' })],
  ['103', () => ({ path: '/hints' })],
  ['early response', () => ({ method: 'POST', path: '/early', body: UPLOAD.subarray(0, 8_192), keepsOpen: true })],
];

const KEPT_FIELDS = ['content-length', 'content-type', 'etag', 'set-cookie', 'x-early', 'x-method'];

/** Everything of an answer that must not depend on who stands between. */
function digestOf({ status, headers, body, trailers, informational }: PeerAnswer): string {
  const kept = KEPT_FIELDS.map((name) => [name, headers[name] ?? null]);
  // A body that ends by itself needs no length, and each version of HTTP has its own mind about that.
  const fields = kept.filter(([name]) => name !== 'content-length' || body.length === 0);
  const trailing = Object.entries(trailers).filter(([name]) => name.startsWith('x-'));
  return createHash('sha256')
    .update(JSON.stringify([status, fields, trailing, informational]))
    .update(body)
    .digest('hex')
    .slice(0, 16);
}

const direct = new Map<string, string>();
const table: MatrixCell[] = [];

beforeAll(async () => {
  for (const speech of SPEECHES) {
    const origin = await startOrigin(speech);
    const client = await openClient(speech, { port: origin.port, ca: ORIGIN_CA });
    for (const [name, ask] of ALIKE) direct.set(`${speech} ${name}`, digestOf(await client.ask(ask(speech))));
    client.close();
    await origin.close();
  }
});
afterAll(() => {
  mkdirSync(MATRIX_FOLDER, { recursive: true });
  writeFileSync(join(MATRIX_FOLDER, 'matrix.json'), JSON.stringify(table, null, 2));
});

describe.each(CELLS)('$name', ({ name: cell, client: speech, origin: originSpeech, place }) => {
  let weir: EngineUnderTest;
  let origin: PeerOrigin;
  let client: PeerClient;
  let asked: (path: string) => void = () => undefined;
  let ended = 0;

  beforeAll(async () => {
    origin = await startOrigin(originSpeech, ({ url = '' }) => {
      asked(url);
      return false;
    });
    weir = await startEngine({
      modes: [{ kind: 'proxy' }, reverse(originSpeech, origin.port)],
      settings: { originCertificateAuthorities: [ORIGIN_CA] },
    });
    const [proxy = 0, reversePort = 0] = weir.ports;
    client = await openClient(speech, { ...place(proxy, reversePort, origin.port), ca: weir.ca });
  });
  afterAll(async () => {
    client.close();
    await weir.stop();
    await origin.close();
  });

  /** The next row to end, with the protocols that both legs are to have spoken. */
  async function nextRow(name: string, digest: string): Promise<Row> {
    ended += 1;
    const row = (await weir.rows.ended(ended)).filter(({ end }) => end !== null).at(-1);
    if (row === undefined) throw new Error('no row');
    const legs = [row.begin.clientProtocol, row.origin?.protocol];
    expect(legs).toEqual([PROTOCOL[speech], PROTOCOL[originSpeech]]);
    table.push({ cell, case: name, row: row.begin.id, digest, error: row.end?.error?.code ?? null });
    return row;
  }

  test.each(ALIKE)('%s: the answer equals that of a direct run', async (name, ask) => {
    const answer = digestOf(await client.ask(ask(speech)));
    expect(answer).toBe(direct.get(`${speech} ${name}`));
    const row = await nextRow(name, answer);
    expect(row.end?.error).toBeNull();
  });

  test(`${String(TOGETHER)} requests at once are all answered, each with its own`, async () => {
    const paths = Array.from({ length: TOGETHER }, (_, index) => `/one-of-many/${String(index)}`);
    const answers = await Promise.all(paths.map((path) => client.ask({ path })));
    expect(answers.map(({ body }) => body.toString().split(' ')[1])).toEqual(paths);
    ended += TOGETHER - 1;
    const row = await nextRow(`${String(TOGETHER)} at once`, 'equal');
    expect(row.end?.error).toBeNull();
  });

  test('a reset by the client reaches the origin as one', async () => {
    const reached = new Promise<void>((resolve) => {
      asked = (path) => {
        if (path === '/never') resolve();
      };
    });
    await expect(client.ask({ path: '/never', cancelOn: reached })).rejects.toThrow();
    const row = await nextRow('reset by the client', 'a failure, as sent');
    expect(row.end?.error?.code).toBe('client.cancelled');
  });

  test('a reset by the origin in its body reaches the client as a failure', async () => {
    await expect(client.ask({ path: '/reset' })).rejects.toThrow();
    const row = await nextRow('reset by the origin', 'a failure, as sent');
    expect(row.end?.error?.code).toBe('origin.cut-short');
  });

  const originTest = isHttp2(originSpeech) ? test : null;
  originTest?.('a GOAWAY by the origin lets what has begun end, and the next request goes elsewhere', async () => {
    const before = origin.sessions.length;
    expect((await client.ask({ path: '/goaway' })).body.toString()).toBe('the last one on this connection');
    await nextRow('GOAWAY by the origin', 'equal');
    expect((await client.ask({ path: '/plain' })).status).toBe(200);
    await nextRow('after GOAWAY', 'equal');
    expect(origin.sessions.length).toBe(before + 1);
  });

  const clientTest = isHttp2(speech) ? test : null;
  clientTest?.('a GOAWAY by the client lets its open streams end', async () => {
    const reached = new Promise<void>((resolve) => {
      asked = (path) => {
        if (path === '/large') resolve();
      };
    });
    const large = client.ask({ path: '/large' });
    await reached;
    client.session?.goaway();
    expect((await large).body.equals(LARGE)).toBe(true);
    await nextRow('GOAWAY by the client', 'equal');
  });
});
