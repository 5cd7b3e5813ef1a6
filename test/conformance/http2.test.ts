import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Http2Error } from '../../proxy-engine/protocol/http2/index.ts';
import type { HeaderToSend, Http2Head } from '../../proxy-engine/protocol/http2/index.ts';
import { startEngine } from '../support/engine-kit.ts';
import type { EngineUnderTest, Row } from '../support/engine-kit.ts';
import { field, frame, headersFrame as headers, requestFields as request } from '../support/http2-frames.ts';
import { Http2Wire, Http2WireServer } from '../support/http2-wire.ts';
import { Wire, WireServer } from '../support/wire.ts';
import { writeEvidence } from './evidence.ts';
import type { Evidence } from './evidence.ts';
import { codes } from './stage.ts';

vi.setConfig({ testTimeout: 20_000 });

const evidence: Evidence[] = [];
let weir: EngineUnderTest;
let origin: Http2WireServer;
let http1Origin: WireServer;
const clients: Http2Wire[] = [];

beforeEach(async () => {
  origin = await Http2WireServer.listen();
  http1Origin = await WireServer.listen();
  weir = await startEngine({
    modes: [
      { kind: 'reverse', scheme: 'h2c', host: '127.0.0.1', port: origin.port, basePath: '' },
      { kind: 'reverse', scheme: 'http', host: '127.0.0.1', port: http1Origin.port, basePath: '' },
      { kind: 'proxy' },
    ],
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await weir.stop();
  origin.close();
  await http1Origin.close();
});
afterAll(() => {
  writeEvidence('http2', evidence);
});

const toHttp2 = (): number => weir.ports[0] ?? 0;
const toHttp1 = (): number => weir.ports[1] ?? 0;

function connect(port = toHttp2()): Http2Wire {
  const client = Http2Wire.connect(port);
  clients.push(client);
  return client;
}

const status = (code: number, ...more: readonly HeaderToSend[]): HeaderToSend[] => [
  field(':status', String(code)),
  ...more,
];
const fields = (head: Http2Head): string[] => head.fields.map(({ name, value }) => `${name}: ${value}`);

function note(
  fromClient: string,
  atOrigin: string | null,
  fromOrigin: string | null,
  atClient: string,
  row?: Row,
): void {
  const name = (expect.getState().currentTestName ?? '').replace(/^.* > /, '');
  const recorded = row === undefined ? [] : codes(row);
  evidence.push({ test: name, fromClient, atOrigin, fromOrigin, atClient, recorded });
}

const lastRow = async (count = 1): Promise<Row> => {
  const row = (await weir.rows.ended(count)).at(-1);
  if (row === undefined) throw new Error('no row');
  return row;
};

describe('rule 20: frames and streams', () => {
  test.each([
    ['DATA on an idle stream', (): Buffer => frame(0, 0, 1, Buffer.from('x')), Http2Error.protocolError],
    ['an even stream', (): Buffer => headers(2, request()), Http2Error.protocolError],
    ['WINDOW_UPDATE of 0', (): Buffer => frame(8, 0, 0, Buffer.alloc(4)), Http2Error.protocolError],
    ['PING of seven octets', (): Buffer => frame(6, 0, 0, Buffer.alloc(7)), Http2Error.frameSizeError],
    ['a frame that is too long', (): Buffer => frame(0, 0, 1, Buffer.alloc(16_385)), Http2Error.frameSizeError],
    ['a broken header block', (): Buffer => frame(1, 5, 1, Buffer.from([0xff])), Http2Error.compressionError],
  ])('rule 20: %s ends the connection with the right code', async (what, bytes, code) => {
    const client = connect();
    client.raw(bytes());
    const seen = await client.next('goaway');
    expect(seen.code).toBe(code);
    await client.next('closed');
    const row = await lastRow();
    expect(codes(row)).toEqual(['http2.client-connection']);
    note(what, null, null, `GOAWAY ${String(code)} ${seen.debug}`, row);
  });
});

describe('rule 21: malformed heads', () => {
  test.each<[string, HeaderToSend[]]>([
    ['an upper-case name', request('GET', '/', field('X-Upper', 'a'))],
    ['a line feed in a value', request('GET', '/', field('x', 'a\nb'))],
    ['NUL in a value', request('GET', '/', field('x', 'a\0b'))],
    ['connection', request('GET', '/', field('connection', 'close'))],
    ['transfer-encoding', request('POST', '/', field('transfer-encoding', 'chunked'))],
    ['te other than trailers', request('GET', '/', field('te', 'gzip'))],
    ['a late pseudo-field', [...request().slice(0, 3), field('x', 'a'), field(':path', '/')]],
    ['a doubled pseudo-field', [...request(), field(':path', '/')]],
    ['an unknown pseudo-field', [field(':odd', 'a'), ...request()]],
    ['a missing path', request().slice(0, 3)],
    ['host that differs from :authority', request('GET', '/', field('host', 'other.example'))],
    ['white space around a value', request('GET', '/', field('x', ' a'))],
    ['a second request in the method', request('GET / HTTP/1.1 X')],
    ['white space in the path', request('GET', '/ HTTP/1.1')],
  ])('rule 21: %s resets the stream with PROTOCOL_ERROR', async (what, list) => {
    const client = connect();
    const stream = client.request(list);
    expect((await client.next('reset', stream.id)).code).toBe(Http2Error.protocolError);
    const row = await lastRow();
    expect(codes(row)).toEqual(['http2.malformed-request']);
    note(what, null, null, 'RST_STREAM PROTOCOL_ERROR', row);
  });

  test('rule 21: white space around an origin’s value is taken away and flagged', async () => {
    const client = connect();
    const stream = client.request(request());
    const server = await origin.next();
    const { stream: served } = await server.next('head');
    server.respond(served, status(200, field('x', ' a ')), 'ok');
    expect(fields((await client.next('head', stream.id)).head)).toContain('x: a');
    const row = await lastRow();
    expect(codes(row)).toEqual(['outer-space']);
    note('GET', 'GET', 'x: " a "', 'x: "a"', row);
  });
});

test('rule 21: without that leniency the response is refused, by a setting that the error names', async () => {
  weir.configure({ stripOuterSpace: false });
  const client = connect();
  const stream = client.request(request());
  const server = await origin.next();
  const { stream: served } = await server.next('head');
  server.connection.sendHead(served, status(200, field('x', ' a ')), false);
  server.flush();
  expect((await server.next('reset', served.id)).code).toBe(Http2Error.protocolError);
  expect((await client.next('head', stream.id)).head.status).toBe(502);
  const row = await lastRow();
  expect(row.end?.error).toMatchObject({
    code: 'http2.malformed-response',
    message: expect.stringContaining('stripOuterSpace') as string,
  });
  note('GET (setting stripOuterSpace off)', 'GET, RST_STREAM PROTOCOL_ERROR', 'x: " a "', ':status: 502', row);
});

describe('rule 22: lengths and floods', () => {
  test('rule 22: DATA that does not agree with Content-Length is a stream error', async () => {
    const client = connect();
    const stream = client.request(request('POST', '/', field('content-length', '5')), false);
    client.data(stream, '123456', true);
    expect((await client.next('reset', stream.id)).code).toBe(Http2Error.protocolError);
    const row = await lastRow();
    expect(codes(row)).toEqual(['http2.malformed-request']);
    note('content-length: 5, 6 octets', null, null, 'RST_STREAM PROTOCOL_ERROR', row);
  });
});

describe('rule 23: streams do not wait for each other', () => {
  test('rule 23: a stream whose client takes nothing does not hold up another on the same two connections', async () => {
    const client = connect();
    const stalled = client.request(request('GET', '/stalled'));
    client.stalled.add(stalled.id);
    const server = await origin.next();
    const first = await server.next('head');
    const large = 'x'.repeat(2_000_000);
    server.respond(first.stream, status(200), large);
    await client.next('head', stalled.id);
    const other = client.request(request('GET', '/other'));
    const second = await server.next('head', first.stream.id + 2);
    server.respond(second.stream, status(200), 'y'.repeat(500_000));
    expect((await client.body(other.id)).length).toBe(500_000);
    note('two GETs, one stalled', 'both', '2 MB and 500 KB', 'the second whole, the first held by its own window');
  });
});

describe('rule 24: ends of streams and connections', () => {
  test('rule 24: a request above the last stream of a GOAWAY is sent again on another connection', async () => {
    const client = connect();
    const stream = client.request(request('POST', '/again'), false);
    client.data(stream, 'held', true);
    const first = await origin.next();
    await first.next('head');
    first.raw(frame(7, 0, 0, Buffer.alloc(8)));
    const second = await origin.next();
    const { stream: served } = await second.next('head');
    expect(await second.body(served.id)).toBe('held');
    second.respond(served, status(200), 'ok');
    expect(await client.body(stream.id)).toBe('ok');
    const row = await lastRow();
    expect(codes(row)).toEqual([]);
    note('POST', 'POST twice, on two connections', 'GOAWAY last stream 0; 200', '200', row);
  });

  test('rule 24: a refused stream is tried once more, then refused with its code', async () => {
    const client = connect();
    const stream = client.request(request());
    const server = await origin.next();
    for (let times = 0; times < 2; times += 1) {
      server.reset((await server.next('head')).stream, Http2Error.refusedStream);
    }
    expect((await client.next('reset', stream.id)).code).toBe(Http2Error.refusedStream);
    const row = await lastRow();
    expect(codes(row)).toEqual(['http2.refused']);
    note('GET', 'GET twice', 'RST_STREAM REFUSED_STREAM twice', 'RST_STREAM REFUSED_STREAM', row);
  });

  test('rule 24: a whole answer followed by RST_STREAM(NO_ERROR) is delivered whole', async () => {
    const client = connect();
    const stream = client.request(request('POST', '/early'), false);
    const server = await origin.next();
    const { stream: served } = await server.next('head');
    server.respond(served, status(200), 'early');
    server.reset(served, Http2Error.noError);
    expect(await client.body(stream.id)).toBe('early');
    expect((await client.next('reset', stream.id)).code).toBe(Http2Error.noError);
    const row = await lastRow();
    expect(codes(row)).toEqual(['early-response']);
    note('POST, body open', 'POST', '200, RST_STREAM NO_ERROR', '200, RST_STREAM NO_ERROR', row);
  });

  test('rule 24: a reset reaches the other side with its code, either way', async () => {
    const client = connect();
    const one = client.request(request('GET', '/by-client'));
    const server = await origin.next();
    const first = await server.next('head');
    client.reset(one, Http2Error.enhanceYourCalm);
    expect((await server.next('reset', first.stream.id)).code).toBe(Http2Error.enhanceYourCalm);
    const two = client.request(request('GET', '/by-origin'));
    const second = await server.next('head', first.stream.id + 2);
    server.connection.sendHead(second.stream, status(200), false);
    server.data(second.stream, 'half', false);
    await client.next('data', two.id);
    server.reset(second.stream, Http2Error.internalError);
    expect((await client.next('reset', two.id)).code).toBe(Http2Error.internalError);
    const rows = await weir.rows.ended(2);
    expect(rows.flatMap(codes)).toEqual(['client.cancelled', 'origin.cut-short']);
    note('RST_STREAM ENHANCE_YOUR_CALM', 'the same', 'RST_STREAM INTERNAL_ERROR', 'the same', rows[1]);
  });

  test.each([
    ['what an origin cancels by GOAWAY as it leaves is cancelled', 'CANCEL', Http2Error.cancel, Http2Error.cancel],
    [
      'a GOAWAY about the connection to the origin is a failure',
      'SETTINGS_TIMEOUT',
      Http2Error.settingsTimeout,
      Http2Error.internalError,
    ],
  ])('rule 24: %s for the client in the middle of an answer', async (_what, name, said, heard) => {
    const client = connect();
    const stream = client.request(request());
    const server = await origin.next();
    const { stream: served } = await server.next('head');
    server.connection.sendHead(served, status(200), false);
    server.data(served, 'half', false);
    await client.next('data', stream.id);
    server.raw(frame(7, 0, 0, Buffer.from([0, 0, 0, served.id, 0, 0, 0, said])));
    server.close();
    expect((await client.next('reset', stream.id)).code).toBe(heard);
    const row = await lastRow();
    expect(row.end?.error).toMatchObject({
      code: 'origin.cut-short',
      message: `The origin said ${name} and ended the connection in the middle of its response.`,
    });
    note(
      'GET',
      'GET',
      `half a body, GOAWAY ${name}, connection closed`,
      `half a body, RST_STREAM ${String(heard)}`,
      row,
    );
  });

  test('rule 24: a client of HTTP/1 sees a reset as a cut', async () => {
    const client = await Wire.connect(toHttp2());
    client.send('GET /p HTTP/1.1\r\nHost: a\r\n\r\n');
    const server = await origin.next();
    const { stream } = await server.next('head');
    server.connection.sendHead(stream, status(200, field('content-length', '10')), false);
    server.data(stream, 'half', false);
    await client.until('half');
    server.reset(stream, Http2Error.internalError);
    await client.rest();
    const row = await lastRow();
    expect(codes(row)).toEqual(['origin.cut-short']);
    note('GET (HTTP/1.1)', 'GET', 'half a body, RST_STREAM INTERNAL_ERROR', 'half a body, connection closed', row);
  });

  test('rule 24: an origin of HTTP/1 that cuts its answer short resets the stream', async () => {
    const client = connect(toHttp1());
    const stream = client.request(request());
    const server = await http1Origin.next();
    await server.head();
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf');
    await client.next('data', stream.id);
    server.end();
    expect((await client.next('reset', stream.id)).code).toBe(Http2Error.internalError);
    const row = await lastRow();
    expect(codes(row)).toEqual(['origin.cut-short']);
    note('GET', 'GET (HTTP/1.1)', 'half a body, FIN', 'RST_STREAM INTERNAL_ERROR', row);
  });
});

describe('rule 25: fields across versions', () => {
  test('rule 25: cookies are joined, :authority becomes Host, TE: trailers is announced', async () => {
    const client = connect(toHttp1());
    const stream = client.request(
      request('GET', '/p', field('cookie', 'a=1'), field('te', 'trailers'), field('cookie', 'b=2')),
    );
    const server = await http1Origin.next();
    const head = await server.head();
    const at = `127.0.0.1:${String(http1Origin.port)}`;
    const wanted = `GET /p HTTP/1.1\r\nHost: ${at}\r\ncookie: a=1; b=2\r\nte: trailers\r\nConnection: TE\r\n\r\n`;
    expect(head).toBe(wanted);
    const answer =
      'HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Case: Kept\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';
    server.send(answer);
    const seen = await client.next('head', stream.id);
    expect(fields(seen.head)).toEqual(['set-cookie: a=1', 'set-cookie: b=2', 'x-case: Kept', 'content-length: 0']);
    expect(seen.end).toBe(true);
    const row = await lastRow();
    expect(row.response?.head.toString()).toBe(answer);
    note('GET, two cookies, te', head.replace(at, 'ORIGIN'), answer, fields(seen.head).join('\r\n'), row);
  });

  test('rule 25: names go out in lower case and the record keeps what the client sent', async () => {
    const client = await Wire.connect(toHttp2());
    const sent =
      'OPTIONS * HTTP/1.1\r\nHost: a\r\nX-MiXed: Kept\r\nConnection: TE, X-Hop\r\nTE: trailers\r\nX-Hop: 1\r\n\r\n';
    client.send(sent);
    const server = await origin.next();
    const { stream, head } = await server.next('head');
    expect([head.method, head.path, head.authority]).toEqual(['OPTIONS', '*', `127.0.0.1:${String(origin.port)}`]);
    expect(fields(head)).toEqual(['x-mixed: Kept', 'te: trailers']);
    server.respond(stream, status(204));
    expect(await client.head()).toBe('HTTP/1.1 204 No Content\r\n\r\n');
    client.end();
    const row = await lastRow();
    expect(row.begin.head.toString()).toBe(sent);
    expect(row.sentHead?.toString()).toContain('x-mixed: Kept');
    note(sent, fields(head).join('\r\n'), ':status: 204', 'HTTP/1.1 204 No Content', row);
  });
});

describe('rule 26: what is refused and what is ignored', () => {
  test('rule 26: a push from an origin is a connection error, and the request a failure', async () => {
    const client = connect();
    const stream = client.request(request());
    const server = await origin.next();
    const { stream: served } = await server.next('head');
    server.raw(frame(5, 4, served.id, Buffer.from([0, 0, 0, 2])));
    expect((await server.next('goaway')).code).toBe(Http2Error.protocolError);
    expect((await client.next('head', stream.id)).head.status).toBe(502);
    const row = await lastRow();
    expect(codes(row)).toEqual(['http2.origin-connection']);
    note('GET', 'GET', 'PUSH_PROMISE', '502', row);
  });

  test('rule 26: PRIORITY, unknown frames and unknown settings are ignored', async () => {
    const client = connect();
    client.raw(frame(2, 0, 1, Buffer.from([0, 0, 0, 3, 1])));
    client.raw(frame(0xee, 0xff, 0, Buffer.from('anything')));
    client.raw(frame(4, 0, 0, Buffer.from([0xff, 0xee, 0, 0, 0, 1])));
    const stream = client.request(request());
    const server = await origin.next();
    server.respond((await server.next('head')).stream, status(200), 'ok');
    expect(await client.body(stream.id)).toBe('ok');
    note('PRIORITY, frame 0xee, setting 0xffee, GET', 'GET', '200', '200', await lastRow());
  });
});

describe('rule 27: gRPC', () => {
  const call = (): HeaderToSend[] =>
    request('POST', '/shop.Cart/Add', field('content-type', 'application/grpc'), field('te', 'trailers'));

  test('rule 27: a trailers-only answer passes as one head', async () => {
    const client = connect();
    const stream = client.request(call(), false);
    client.data(stream, '\0\0\0\0\x01x', true);
    const server = await origin.next();
    const { stream: served } = await server.next('head');
    server.respond(served, status(200, field('content-type', 'application/grpc'), field('grpc-status', '5')));
    const seen = await client.next('head', stream.id);
    expect(fields(seen.head)).toContain('grpc-status: 5');
    expect(seen.end).toBe(true);
    note('gRPC call', 'the same', 'trailers-only, grpc-status 5', 'the same', await lastRow());
  });

  test('rule 27: messages split anywhere and the status in trailers pass', async () => {
    const client = connect();
    const stream = client.request(call(), false);
    const server = await origin.next();
    const { stream: served, head } = await server.next('head');
    expect(fields(head)).toContain('te: trailers');
    for (const part of ['\0\0', '\0\0\x03a', 'bc']) {
      client.data(stream, part, false);
      await server.next('data', served.id);
    }
    server.connection.sendHead(served, status(200, field('content-type', 'application/grpc')), false);
    server.data(served, '\0\0\0\0\x01y', false);
    expect((await client.next('data', stream.id)).text).toBe('\0\0\0\0\x01y');
    client.data(stream, '', true);
    server.connection.sendTrailers(served, [field('grpc-status', '0')]);
    server.flush();
    expect(fields((await client.next('trailers', stream.id)).head)).toEqual(['grpc-status: 0']);
    const row = await lastRow();
    expect([row.request.toString('latin1'), row.trailers.response]).toEqual(['\0\0\0\0\x03abc', 'grpc-status: 0\r\n']);
    note('gRPC call in three pieces', 'the same', 'message, trailers', 'the same', row);
  });
});
