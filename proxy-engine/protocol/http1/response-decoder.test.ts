import { describe, expect, test } from 'vitest';
import { fields, playEveryWay, playResponses } from '../../../test/support/http1-transcript.ts';
import type { PlayOptions, Transcript } from '../../../test/support/http1-transcript.ts';
import type { ResponseHead } from './message.ts';

const play = (text: string, options: PlayOptions = {}): Transcript<ResponseHead> =>
  playEveryWay(playResponses, text, options);
const onlyHead = (text: string, options: PlayOptions = {}): ResponseHead => {
  const { heads, failure } = play(text, options);
  expect(failure).toBeNull();
  const [head] = heads;
  if (head === undefined) throw new Error('no head');
  return head;
};
const refusal = (text: string): string => {
  const { failure, heads } = play(text);
  expect(heads).toHaveLength(0);
  return failure === null ? 'accepted' : `${String(failure.status)} ${failure.code}`;
};
const response = (...lines: string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');

describe('a status line', () => {
  test.each([
    ['HTTP/1.1 200 OK', 200, 'OK', 1],
    ['HTTP/1.0 404 Not Found', 404, 'Not Found', 0],
    ['HTTP/1.1 200 ', 200, '', 1],
    ['HTTP/1.1 200', 200, '', 1],
    ['HTTP/1.1 999 \tna\xefve', 999, '\tna\xefve', 1],
  ])('%j is understood', (line, status, reason, minorVersion) => {
    const head = onlyHead(`${line}\r\nContent-Length: 0\r\n\r\n`);
    expect([head.status, head.reason, head.minorVersion]).toEqual([status, reason, minorVersion]);
  });

  test.each([
    'HTTP/1.1 20 OK',
    'HTTP/1.1 2000 OK',
    'HTTP/1.1 099 OK',
    'HTTP/1.1  200 OK',
    'HTTP/1.1 200OK',
    'HTTP/1.1 2x0 OK',
    'HTTP/2 200 OK',
    'HTTP/2.0 200 OK',
    'http/1.1 200 OK',
    'ICY 200 OK',
    'HTTP/1.1',
    '',
    'HTTP/1.1 200 O\x00K',
  ])('%j is refused', (line) => {
    expect(refusal(`${line}\r\nContent-Length: 0\r\n\r\n`)).toMatch(/^502 http1\.(status-line|response-head)$/);
  });
});

describe('the framing of a response', () => {
  test('lasts until the connection closes when nothing else is said', () => {
    const { heads, events, midMessage } = play(`${response()}abc`, { eof: true });
    expect([heads[0]?.framing, heads[0]?.keepAlive]).toEqual(['until-close', false]);
    expect(events.slice(1)).toEqual(['payload abc', 'end']);
    expect(midMessage).toBe(false);
  });

  test('by length or chunks that the end of the connection cuts has no end', () => {
    const byLength = play(`${response('Content-Length: 5')}abc`, { eof: true });
    expect([byLength.events.at(-1), byLength.midMessage]).toEqual(['payload abc', true]);
    const byChunks = play(`${response('Transfer-Encoding: chunked')}3\r\nabc\r\n`, { eof: true });
    expect([byChunks.events.includes('end'), byChunks.midMessage]).toEqual([false, true]);
  });

  test.each([
    ['HEAD', 'HTTP/1.1 200 OK'],
    ['GET', 'HTTP/1.1 204 No Content'],
    ['GET', 'HTTP/1.1 304 Not Modified'],
    ['GET', 'HTTP/1.1 103 Early Hints'],
    ['CONNECT', 'HTTP/1.1 200 Connection established'],
  ])('is none after %s for %s, whatever the fields say', (method, line) => {
    for (const field of ['Content-Length: 5', 'Transfer-Encoding: chunked', 'X: y']) {
      const { heads, rest } = play(`${line}\r\n${field}\r\n\r\nrest`, { methods: [method], messages: 1 });
      expect([heads[0]?.framing, rest]).toEqual(['none', 'rest']);
    }
  });

  test('follows the request that is answered, also where two heads are the same', () => {
    const head = response('Content-Length: 2');
    const { events } = play(`${head}${head}ok${head}${head}no`, { methods: ['HEAD', 'GET', 'HEAD', 'GET'] });
    expect(events.filter((event) => !event.startsWith('head'))).toEqual([
      'end',
      'payload ok',
      'end',
      'end',
      'payload no',
      'end',
    ]);
  });

  test('is a body for a refused CONNECT', () => {
    const text = 'HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno';
    expect(play(text, { methods: ['CONNECT'] }).events.slice(1)).toEqual(['payload no', 'end']);
  });

  test('takes the coding over the length, flags it and gives the connection up', () => {
    const head = onlyHead(`${response('Content-Length: 3', 'Transfer-Encoding: chunked')}0\r\n\r\n`);
    expect([head.framing, head.keepAlive, head.anomalies]).toEqual(['chunked', false, ['length-with-chunked']]);
  });

  test('takes repeated chunked as one and flags it', () => {
    for (const lines of [
      ['Transfer-Encoding: chunked, Chunked'],
      ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
    ]) {
      const head = onlyHead(`${response(...lines)}0\r\n\r\n`);
      expect([head.framing, head.anomalies]).toEqual(['chunked', ['repeated-chunked']]);
    }
  });

  test('is chunked where chunked is the last of several codings', () => {
    const head = onlyHead(`${response('Transfer-Encoding: gzip, chunked')}0\r\n\r\n`);
    expect([head.framing, head.anomalies]).toEqual(['chunked', []]);
  });

  test('lasts until close where the last coding is not chunked', () => {
    for (const coding of ['gzip', 'chunked, gzip', 'identity']) {
      const head = onlyHead(`${response(`Transfer-Encoding: ${coding}`)}x`);
      expect([head.framing, head.keepAlive, head.anomalies]).toEqual(['until-close', false, ['unframed-coding']]);
    }
  });

  test('of HTTP/1.0 with chunked is flagged and gives the connection up', () => {
    const head = onlyHead('HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n');
    expect([head.framing, head.keepAlive, head.anomalies]).toEqual(['chunked', false, ['chunked-on-http-1.0']]);
  });

  test('of HTTP/1.0 with a length persists only when it says so', () => {
    expect(onlyHead('HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n').keepAlive).toBe(false);
    expect(onlyHead('HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n').keepAlive).toBe(true);
  });

  test.each([
    ['Content-Length: 3', 'Content-Length: 4'],
    ['Content-Length: +3'],
    ['Content-Length: 9007199254740992'],
    ['Transfer-Encoding: chunked, gzip, chunked'],
    ['Transfer-Encoding: chunked,'],
  ])('is refused for %j %j', (...lines) => {
    expect(refusal(response(...lines))).toBe('502 http1.response-framing');
  });
});

describe('irregular fields of a response', () => {
  test('obs-fold is joined by one space and flagged', () => {
    const head = onlyHead(response('A: b \r\n\t c\r\n  d', 'E:\r\n f', 'G: h\r\n ', 'Content-Length:\r\n 0'));
    expect(fields(head)).toEqual([
      ['A', 'b c d'],
      ['E', 'f'],
      ['G', 'h'],
      ['Content-Length', '0'],
    ]);
    expect([head.framing, head.anomalies]).toEqual(['length', ['folded-field']]);
  });

  test('white space before a colon is stripped and flagged', () => {
    const head = onlyHead(response('A \t: b', 'Content-Length : 0'));
    expect(fields(head)[0]).toEqual(['A', 'b']);
    expect([head.framing, head.anomalies]).toEqual(['length', ['space-before-colon']]);
  });

  test.each([
    ['a fold before the first field', ' A: b'],
    ['a bare line feed', 'A: b\nC: d'],
    ['a bare carriage return', 'A: b\rC: d'],
    ['NUL', 'A: \x00'],
    ['a name with a space', 'A b: c'],
    ['no colon', 'abc'],
  ])('%s is refused', (_name, line) => {
    expect(refusal(response(line))).toBe('502 http1.response-head');
  });
});

describe('a response decoder', () => {
  test('reads interim responses one after another before the final one', () => {
    const continued = 'HTTP/1.1 100 Continue\r\n\r\n';
    const hints = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n';
    const final = `${response('Content-Length: 2')}ok`;
    const { heads, events } = play(continued + hints + continued + final);
    expect(heads.map((head) => head.status)).toEqual([100, 103, 100, 200]);
    expect(events.at(-2)).toBe('payload ok');
  });

  test('ends at a 101: what follows is another protocol', () => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n';
    expect(play(`${head}\x81\x00`, { messages: 1 }).rest).toBe('\x81\x00');
  });

  test('keeps Set-Cookie fields apart and in order', () => {
    const head = onlyHead(response('Set-Cookie: a=1', 'X: y', 'set-cookie: b=2', 'Content-Length: 0'));
    expect(fields(head).filter(([name]) => name.toLowerCase() === 'set-cookie')).toEqual([
      ['Set-Cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]);
  });

  test('names the limit that a head passes', () => {
    const { failure } = playResponses([Buffer.from(response('A: b', 'C: d'))], { limits: { fields: 1 } });
    expect(failure).toMatchObject({ code: 'http1.response-head', status: 502 });
    expect(failure?.message).toContain('limit fields');
  });
});
