import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEngine } from '../support/engine-kit.ts';
import type { EngineUnderTest } from '../support/engine-kit.ts';
import { isHttp2, isSecure, LARGE, openClient, SPEECHES, startOrigin } from '../support/http-peers.ts';
import type { PeerClient, PeerOrigin, Speech } from '../support/http-peers.ts';
import { ORIGIN_CA } from '../support/origin-certificates.ts';
import type { ListenerMode } from '../../proxy-engine/model/listener-mode.ts';

const PROTOCOL: Readonly<Record<Speech, string>> = { h1: 'http/1.1', 'h1 tls': 'http/1.1', h2c: 'h2c', 'h2 tls': 'h2' };
const UPLOAD = Buffer.alloc(1_048_576, 'up the weir ');
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function reverse(speech: Speech, port: number): ListenerMode {
  const scheme = isSecure(speech) ? 'https' : isHttp2(speech) ? 'h2c' : 'http';
  return { kind: 'reverse', scheme, host: 'localhost', port, basePath: '' };
}

interface Cell {
  readonly name: string;
  readonly client: Speech;
  readonly origin: Speech;
  readonly explicit: boolean;
}

const cells: readonly Cell[] = [
  ...SPEECHES.flatMap((client) =>
    SPEECHES.map((origin) => ({ name: `reverse: ${client} to ${origin}`, client, origin, explicit: false })),
  ),
  ...(['h1 tls', 'h2 tls'] as const).flatMap((client) =>
    (['h1 tls', 'h2 tls'] as const)
      // A client that can do both is offered what its origin speaks.
      .filter((origin) => client === 'h1 tls' || origin === 'h2 tls')
      .map((origin) => ({ name: `inside CONNECT: ${client} to ${origin}`, client, origin, explicit: true })),
  ),
  ...(['h1', 'h2c'] as const).map((speech) => ({
    name: `inside CONNECT: ${speech} to ${speech}`,
    client: speech,
    origin: speech,
    explicit: true,
  })),
];

describe.each(cells)('$name', ({ client: speech, origin: originSpeech, explicit }) => {
  let weir: EngineUnderTest;
  let origin: PeerOrigin;
  let client: PeerClient;

  beforeAll(async () => {
    origin = await startOrigin(originSpeech);
    weir = await startEngine({
      modes: [{ kind: 'proxy' }, reverse(originSpeech, origin.port)],
      settings: { originCertificateAuthorities: [ORIGIN_CA] },
    });
    const place = explicit
      ? { port: weir.ports[0] ?? 0, tunnelTo: origin.port, ca: weir.ca }
      : { port: weir.ports[1] ?? 0, ca: weir.ca };
    client = await openClient(speech, place);
  });
  afterAll(async () => {
    client.close();
    await weir.stop();
    await origin.close();
  });

  test('a GET is answered, and both legs are recorded by what they spoke', async () => {
    const answer = await client.ask({ path: '/plain' });
    expect(answer.status).toBe(200);
    expect(answer.body.toString()).toBe(`GET /plain ${digest(Buffer.alloc(0))}`);
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    const row = (await weir.rows.ended(1)).at(-1);
    expect(row?.begin.clientProtocol).toBe(PROTOCOL[speech]);
    expect(row?.origin?.protocol).toBe(PROTOCOL[originSpeech]);
    expect(row?.end).toMatchObject({ error: null, complete: true });
  });

  test('a megabyte goes up and a megabyte comes down', async () => {
    const up = await client.ask({ method: 'POST', path: '/up', body: UPLOAD });
    expect(up.body.toString()).toBe(`POST /up ${digest(UPLOAD)}`);
    const down = await client.ask({ path: '/large' });
    expect(digest(down.body)).toBe(digest(LARGE));
  });

  test('trailers pass both ways', async () => {
    const body = Buffer.from('body before trailers');
    const headers = isHttp2(speech) ? {} : { 'transfer-encoding': 'chunked' };
    const answer = await client.ask({ method: 'POST', path: '/trailers', body, headers, trailers: { 'x-ask': 'yes' } });
    expect(answer.body.toString()).toBe('with trailers');
    expect(answer.trailers).toMatchObject({ 'x-sum': digest(body), 'x-asked': 'yes' });
  });

  test('HEAD, 204 and 304 have no body', async () => {
    const head = await client.ask({ method: 'HEAD', path: '/large' });
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, String(LARGE.length), 0]);
    expect((await client.ask({ path: '/no-content' })).status).toBe(204);
    const notModified = await client.ask({ path: '/not-modified' });
    expect([notModified.status, notModified.headers['etag']]).toEqual([304, '"v1"']);
  });

  test('informational responses pass', async () => {
    const answer = await client.ask({ path: '/hints' });
    expect(answer.informational).toEqual([103]);
    expect(answer.body.toString()).toBe('hinted');
  });

  // A client of HTTP/1 opens a connection for each.
  const together = isHttp2(speech) ? 100 : 20;
  test(`${String(together)} requests at once are all answered`, async () => {
    const answers = await Promise.all(
      Array.from({ length: together }, (_, index) => client.ask({ path: `/one-of-many/${String(index)}` })),
    );
    expect(answers.map(({ body }) => body.toString().split(' ')[1])).toEqual(
      answers.map((_, index) => `/one-of-many/${String(index)}`),
    );
    const rows = weir.rows.all.filter(({ end }) => end?.error !== null && end !== null);
    expect(rows.map(({ end }) => end?.error)).toEqual([]);
  });
});
