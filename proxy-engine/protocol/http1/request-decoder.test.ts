import { describe, expect, test } from 'vitest';
import { fields, playEveryWay, playRequests } from '../../../test/support/http1-transcript.ts';
import type { PlayOptions, Transcript } from '../../../test/support/http1-transcript.ts';
import { DEFAULT_LIMITS } from '../../model/engine-config.ts';
import { createRequestDecoder } from './decoder.ts';
import type { Http1Sink, RequestHead } from './message.ts';

const play = (text: string, options: PlayOptions = {}): Transcript<RequestHead> =>
  playEveryWay(playRequests, text, options);
const onlyHead = (text: string, options: PlayOptions = {}): RequestHead => {
  const { heads, failure } = play(text, options);
  expect(failure).toBeNull();
  expect(heads).toHaveLength(1);
  const [head] = heads;
  if (head === undefined) throw new Error('no head');
  return head;
};
const refusal = (text: string, options: PlayOptions = {}): string => {
  const { failure, heads, events } = play(text, options);
  expect(heads).toHaveLength(0);
  expect(events).toHaveLength(0);
  return failure === null ? 'accepted' : `${String(failure.status)} ${failure.code}`;
};
const withFields = (...lines: string[]): string => ['POST /p HTTP/1.1', 'Host: a.test', ...lines, '', ''].join('\r\n');

describe('a request head', () => {
  test('keeps its bytes, the case, order and duplicates of its fields', () => {
    const text = 'GET /a?b=%20c HTTP/1.1\r\nhOST: a.test\r\nX-One:1\r\nx-one: \t 2 \t\r\nEmpty:\r\n\r\n';
    const head = onlyHead(text);
    expect(head.bytes.toString('latin1')).toBe(text);
    expect([head.method, head.target, head.minorVersion]).toEqual(['GET', '/a?b=%20c', 1]);
    expect(fields(head)).toEqual([
      ['hOST', 'a.test'],
      ['X-One', '1'],
      ['x-one', '2'],
      ['Empty', ''],
    ]);
    expect(head.get('x-one')).toBe('1');
    expect(head.get('absent')).toBeNull();
    expect(head.has('empty')).toBe(true);
  });

  test('may use any method and any field, and bytes above 0x7F in values', () => {
    const head = onlyHead("M-SEARCH!#$%&'*+.^_`|~ / HTTP/1.1\r\nHost: a\r\n!#$%&'*+-.^_`|~09: \xe4\xff\t!\r\n\r\n");
    expect(head.method).toBe("M-SEARCH!#$%&'*+.^_`|~");
    expect(fields(head)[1]).toEqual(["!#$%&'*+-.^_`|~09", '\xe4\xff\t!']);
  });

  test('is copied, so that the segment may be used again', () => {
    const segment = Buffer.from(withFields('A: b'));
    const transcript = playRequests([segment]);
    segment.fill(0);
    expect(transcript.heads[0]?.get('a')).toBe('b');
  });

  test.each([
    ['GET /  HTTP/1.1', '400 http1.request-line'],
    ['GET  / HTTP/1.1', '400 http1.request-line'],
    ['GET / x HTTP/1.1', '400 http1.request-line'],
    [' GET / HTTP/1.1', '400 http1.request-line'],
    ['GET / HTTP/1.1 ', '400 http1.request-line'],
    ['GET\t/ HTTP/1.1', '400 http1.request-line'],
    ['G(T / HTTP/1.1', '400 http1.request-line'],
    ['GET /\x00 HTTP/1.1', '400 http1.request-line'],
    ['GET /\x7f HTTP/1.1', '400 http1.request-line'],
    ['GET /', '400 http1.request-line'],
    ['GET / http/1.1', '400 http1.request-line'],
    ['GET / HTTP/1.x', '400 http1.request-line'],
    ['GET / HTTP/11.1', '400 http1.request-line'],
    ['GET / HTTP/2.0', '505 http1.version'],
    ['GET / HTTP/0.9', '505 http1.version'],
    ['GET * HTTP/1.1', '400 http1.target'],
    ['GET a.test:80 HTTP/1.1', '400 http1.target'],
    ['GET path HTTP/1.1', '400 http1.target'],
    ['GET ftp://a.test/ HTTP/1.1', '400 http1.target'],
    ['GET http://u:p@a.test/ HTTP/1.1', '400 http1.target'],
    ['GET http:///p HTTP/1.1', '400 http1.target'],
    ['CONNECT /p HTTP/1.1', '400 http1.target'],
    ['CONNECT a.test HTTP/1.1', '400 http1.target'],
    ['CONNECT a.test:0 HTTP/1.1', '400 http1.target'],
    ['CONNECT a.test:65536 HTTP/1.1', '400 http1.target'],
    ['CONNECT http://a.test:80 HTTP/1.1', '400 http1.target'],
  ])('with the start line %j is refused', (line, expected) => {
    expect(refusal(`${line}\r\nHost: a.test\r\n\r\n`)).toBe(expected);
  });

  test.each([
    ['no Host', 'GET / HTTP/1.1\r\n\r\n', '400 http1.host'],
    ['no Host in absolute form', 'GET http://a.test/ HTTP/1.1\r\n\r\n', '400 http1.host'],
    ['two Hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n', '400 http1.host'],
    ['userinfo', 'GET / HTTP/1.1\r\nHost: u@a\r\n\r\n', '400 http1.host'],
    ['a path', 'GET / HTTP/1.1\r\nHost: a/b\r\n\r\n', '400 http1.host'],
    ['a list', 'GET / HTTP/1.1\r\nHost: a, b\r\n\r\n', '400 http1.host'],
    ['a port that is none', 'GET / HTTP/1.1\r\nHost: a:b\r\n\r\n', '400 http1.host'],
    ['a port above 65535', 'GET / HTTP/1.1\r\nHost: a:65536\r\n\r\n', '400 http1.host'],
    ['a zone', 'GET / HTTP/1.1\r\nHost: [fe80::1%25eth0]\r\n\r\n', '400 http1.host'],
    ['IPv6 without brackets', 'GET / HTTP/1.1\r\nHost: ::1\r\n\r\n', '400 http1.host'],
  ])('with a Host that has %s is refused', (_name, text, expected) => {
    expect(refusal(text)).toBe(expected);
  });

  test.each(['a', 'a:80', 'a.test:', '[::1]', '[::1]:8080', '1.2.3.4:80', 'b\xc3\xbccher.test', ''])(
    'with Host %j is accepted',
    (host) => {
      expect(onlyHead(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`).get('host')).toBe(host);
    },
  );

  test('on HTTP/1.0 needs no Host and does not persist unless it says so', () => {
    expect(onlyHead('GET / HTTP/1.0\r\n\r\n').keepAlive).toBe(false);
    expect(onlyHead('GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n').keepAlive).toBe(true);
    expect(onlyHead('GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n').keepAlive).toBe(false);
  });

  test('of a later minor version counts as HTTP/1.1', () => {
    expect(onlyHead('GET / HTTP/1.7\r\nHost: a\r\n\r\n').minorVersion).toBe(1);
  });

  test('on HTTP/1.1 persists unless a Connection field says close', () => {
    expect(onlyHead(withFields()).keepAlive).toBe(true);
    expect(onlyHead(withFields('Connection: x, Close')).keepAlive).toBe(false);
    expect(onlyHead(withFields('Connection: x', 'CONNECTION: close')).keepAlive).toBe(false);
  });

  test('of CONNECT may lack a Host field, which is flagged', () => {
    expect(onlyHead('CONNECT a.test:443 HTTP/1.1\r\n\r\n').anomalies).toEqual(['connect-without-host']);
  });

  test('in absolute form with another Host is flagged; the same host in another spelling is not', () => {
    const anomalies = (target: string, host: string): readonly string[] =>
      onlyHead(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`).anomalies;
    expect(anomalies('http://a.test/', 'b.test')).toEqual(['host-differs-from-target']);
    expect(anomalies('http://a.test:81/', 'a.test')).toEqual(['host-differs-from-target']);
    expect(anomalies('HTTP://A.test:80/', 'a.TEST')).toEqual([]);
    expect(anomalies('https://a.test/', 'a.test:443')).toEqual([]);
  });

  test('may follow empty lines, which are skipped and flagged', () => {
    const { heads, events } = play(`\r\n\r\n${withFields()}`);
    expect(heads[0]?.anomalies).toEqual(['empty-lines-before-start']);
    expect(events).toEqual([`head ${withFields()}`, 'end']);
    expect(play('\r\n').midMessage).toBe(false);
  });

  test('is incomplete until its empty line', () => {
    const { heads, midMessage, failure } = play('GET / HTTP/1.1\r\nHost: a.test\r\n\r');
    expect([heads.length, midMessage, failure]).toEqual([0, true, null]);
  });

  test.each([
    ['a bare line feed', 'A: b\nC: d', '400 http1.line-end'],
    ['a bare carriage return', 'A: b\rC: d', '400 http1.line-end'],
    ['NUL', 'A: b\x00', '400 http1.field-value'],
    ['a control character', 'A: b\x0b', '400 http1.field-value'],
    ['DEL', 'A: b\x7f', '400 http1.field-value'],
    ['obs-fold', 'A: b\r\n c', '400 http1.obs-fold'],
    ['a space before the colon', 'A : b', '400 http1.space-before-colon'],
    ['a name with a space', 'A b: c', '400 http1.space-before-colon'],
    ['no colon', 'abc', '400 http1.field-name'],
    ['an empty name', ': b', '400 http1.field-name'],
    ['a name that is no token', 'A(: b', '400 http1.field-name'],
    ['a name above 0x7F', '\xe4: b', '400 http1.field-name'],
  ])('with %s is refused', (_name, line, expected) => {
    expect(refusal(withFields(line))).toBe(expected);
  });

  test('with a space before its first field is refused', () => {
    expect(refusal('GET / HTTP/1.1\r\n Host: a\r\n\r\n')).toBe('400 http1.obs-fold');
  });

  test('with bare line feeds is flagged where the setting tolerates them', () => {
    const head = onlyHead('GET / HTTP/1.1\nHost: a.test\nX: y\r\n\n', { bareLineFeed: true });
    expect(head.anomalies).toEqual(['bare-line-feed']);
    expect(fields(head)).toEqual([
      ['Host', 'a.test'],
      ['X', 'y'],
    ]);
  });

  test('expects 100-continue in any case, but not on HTTP/1.0', () => {
    expect(onlyHead(withFields('Expect: 100-Continue')).expectsContinue).toBe(true);
    expect(onlyHead(withFields('Expect: other')).expectsContinue).toBe(false);
    expect(onlyHead('GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n').expectsContinue).toBe(false);
  });

  test('asks for an upgrade when Connection names it, but never for h2c', () => {
    const upgrade = (...lines: string[]): string | null => onlyHead(withFields(...lines)).upgrade;
    expect(upgrade('Connection: keep-alive, Upgrade', 'Upgrade: websocket')).toBe('websocket');
    expect(upgrade('Upgrade: websocket')).toBeNull();
    expect(upgrade('Connection: Upgrade')).toBeNull();
    expect(upgrade('Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk')).toBeNull();
    expect(upgrade('Connection: Upgrade', 'Upgrade: H2C, foo/1')).toBe('foo/1');
    expect(onlyHead('GET / HTTP/1.0\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n').upgrade).toBeNull();
  });
});

describe('the framing of a request', () => {
  const framing = (...lines: string[]): [string, number, boolean, readonly string[]] => {
    const { heads, failure } = play(withFields(...lines));
    const [head] = heads;
    if (head === undefined) throw new Error(`${String(failure?.status)} ${String(failure?.code)}`);
    return [head.framing, head.contentLength, head.keepAlive, head.anomalies];
  };

  test('is none without fields, the length, or chunked', () => {
    expect(framing()).toEqual(['none', 0, true, []]);
    expect(framing('Content-Length: 12')).toEqual(['length', 12, true, []]);
    expect(framing('Content-Length: 0')).toEqual(['length', 0, true, []]);
    expect(framing('Transfer-Encoding: ChunKed')).toEqual(['chunked', 0, true, []]);
  });

  test('takes the coding over the length, flags it and closes after', () => {
    expect(framing('Content-Length: 3', 'Transfer-Encoding: chunked')).toEqual([
      'chunked',
      0,
      false,
      ['length-with-chunked'],
    ]);
  });

  test('takes equal lengths as one and flags them', () => {
    expect(framing('Content-Length: 3', 'content-length: 03')).toEqual(['length', 3, true, ['equal-lengths']]);
    expect(framing('Content-Length: 3, 3')).toEqual(['length', 3, true, ['equal-lengths']]);
  });

  test('takes lengths up to 2^53−1, whatever zeros lead', () => {
    expect(framing(`Content-Length: ${'0'.repeat(40)}9007199254740991`)[1]).toBe(Number.MAX_SAFE_INTEGER);
  });

  test.each([
    ['Content-Length: 3', 'Content-Length: 4'],
    ['Content-Length: 3, 4'],
    ['Content-Length: 3,'],
    ['Content-Length:'],
    ['Content-Length: +3'],
    ['Content-Length: -3'],
    ['Content-Length: 0x3'],
    ['Content-Length: 3.0'],
    ['Content-Length: 3 3'],
    ['Content-Length: 9007199254740992'],
    ['Content-Length: 18446744073709551619'],
    ['Content-Length: x', 'Transfer-Encoding: chunked'],
  ])('is refused for %j %j', (...lines) => {
    expect(refusal(withFields(...lines))).toBe('400 http1.content-length');
  });

  test.each([
    ['chunked, chunked', '400 http1.transfer-encoding'],
    ['chunked, gzip', '400 http1.transfer-encoding'],
    ['chunked,', '400 http1.transfer-encoding'],
    [', chunked', '400 http1.transfer-encoding'],
    ['', '400 http1.transfer-encoding'],
    ['gzip', '400 http1.transfer-encoding'],
    ['identity', '400 http1.transfer-encoding'],
    ['gzip, chunked', '501 http1.unknown-coding'],
    ['xchunked', '501 http1.unknown-coding'],
    ['"chunked"', '501 http1.unknown-coding'],
    ['chunked;q=1', '501 http1.unknown-coding'],
    ['cow, chunked', '501 http1.unknown-coding'],
  ])('is refused for Transfer-Encoding %j', (coding, expected) => {
    expect(refusal(withFields(`Transfer-Encoding: ${coding}`))).toBe(expected);
  });

  test('is refused for two Transfer-Encoding fields', () => {
    expect(refusal(withFields('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'))).toBe(
      '400 http1.transfer-encoding',
    );
  });

  test('of HTTP/1.0 with a coding is chunked, flagged, and closes after', () => {
    const text = 'POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n';
    const head = onlyHead(text);
    expect([head.framing, head.keepAlive, head.anomalies]).toEqual(['chunked', false, ['chunked-on-http-1.0']]);
  });

  test('of CONNECT is none: what follows is the tunnel', () => {
    const { heads, rest } = play('CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhello', { messages: 1 });
    expect([heads[0]?.framing, rest]).toEqual(['none', 'hello']);
  });
});

describe('a request decoder', () => {
  test('reads pipelined requests one after another and stops at the end of each', () => {
    const first = 'POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc';
    const second = 'GET /2 HTTP/1.1\r\nHost: a\r\n\r\n';
    const third = 'POST /3 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nde\r\n0\r\n\r\n';
    expect(play(first + second + third).events).toEqual([
      `head ${first.slice(0, -3)}`,
      'payload abc',
      'end',
      `head ${second}`,
      'end',
      `head ${third.slice(0, third.indexOf('2\r\nde'))}`,
      'framing 2\r\n',
      'payload de',
      'framing \r\n0\r\n\r\n',
      'end',
    ]);
    expect(play(first + second, { messages: 1 }).rest).toBe(second);
  });

  test('reads a head that it has just read as it would read it afresh, and another one anew', () => {
    const post = 'POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n';
    const longer = 'POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 33\r\n\r\n';
    const text = `${post}abc${post}def${longer}${'x'.repeat(33)}${post}ghi\r\n${post}jkl`;
    const { heads, events } = play(text);
    expect(events.filter((event) => event.startsWith('payload'))).toEqual([
      'payload abc',
      'payload def',
      `payload ${'x'.repeat(33)}`,
      'payload ghi',
      'payload jkl',
    ]);
    expect(heads.map(({ anomalies }) => anomalies)).toEqual([[], [], [], [], ['empty-lines-before-start']]);
    expect(heads[1]).toBe(heads[0]);
  });

  test('gives the bytes of a head that it waits for or has refused', () => {
    const decoder = createRequestDecoder(DEFAULT_LIMITS, { bareLineFeed: false });
    decoder.receive(Buffer.from('GET / HT'), 0, new IgnoringSink());
    expect([decoder.partialHead.toString(), decoder.midMessage]).toEqual(['GET / HT', true]);
    decoder.receive(Buffer.from('TP/1.1\r\nA : b\r\n'), 0, new IgnoringSink());
    expect(decoder.failure?.code).toBe('http1.space-before-colon');
    expect(decoder.partialHead.toString()).toBe('GET / HTTP/1.1\r\nA : b\r\n');
  });

  test('gives the whole head that is refused for what it says', () => {
    const decoder = createRequestDecoder(DEFAULT_LIMITS, { bareLineFeed: false });
    decoder.receive(Buffer.from('GET / HTTP/1.1\r\n\r\nrest'), 0, new IgnoringSink());
    expect(decoder.failure?.code).toBe('http1.host');
    expect(decoder.partialHead.toString()).toBe('GET / HTTP/1.1\r\n\r\n');
  });

  test('takes nothing more after a failure', () => {
    const { failure, events } = play(`GET / HTTP/3.0\r\n\r\n${withFields()}`);
    expect([failure?.code, events]).toEqual(['http1.version', []]);
  });
});

describe('limits', () => {
  const line = (bytes: number): string =>
    `GET /${'x'.repeat(bytes - 'GET / HTTP/1.1'.length)} HTTP/1.1\r\nHost: a\r\n\r\n`;

  test('the request line may be as long as its limit and no longer', () => {
    expect(onlyHead(line(40), { limits: { requestLineBytes: 40 } }).method).toBe('GET');
    expect(refusal(line(41), { limits: { requestLineBytes: 40 } })).toBe('414 http1.request-line-too-long');
  });

  test('an endless request line is refused when it passes the limit', () => {
    const { failure } = play(`GET /${'x'.repeat(100)}`, { limits: { requestLineBytes: 40 } });
    expect(failure).toMatchObject({ code: 'http1.request-line-too-long', status: 414 });
    expect(failure?.message).toContain('requestLineBytes');
  });

  test('the head may be as large as its limit and no larger', () => {
    const text = withFields('A: b');
    expect(onlyHead(text, { limits: { headBytes: text.length } }).fieldCount).toBe(2);
    expect(refusal(text, { limits: { headBytes: text.length - 1 } })).toBe('431 http1.head-too-large');
    expect(play(text, { limits: { headBytes: 20 } }).failure?.message).toContain('headBytes');
  });

  test('there may be as many fields as the limit and no more', () => {
    const text = withFields('A: b', 'C: d');
    expect(onlyHead(text, { limits: { fields: 3 } }).fieldCount).toBe(3);
    expect(refusal(text, { limits: { fields: 2 } })).toBe('431 http1.too-many-fields');
    expect(play(text, { limits: { fields: 2 } }).failure?.message).toContain('limit fields');
  });

  test('empty lines before a request are bounded as a head is', () => {
    expect(refusal('\r\n'.repeat(20), { limits: { headBytes: 39 } })).toBe('431 http1.head-too-large');
    expect(refusal('\r\n'.repeat(20), { limits: { headBytes: 40 } })).toBe('accepted');
  });
});

class IgnoringSink implements Http1Sink<RequestHead> {
  onHead(): void {}
  onPayload(): void {}
  onFraming(): void {}
  onWire(): void {}
  onTrailers(): void {}
  onEnd(): void {}
}
