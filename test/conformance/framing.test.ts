import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy-engine/index.ts';
import { useStage } from './stage.ts';

const stage = useStage('framing');

/** A POST with these fields and this body. */
const post = (fields: readonly string[], body = ''): string =>
  ['POST /p HTTP/1.1', 'Host: ORIGIN', ...fields, '', body].join('\r\n');
const ok = (fields: readonly string[], body = ''): string => ['HTTP/1.1 200 OK', ...fields, '', body].join('\r\n');
const CHUNKS = '3\r\nabc\r\n0\r\n\r\n';
const EMPTY_OK = ok(['Content-Length: 0']);

describe('rule 01: Content-Length together with Transfer-Encoding', () => {
  test('rule 01: in a request the coding wins, the length goes, the connection closes after', async () => {
    const { atOrigin, atClient, recorded } = await stage.current.play({
      request: post(
        ['Content-Length: 4', 'Transfer-Encoding: chunked'],
        `${CHUNKS}GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n`,
      ),
      requestEnd: '0\r\n\r\n',
      response: EMPTY_OK,
      responseEnd: 'close',
    });
    expect(atOrigin).toBe(post(['Transfer-Encoding: chunked'], CHUNKS));
    expect(atClient).toBe(ok(['Content-Length: 0', 'Connection: close']));
    expect(recorded).toEqual(['length-with-chunked']);
  });

  test('rule 01: in a response the coding wins, the length goes, the origin connection is given up', async () => {
    const { atClient, recorded, server } = await stage.current.play({
      request: post(['Content-Length: 0']),
      response: ok(['Content-Length: 4', 'Transfer-Encoding: chunked'], CHUNKS),
      responseEnd: '0\r\n\r\n',
    });
    expect(atClient).toBe(ok(['Transfer-Encoding: chunked'], CHUNKS));
    expect(recorded).toEqual(['length-with-chunked']);
    expect((await server.rest()).text).toBe('');
  });
});

describe('rule 02: several Content-Length', () => {
  test.each([
    ['in two fields', ['Content-Length: 3', 'content-length: 3']],
    ['in one list', ['Content-Length: 3, 3']],
  ])('rule 02: equal ones %s of a request become one and are flagged', async (_name, fields) => {
    const { atOrigin, recorded } = await stage.current.play({
      request: post(fields, 'abc'),
      requestEnd: 'abc',
      response: EMPTY_OK,
      responseEnd: '\r\n\r\n',
    });
    expect(atOrigin).toBe(post(['Content-Length: 3'], 'abc'));
    expect(recorded).toEqual(['equal-lengths']);
  });

  test('rule 02: equal ones of a response become one and are flagged', async () => {
    const { atClient, recorded } = await stage.current.play({
      request: post(['Content-Length: 0']),
      response: ok(['Content-Length: 3', 'Content-Length: 3'], 'abc'),
      responseEnd: 'abc',
    });
    expect(atClient).toBe(ok(['Content-Length: 3'], 'abc'));
    expect(recorded).toEqual(['equal-lengths']);
  });

  test.each([
    ['different', ['Content-Length: 3', 'Content-Length: 4']],
    ['a list with different members', ['Content-Length: 3, 4']],
    ['signed', ['Content-Length: +3']],
    ['negative', ['Content-Length: -3']],
    ['empty', ['Content-Length:']],
    ['hexadecimal', ['Content-Length: 0x3']],
    ['above 2^53−1', ['Content-Length: 9007199254740992']],
    ['overflowing 64 bits', ['Content-Length: 18446744073709551619']],
  ])('rule 02: %s lengths are refused in a request and in a response', async (_name, fields) => {
    expect(await stage.current.refuse(post(fields, 'abc'))).toBe('400 http1.content-length');
    const client = await stage.current.connect();
    client.send(stage.current.fill(post(['Content-Length: 0'])));
    const server = await stage.current.origin.next();
    await server.head();
    server.send(ok(fields, 'abc'));
    expect(await client.head()).toMatch(/^HTTP\/1\.1 502 [\s\S]*x-weir-error: http1\.response-framing/);
    expect((await server.rest()).text).toBe('');
  });
});

describe('rule 03: Transfer-Encoding', () => {
  test.each([
    ['chunked, chunked', '400 http1.transfer-encoding'],
    ['chunked, gzip', '400 http1.transfer-encoding'],
    ['identity', '400 http1.transfer-encoding'],
    ['', '400 http1.transfer-encoding'],
    ['chunked,', '400 http1.transfer-encoding'],
    ['gzip, chunked', '501 http1.unknown-coding'],
    ['xchunked', '501 http1.unknown-coding'],
    ['\x0bchunked', '400 http1.field-value'],
  ])('rule 03: %j in a request is refused', async (coding, expected) => {
    expect(await stage.current.refuse(post([`Transfer-Encoding: ${coding}`], CHUNKS))).toBe(expected);
  });

  test('rule 03: chunked in any case passes as it came', async () => {
    const request = post(['transfer-ENCODING: ChUnKeD'], CHUNKS);
    const { atOrigin, recorded } = await stage.current.play({
      request,
      requestEnd: '0\r\n\r\n',
      response: EMPTY_OK,
      responseEnd: '\r\n\r\n',
    });
    expect([atOrigin, recorded]).toEqual([request, []]);
  });

  test('rule 03: a repeated chunked of a response becomes one and is flagged', async () => {
    const { atClient, recorded } = await stage.current.play({
      request: post(['Content-Length: 0']),
      response: ok(['Transfer-Encoding: chunked', 'A: b', 'Transfer-Encoding: chunked'], CHUNKS),
      responseEnd: '0\r\n\r\n',
    });
    expect(atClient).toBe(ok(['Transfer-Encoding: chunked', 'A: b'], CHUNKS));
    expect(recorded).toEqual(['repeated-chunked']);
  });

  test('rule 03: a coding list of a response without final chunked ends with the connection', async () => {
    const { atClient, recorded } = await stage.current.play({
      request: post(['Content-Length: 0']),
      response: ok(['Transfer-Encoding: gzip'], 'zipped'),
      originCloses: true,
      responseEnd: 'close',
    });
    expect(atClient).toBe(ok(['Transfer-Encoding: gzip', 'Connection: close'], 'zipped'));
    expect(recorded).toEqual(['unframed-coding']);
  });

  test('rule 03: on HTTP/1.0 it is flagged and the connection closes after', async () => {
    const { atOrigin, atClient, recorded } = await stage.current.play({
      request: `POST /p HTTP/1.0\r\nHost: ORIGIN\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKS}`,
      requestEnd: '0\r\n\r\n',
      response: EMPTY_OK,
      responseEnd: 'close',
    });
    expect(atOrigin).toBe(post(['Transfer-Encoding: chunked'], CHUNKS));
    expect(atClient).toBe(ok(['Content-Length: 0', 'Connection: close']));
    expect(recorded).toEqual(['chunked-on-http-1.0']);
  });
});

describe('rule 04: chunks', () => {
  test('rule 04: sizes with leading zeros and in both cases, and extensions, pass as they came', async () => {
    const body = `000b;name="a;b" ;x=\xff\r\n${'x'.repeat(11)}\r\n00A \t;y\r\n${'y'.repeat(10)}\r\n0;last\r\n\r\n`;
    const { atOrigin, row } = await stage.current.play({
      request: post(['Transfer-Encoding: chunked'], body),
      requestEnd: '0;last\r\n\r\n',
      response: ok(['Transfer-Encoding: chunked'], body),
      responseEnd: '0;last\r\n\r\n',
    });
    expect(atOrigin).toBe(post(['Transfer-Encoding: chunked'], body));
    expect(row.request.toString('latin1')).toBe(`${'x'.repeat(11)}${'y'.repeat(10)}`);
    expect(row.responseBody.equals(row.request)).toBe(true);
    expect(row.framing.request).toContain('000b;name="a;b" ;x=\xff\r\n');
  });

  test.each([
    ['a sign', '+3\r\nabc\r\n'],
    ['a minus', '-3\r\nabc\r\n'],
    ['a prefix', '0x3\r\nabc\r\n'],
    ['an underscore', '0_3\r\nabc\r\n'],
    ['an inner space', '0 3\r\nabc\r\n'],
    ['a trailing space', '3 \r\nabc\r\n'],
    ['no digit', '\r\nabc\r\n'],
    ['2^53', '20000000000000\r\nabc\r\n'],
    ['2^64+3', '10000000000000003\r\nabc\r\n'],
    ['a bare line feed', '3\nabc\r\n'],
    ['a bare carriage return', '3\rabc\r\n'],
    ['a bare line feed in an extension', '3;a\nabc\r\n'],
    ['a bare line feed after the data', '3\r\nabc\n'],
    ['data longer than its size', '3\r\nabcd\r\n'],
    ['a wrong trailer', '0\r\nA b: c\r\n\r\n'],
  ])('rule 04: %s is refused, and nothing of the rest reaches the origin', async (name, chunk) => {
    const client = await stage.current.connect();
    const request = post(['Transfer-Encoding: chunked'], chunk);
    client.send(stage.current.fill(request));
    const { text } = await client.rest();
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    const [row] = await stage.current.weir.rows.ended(1);
    const code = name === 'a wrong trailer' ? 'http1.trailers' : 'http1.chunk';
    expect(row?.end?.error?.code).toBe(code);
    // Head and body came in one segment, so the origin had not even been called.
    expect(stage.current.origin.accepted).toBe(0);
    stage.current.note({ fromClient: request, atOrigin: null, fromOrigin: null, atClient: text, recorded: [code] });
  });

  test('rule 04: a fault in a body that is under way ends both connections without an end of the body', async () => {
    const client = await stage.current.connect();
    const head = post(['Transfer-Encoding: chunked'], '3\r\nabc\r\n');
    client.send(stage.current.fill(head));
    const server = await stage.current.origin.next();
    const first = await server.until('abc\r\n');
    client.send('4\nabcd\r\n0\r\n\r\n');
    const { text } = await client.rest();
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    const after = await server.rest();
    expect(after.text).not.toContain('0\r\n\r\n');
    const [row] = await stage.current.weir.rows.ended(1);
    expect(row?.end).toMatchObject({ complete: false, error: { code: 'http1.chunk', side: 'client', phase: 'body' } });
    stage.current.note({
      fromClient: `${head}4\nabcd\r\n0\r\n\r\n`,
      atOrigin: first + after.text,
      fromOrigin: null,
      atClient: text,
      recorded: ['http1.chunk'],
    });
  });

  test('rule 04: a fault in a response body cuts the client’s connection and blames the origin', async () => {
    const response = ok(['Transfer-Encoding: chunked'], '3\r\nabc\r\n+1\r\nd\r\n0\r\n\r\n');
    const { atClient, row } = await stage.current.play({
      request: post(['Content-Length: 0']),
      response,
      responseEnd: 'close',
    });
    expect(atClient).toBe(ok(['Transfer-Encoding: chunked'], '3\r\nabc\r\n'));
    expect(row.end?.error).toMatchObject({ code: 'http1.response-framing', side: 'origin' });
  });

  test('rule 04: extensions are bounded by a setting that the error names', async () => {
    stage.current.weir.configure({ limits: { ...DEFAULT_LIMITS, chunkExtensionBytes: 8 } });
    const client = await stage.current.connect();
    const request = post(['Transfer-Encoding: chunked'], '3;12345678\r\nabc\r\n0\r\n\r\n');
    client.send(stage.current.fill(request));
    const { text } = await client.rest();
    expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*chunkExtensionBytes/);
    stage.current.note({
      fromClient: request,
      atOrigin: null,
      fromOrigin: null,
      atClient: text,
      recorded: ['http1.chunk'],
    });
  });
});

describe('rule 05: line ends, controls, folds and gaps', () => {
  test.each([
    ['a bare line feed', 'A: b\nC: d', '400 http1.line-end'],
    ['a bare carriage return', 'A: b\rC: d', '400 http1.line-end'],
    ['NUL', 'A: \x00b', '400 http1.field-value'],
    ['a control', 'A: \x1bb', '400 http1.field-value'],
    ['DEL', 'A: \x7fb', '400 http1.field-value'],
    ['obs-fold', 'A: b\r\n c', '400 http1.obs-fold'],
    ['a space before the colon', 'Content-Length : 3', '400 http1.space-before-colon'],
  ])('rule 05: %s in a request head is refused', async (_name, line, expected) => {
    expect(await stage.current.refuse(post([line]))).toBe(expected);
  });

  test('rule 05: HTAB in a value is legal', async () => {
    const request = post(['A:\tb\tc\t', 'Content-Length: 0']);
    const { atOrigin } = await stage.current.play({ request, response: EMPTY_OK, responseEnd: '\r\n\r\n' });
    expect(atOrigin).toBe(request);
  });

  test('rule 05: bare line feeds pass as CRLF and are flagged where the setting says so', async () => {
    stage.current.weir.configure({ tolerateBareLineFeed: true });
    const { atOrigin, recorded } = await stage.current.play({
      request: 'GET /p HTTP/1.1\nHost: ORIGIN\nA: b\n\n',
      response: EMPTY_OK,
      responseEnd: '\r\n\r\n',
    });
    expect(atOrigin).toBe('GET /p HTTP/1.1\r\nHost: ORIGIN\r\nA: b\r\n\r\n');
    expect(recorded).toEqual(['bare-line-feed']);
  });

  test('rule 05: folds of a response are joined by a space, gaps before its colons stripped; both are flagged', async () => {
    const { atClient, recorded } = await stage.current.play({
      request: post(['Content-Length: 0']),
      response: ok(['A: b\r\n\t c', 'D : e', 'Content-Length \t: 0']),
      responseEnd: '\r\n\r\n',
    });
    expect(atClient).toBe(ok(['A: b c', 'D: e', 'Content-Length: 0']));
    expect(recorded).toEqual(['folded-field', 'space-before-colon']);
  });

  test.each([
    ['a bare line feed', 'A: b\nC: d'],
    ['a bare carriage return', 'A: b\rC: d'],
    ['NUL', 'A: \x00b'],
  ])('rule 05: %s in a response head is a 502', async (_name, line) => {
    const response = ok([line, 'Content-Length: 0']);
    const { atClient, recorded } = await stage.current.play({
      request: post(['Content-Length: 0', 'Connection: close']),
      response,
      responseEnd: 'close',
    });
    expect(atClient).toMatch(/^HTTP\/1\.1 502 /);
    expect(recorded).toEqual(['http1.response-head']);
  });
});
