import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy-engine/index.ts';
import { originCertificate } from '../support/origin-certificates.ts';
import { Wire, WireServer } from '../support/wire.ts';
import { codes, useStage } from './stage.ts';

const stage = useStage('heads');

const get = (fields: readonly string[], target = '/p'): string =>
  [`GET ${target} HTTP/1.1`, 'Host: ORIGIN', ...fields, '', ''].join('\r\n');
const ok = (fields: readonly string[], body = ''): string => ['HTTP/1.1 200 OK', ...fields, '', body].join('\r\n');
const EMPTY_OK = ok(['Content-Length: 0']);

/** Fields of a GET as the origin got them, without its Host. */
async function forwarded(fields: readonly string[]): Promise<string[]> {
  const { atOrigin } = await stage.current.play({ request: get(fields), response: EMPTY_OK, responseEnd: '\r\n\r\n' });
  expect(atOrigin.startsWith('GET /p HTTP/1.1\r\nHost: ORIGIN\r\n')).toBe(true);
  return atOrigin.split('\r\n').slice(2, -2);
}

/** Fields of a 200 as a client got them. */
async function answered(fields: readonly string[]): Promise<string[]> {
  const { atClient } = await stage.current.play({ request: get([]), response: ok(fields), responseEnd: '\r\n\r\n' });
  return atClient.split('\r\n').slice(1, -2);
}

describe('rule 06: Host and the target', () => {
  test.each([
    ['no Host', 'GET / HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: ORIGIN\r\nHost: ORIGIN\r\n\r\n'],
    ['userinfo', 'GET / HTTP/1.1\r\nHost: u@ORIGIN\r\n\r\n'],
    ['a path', 'GET / HTTP/1.1\r\nHost: ORIGIN/p\r\n\r\n'],
    ['a list', 'GET / HTTP/1.1\r\nHost: ORIGIN, ORIGIN\r\n\r\n'],
  ])('rule 06: %s is refused', async (_name, request) => {
    expect(await stage.current.refuse(request)).toBe('400 http1.host');
    expect(await stage.current.refuse(request.replace('GET /', 'GET http://ORIGIN/'), 'proxy')).toBe('400 http1.host');
  });

  test('rule 06: the absolute form wins over Host, and the forwarded Host is the target’s', async () => {
    const { atOrigin, recorded } = await stage.current.play({
      via: 'proxy',
      request: 'GET http://ORIGIN/p?q HTTP/1.1\r\nA: b\r\nHost: other.test\r\nC: d\r\n\r\n',
      response: EMPTY_OK,
      responseEnd: '\r\n\r\n',
    });
    expect(atOrigin).toBe('GET /p?q HTTP/1.1\r\nA: b\r\nHost: ORIGIN\r\nC: d\r\n\r\n');
    expect(recorded).toEqual(['host-differs-from-target']);
  });

  test.each(['HTTP', 'Http', 'hTTp'])('rule 06: the scheme is accepted as %s', async (scheme) => {
    const { atOrigin } = await stage.current.play({
      via: 'proxy',
      request: `GET ${scheme}://ORIGIN HTTP/1.1\r\nHost: ORIGIN\r\n\r\n`,
      response: EMPTY_OK,
      responseEnd: '\r\n\r\n',
    });
    expect(atOrigin).toBe('GET / HTTP/1.1\r\nHost: ORIGIN\r\n\r\n');
  });

  test('rule 06: the absolute form of the same host is accepted inside CONNECT', async () => {
    const origin = await WireServer.listenTls(originCertificate('localhost'));
    const host = `localhost:${String(origin.port)}`;
    const tunnel = await stage.current.tunnel(host);
    const client = await tunnel.secure({ ca: stage.current.weir.ca, servername: 'localhost' });
    const request = `GET https://${host}/p HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    client.send(request);
    const server = await origin.next();
    const atOrigin = await server.head();
    expect(atOrigin).toBe(`GET /p HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    server.send(EMPTY_OK);
    const atClient = await client.head();
    client.end();
    const [row] = await stage.current.weir.rows.ended(1);
    expect(row === undefined ? [] : codes(row)).toEqual([]);
    stage.current.note({ fromClient: request, atOrigin, fromOrigin: EMPTY_OK, atClient, recorded: [] });
    await origin.close();
  });

  test.each([
    ['http://[::1]:PORT/p', '[::1]:PORT'],
    ['http://bücher.test:PORT/p', 'xn--bcher-kva.test:PORT'],
    ['http://xn--bcher-kva.test:PORT/p', 'xn--bcher-kva.test:PORT'],
  ])('rule 06: %s works as a target', async (target, authority) => {
    const origin = await WireServer.listen('::1');
    const port = String(origin.port);
    stage.current.weir.configure({ hostOverrides: { 'xn--bcher-kva.test': `[::1]:${port}` } });
    const client = await stage.current.connect('proxy');
    const text = Buffer.from(target.replace('PORT', port)).toString('latin1');
    const host = authority.replace('PORT', port);
    const request = `GET ${text} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    client.send(request);
    const server = await origin.next();
    const atOrigin = await server.head();
    expect(atOrigin).toBe(`GET /p HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    server.send(EMPTY_OK);
    const atClient = await client.head();
    stage.current.note({ fromClient: request, atOrigin, fromOrigin: EMPTY_OK, atClient, recorded: [] });
    await origin.close();
  });

  test('rule 06: a zone in a target is refused', async () => {
    expect(await stage.current.refuse('GET http://[fe80::1%25lo]/ HTTP/1.1\r\nHost: [fe80::1]\r\n\r\n', 'proxy')).toBe(
      '400 http1.target',
    );
  });

  test.each(['[::1]:PORT', '::1:PORT'])('rule 06: CONNECT %s reaches the port after the last colon', async (target) => {
    const origin = await WireServer.listen('::1');
    const authority = target.replace('PORT', String(origin.port));
    const client = await stage.current.connect('proxy');
    const request = `CONNECT ${authority} HTTP/1.1\r\nHost: [::1]:${String(origin.port)}\r\n\r\n`;
    client.send(request);
    const atClient = await client.head();
    expect(atClient).toMatch(/^HTTP\/1\.1 200 /);
    client.send('\x01ping');
    const server = await origin.next();
    expect((await server.bytes(5)).toString('latin1')).toBe('\x01ping');
    stage.current.note({
      fromClient: `${request}\x01ping`,
      atOrigin: '\x01ping',
      fromOrigin: null,
      atClient,
      recorded: [],
    });
    await origin.close();
  });
});

describe('rule 07: unknown things pass, sizes are bounded', () => {
  test('rule 07: an unknown method with a body and unknown fields pass', async () => {
    const request = "B'REW-!1 /p HTTP/1.1\r\nHost: ORIGIN\r\n!#$%&'*+-.^_`|~: v\r\nContent-Length: 3\r\n\r\ntea";
    const { atOrigin, recorded } = await stage.current.play({
      request,
      requestEnd: 'tea',
      response: 'HTTP/1.1 799 \r\nX-_: y\r\nContent-Length: 0\r\n\r\n',
      responseEnd: '\r\n\r\n',
    });
    expect([atOrigin, recorded]).toEqual([request, []]);
  });

  test('rule 07: a request line of 64 KiB passes, one byte more is 414 and names its limit', async () => {
    const path = `/${'x'.repeat(65_536 - 'GET / HTTP/1.1'.length)}`;
    const { atOrigin } = await stage.current.play({
      request: get([], path),
      response: EMPTY_OK,
      responseEnd: '\r\n\r\n',
    });
    expect(atOrigin).toBe(get([], path));
  });

  test.each([
    [
      'a request line over 64 KiB',
      get([], `/${'x'.repeat(65_537 - 'GET / HTTP/1.1'.length)}`),
      '414',
      'requestLineBytes',
    ],
    ['a head over 256 KiB', get([`A: ${'x'.repeat(262_144)}`]), '431', 'headBytes'],
    ['more than 1,000 fields', get(Array.from({ length: 1_000 }, () => 'A: b')), '431', 'fields'],
  ])('rule 07: %s is refused and the error names the limit', async (_name, request, status, limit) => {
    const client = await stage.current.connect();
    client.send(stage.current.fill(request));
    const { text } = await client.rest();
    expect(text.slice(9, 12)).toBe(status);
    expect(text).toContain(limit);
    const [row] = await stage.current.weir.rows.ended(1);
    const recorded = row === undefined ? [] : codes(row);
    expect(row?.end?.error?.message).toContain(limit);
    expect(stage.current.origin.accepted).toBe(0);
    stage.current.note({ fromClient: request, atOrigin: null, fromOrigin: null, atClient: text, recorded });
  });

  test('rule 07: 1,000 fields pass', async () => {
    const request = get(Array.from({ length: 999 }, (_unused, index) => `A: ${String(index)}`));
    const { atOrigin } = await stage.current.play({ request, response: EMPTY_OK, responseEnd: '\r\n\r\n' });
    expect(atOrigin).toBe(request);
  });

  test('rule 07: each limit is a setting', async () => {
    stage.current.weir.configure({ limits: { ...DEFAULT_LIMITS, requestLineBytes: 20 } });
    expect(await stage.current.refuse(get([], '/a-long-path'))).toBe('414 http1.request-line-too-long');
  });
});

describe('rule 08: fields that end at this hop', () => {
  test('rule 08: Connection, what it names and the other hop-by-hop fields go; the rest stays as it is', async () => {
    expect(
      await forwarded([
        'b-first: 1',
        'Connection: keep-alive, X-Hop',
        'X-HOP: 2',
        'Keep-Alive: timeout=5',
        'Proxy-Connection: keep-alive',
        'A-Second:  3  ',
        'x-hop: 4',
        'a-second: 5',
      ]),
    ).toEqual(['b-first: 1', 'A-Second:  3  ', 'a-second: 5']);
  });

  test('rule 08: the same in a response', async () => {
    expect(
      await answered([
        'Connection: keep-alive, X-Hop',
        'X-Hop: 1',
        'Keep-Alive: timeout=5',
        'A: b',
        'Content-Length: 0',
      ]),
    ).toEqual(['A: b', 'Content-Length: 0']);
  });

  test('rule 08: framing fields, Host, Authorization and Cookie stay whatever Connection names', async () => {
    expect(
      await forwarded([
        'Connection: Host, Content-Length, Authorization, Cookie',
        'Content-Length: 0',
        'Authorization: a',
        'Cookie: b',
      ]),
    ).toEqual(['Content-Length: 0', 'Authorization: a', 'Cookie: b']);
  });

  test('rule 08: Proxy-Authorization goes when the client speaks to us as its proxy', async () => {
    const { atOrigin } = await stage.current.play({
      via: 'proxy',
      request: 'GET http://ORIGIN/ HTTP/1.1\r\nHost: ORIGIN\r\nProxy-Authorization: Basic eA==\r\n\r\n',
      response: EMPTY_OK,
      responseEnd: '\r\n\r\n',
    });
    expect(atOrigin).toBe('GET / HTTP/1.1\r\nHost: ORIGIN\r\n\r\n');
  });

  test('rule 08: TE keeps trailers alone, and Connection says TE then', async () => {
    expect(await forwarded(['TE: gzip;q=0.5, trailers', 'Connection: TE'])).toEqual(['TE: trailers', 'Connection: TE']);
  });

  test('rule 08: TE without trailers goes', async () => {
    expect(await forwarded(['Connection: TE', 'TE: deflate'])).toEqual([]);
  });

  test('rule 08: Upgrade goes unless it is relayed', async () => {
    expect(await forwarded(['Upgrade: websocket'])).toEqual([]);
  });

  test('rule 08: h2c goes always, with its settings', async () => {
    expect(
      await forwarded([
        'Connection: Upgrade, HTTP2-Settings',
        'Upgrade: h2c',
        'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
      ]),
    ).toEqual([]);
  });

  test.each(['TRACE', 'OPTIONS'])('rule 08: Max-Forwards of %s is counted down, and 0 ends here', async (method) => {
    const request = (count: number): string =>
      `${method} /p HTTP/1.1\r\nHost: ORIGIN\r\nMax-Forwards: ${String(count)}\r\n\r\n`;
    const { atOrigin } = await stage.current.play({ request: request(2), response: EMPTY_OK, responseEnd: '\r\n\r\n' });
    expect(atOrigin).toBe(request(1));
    const client = await stage.current.connect();
    client.send(stage.current.fill(request(0)));
    expect(await client.head()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(stage.current.origin.accepted).toBe(1);
  });

  test('rule 08: Max-Forwards of other methods is nobody’s business', async () => {
    expect(await forwarded(['Max-Forwards: 0'])).toEqual(['Max-Forwards: 0']);
  });

  test('rule 08: Via and X-Forwarded-* are added only when asked for', async () => {
    stage.current.weir.configure({ forwardedFields: true });
    const fields = await forwarded([]);
    expect(fields.map((line) => line.split(':')[0])).toEqual(
      expect.arrayContaining(['Via', 'X-Forwarded-For', 'X-Forwarded-Proto']),
    );
  });
});

describe('rule 09: interim responses', () => {
  test('rule 09: any number of them in any order pass at once and are recorded', async () => {
    const interim = [
      'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n',
      'HTTP/1.1 100 Continue\r\n\r\n',
      'HTTP/1.1 102 \r\n\r\n',
    ];
    const client = await stage.current.connect();
    client.send(stage.current.fill(get([])));
    const server = await stage.current.origin.next();
    await server.head();
    for (const text of interim) {
      server.send(text);
      expect(await client.head()).toBe(text);
    }
    server.send(EMPTY_OK);
    expect(await client.head()).toBe(EMPTY_OK);
    const [row] = await stage.current.weir.rows.ended(1);
    expect(row?.informational).toEqual(interim);
    const fromOrigin = interim.join('') + EMPTY_OK;
    stage.current.note({ fromClient: get([]), atOrigin: get([]), fromOrigin, atClient: fromOrigin, recorded: [] });
  });

  test('rule 09: HTTP/1.0 clients get none', async () => {
    const { atClient, row } = await stage.current.play({
      request: 'GET /p HTTP/1.0\r\nHost: ORIGIN\r\n\r\n',
      response: `HTTP/1.1 103 Early Hints\r\n\r\n${ok(['Content-Length: 2'], 'ok')}`,
      responseEnd: 'close',
    });
    expect(atClient).toBe(ok(['Content-Length: 2', 'Connection: close'], 'ok'));
    expect(row.informational).toHaveLength(1);
  });

  test('rule 09: Expect is end to end: the body is asked for by the origin, in its own time', async () => {
    const client = await stage.current.connect();
    const head = 'POST /p HTTP/1.1\r\nHost: ORIGIN\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n';
    client.send(stage.current.fill(head));
    const server = await stage.current.origin.next();
    const atOrigin = await server.head();
    expect(stage.current.blank(atOrigin)).toBe(head);
    expect(client.pending).toBe('');
    const interim = 'HTTP/1.1 100 Continue\r\n\r\n';
    server.send(interim);
    expect(await client.head()).toBe(interim);
    client.send('abc');
    expect((await server.bytes(3)).toString()).toBe('abc');
    server.send(EMPTY_OK);
    expect(await client.head()).toBe(EMPTY_OK);
    const fromOrigin = interim + EMPTY_OK;
    stage.current.note({
      fromClient: `${head}abc`,
      atOrigin: `${atOrigin}abc`,
      fromOrigin,
      atClient: fromOrigin,
      recorded: [],
    });
  });

  test('rule 09: after a final answer first the body need not be sent', async () => {
    const client = await stage.current.connect();
    const head = 'POST /p HTTP/1.1\r\nHost: ORIGIN\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n';
    client.send(stage.current.fill(head));
    const server = await stage.current.origin.next();
    const atOrigin = await server.head();
    const answer = 'HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
    server.send(answer);
    server.end();
    const { text } = await client.rest();
    expect(text).toBe(answer);
    const [row] = await stage.current.weir.rows.ended(1);
    expect(row?.end).toMatchObject({ complete: true, error: null });
    const recorded = row === undefined ? [] : codes(row);
    stage.current.note({ fromClient: head, atOrigin, fromOrigin: answer, atClient: text, recorded });
  });

  test('rule 09: a 101 that nobody asked for is a 502', async () => {
    const { atClient, recorded } = await stage.current.play({
      request: get(['Connection: close']),
      response: 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n',
      responseEnd: 'close',
    });
    expect(atClient).toMatch(/^HTTP\/1\.1 502 /);
    expect(recorded).toEqual(['http1.unexpected-101']);
  });

  test('rule 09: a 101 that was asked for ends parsing; bytes behind either head are not lost', async () => {
    const client = await stage.current.connect();
    const request = get(['Connection: keep-alive, Upgrade', 'Upgrade: odd/1']);
    client.send(stage.current.fill(`${request}\x00early`));
    const server = await stage.current.origin.next();
    const head = await server.head();
    expect(stage.current.blank(head)).toBe(request);
    // Until the origin agrees, what follows might be the next request.
    expect(server.pending).toBe('');
    const answer =
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: odd/1\r\nConnection: Upgrade\r\n\r\n\xffHTTP/1.1 200 OK\r\n\r\n';
    server.send(answer);
    const atClient = await client.until('OK\r\n\r\n');
    expect(atClient).toBe(answer);
    const atOrigin = head + (await server.until('\x00early'));
    client.send('GET / HTTP/9\n');
    expect(await server.until('\n')).toBe('GET / HTTP/9\n');
    stage.current.note({ fromClient: `${request}\x00early`, atOrigin, fromOrigin: answer, atClient, recorded: [] });
  });
});

describe('rule 10: answers without a body', () => {
  test.each([
    ['HEAD', '200 OK', 'Content-Length: 500'],
    ['HEAD', '200 OK', 'Transfer-Encoding: chunked'],
    ['GET', '204 No Content', 'X: y'],
    ['GET', '304 Not Modified', 'Content-Length: 500'],
  ])('rule 10: %s with %s and %s ends at its head, and the connection goes on', async (method, status, field) => {
    const client = await stage.current.connect();
    const request = `${method} /p HTTP/1.1\r\nHost: ORIGIN\r\n\r\n`;
    const answer = `HTTP/1.1 ${status}\r\n${field}\r\n\r\n`;
    client.send(stage.current.fill(request + request));
    const server = await stage.current.origin.next();
    for (let turn = 0; turn < 2; turn++) {
      await server.head();
      server.send(answer);
      expect(await client.head()).toBe(answer);
    }
    expect(client.pending).toBe('');
    expect(stage.current.origin.accepted).toBe(1);
    stage.current.note({ fromClient: request, atOrigin: request, fromOrigin: answer, atClient: answer, recorded: [] });
  });

  test('rule 10: a body that comes all the same is not forwarded, is flagged, and the connection is not used again', async () => {
    const { atClient, recorded, server } = await stage.current.play({
      request: 'HEAD /p HTTP/1.1\r\nHost: ORIGIN\r\n\r\n',
      response: ok(['Content-Length: 4'], 'body'),
      responseEnd: '\r\n\r\n',
    });
    expect(atClient).toBe(ok(['Content-Length: 4']));
    expect(recorded).toEqual(['body-on-bodyless-response']);
    await server.rest();
  });

  test('rule 10: 2xx to CONNECT has no body and no framing', async () => {
    const client = await stage.current.connect('proxy');
    const request = 'CONNECT ORIGIN HTTP/1.1\r\nHost: ORIGIN\r\n\r\n';
    client.send(stage.current.fill(request));
    const atClient = await client.head();
    expect(atClient).toMatch(/^HTTP\/1\.1 200 [^\r]*\r\n\r\n$/);
    stage.current.note({ fromClient: request, atOrigin: null, fromOrigin: null, atClient, recorded: [] });
  });
});

describe('rule 11: trailers', () => {
  test('rule 11: pass both ways and are recorded apart from the head', async () => {
    const body = (name: string): string => `1\r\nx\r\n0\r\n${name}: 1\r\nContent-Length: 99\r\n\r\n`;
    const { atOrigin, atClient, row } = await stage.current.play({
      request: `POST /p HTTP/1.1\r\nHost: ORIGIN\r\nTransfer-Encoding: chunked\r\n\r\n${body('X-Up')}`,
      requestEnd: 'Content-Length: 99\r\n\r\n',
      response: ok(['Transfer-Encoding: chunked', 'Trailer: X-Down'], body('X-Down')),
      responseEnd: 'Content-Length: 99\r\n\r\n',
    });
    expect(atOrigin.endsWith(body('X-Up'))).toBe(true);
    expect(atClient.endsWith(body('X-Down'))).toBe(true);
    expect(row.trailers).toEqual({
      request: 'X-Up: 1\r\nContent-Length: 99\r\n',
      response: 'X-Down: 1\r\nContent-Length: 99\r\n',
    });
    expect(row.begin.head.toString()).not.toContain('X-Up');
    expect(row.responseBody.toString()).toBe('x');
  });
});

test('rule 10: the response to an HTTP/1.0 client has no invented chunk end', async () => {
  const { atClient } = await stage.current.play({
    request: 'GET /p HTTP/1.0\r\nHost: ORIGIN\r\n\r\n',
    response: ok(['Transfer-Encoding: chunked'], '3\r\nabc\r\n0\r\n\r\n'),
    responseEnd: 'close',
  });
  expect(atClient).toBe(ok(['Connection: close'], 'abc'));
});

test('rule 08: plain visits to the proxy port and CONNECT keep to the same head rules', async () => {
  const client = await Wire.connect(stage.current.weir.port);
  const request = 'GET /nothing-here HTTP/1.1\r\nHost: ORIGIN\r\nConnection: close\r\n\r\n';
  client.send(request);
  const { text } = await client.rest();
  expect(text).toMatch(/^HTTP\/1\.1 404 [\s\S]*\r\nConnection: close\r\n/);
});
