import { describe, expect, test } from 'vitest';
import { playRequests, playResponses } from '../../../test/support/http1-transcript.ts';
import type { RequestHeadChanges, ResponseHeadChanges } from './changes.ts';
import { writeRequestHead, writeResponseHead } from './head-writer.ts';
import type { RequestHead, ResponseHead } from './message.ts';

const UNCHANGED: RequestHeadChanges = {
  target: null,
  host: null,
  relayUpgrade: false,
  keepProxyAuthorization: false,
  close: false,
  maxForwards: null,
  appendedLines: '',
};
const TO_PERSISTENT_CLIENT: ResponseHeadChanges = {
  clientMinorVersion: 1,
  keepAlive: true,
  relayUpgrade: false,
  appendedLines: '',
};

function requestHead(text: string, bareLineFeed = false): RequestHead {
  const { heads, failure } = playRequests([Buffer.from(text, 'latin1')], { bareLineFeed, messages: 1 });
  const [head] = heads;
  if (head === undefined) throw new Error(failure?.message ?? 'incomplete');
  return head;
}

function responseHead(text: string, method = 'GET'): ResponseHead {
  const { heads, failure } = playResponses([Buffer.from(text, 'latin1')], { methods: [method], messages: 1 });
  const [head] = heads;
  if (head === undefined) throw new Error(failure?.message ?? 'incomplete');
  return head;
}

/** Fields of a request to `/` as they are forwarded, without the lines that this helper added. */
function forwarded(lines: readonly string[], changes: Partial<RequestHeadChanges> = {}): string[] {
  const head = requestHead(['POST / HTTP/1.1', 'Host: a.test', ...lines, '', ''].join('\r\n'));
  const written = writeRequestHead(head, { ...UNCHANGED, ...changes }).toString('latin1');
  return written.split('\r\n').slice(2, -2);
}

function answered(
  lines: readonly string[],
  changes: Partial<ResponseHeadChanges> = {},
  line = 'HTTP/1.1 200 OK',
): string[] {
  const head = responseHead([line, ...lines, '', ''].join('\r\n'));
  return writeResponseHead(head, { ...TO_PERSISTENT_CLIENT, ...changes })
    .toString('latin1')
    .split('\r\n')
    .slice(1, -2);
}

describe('a forwarded request head', () => {
  test('is the received buffer when nothing must change', () => {
    const head = requestHead(
      'GET /p HTTP/1.1\r\nhOst: a\r\nX: 1\r\nx:2 \r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n',
    );
    expect(writeRequestHead(head, UNCHANGED)).toBe(head.bytes);
    expect(writeRequestHead(head, { ...UNCHANGED, host: 'a' })).toBe(head.bytes);
  });

  test('gets an origin-form target and the target’s Host in place', () => {
    const head = requestHead('GET HTTP://B.test:81/p?q HTTP/1.1\r\nX: 1\r\nhOST:  a.test \r\nY: 2\r\n\r\n');
    const { path, authority } = head.destination;
    expect(writeRequestHead(head, { ...UNCHANGED, target: path, host: authority }).toString('latin1')).toBe(
      'GET /p?q HTTP/1.1\r\nX: 1\r\nhOST:  B.test:81 \r\nY: 2\r\n\r\n',
    );
  });

  test('of HTTP/1.0 says HTTP/1.1 and gets a Host first', () => {
    const head = requestHead('GET /p HTTP/1.0\r\nX: 1\r\n\r\n');
    expect(writeRequestHead(head, { ...UNCHANGED, host: 'a.test' }).toString('latin1')).toBe(
      'GET /p HTTP/1.1\r\nHost: a.test\r\nX: 1\r\n\r\n',
    );
    const bare = requestHead('GET /p HTTP/1.0\r\n\r\n');
    expect(writeRequestHead(bare, { ...UNCHANGED, host: 'a.test' }).toString('latin1')).toBe(
      'GET /p HTTP/1.1\r\nHost: a.test\r\n\r\n',
    );
  });

  test('loses the hop-by-hop fields and what Connection names', () => {
    expect(
      forwarded([
        'A: 1',
        'Connection: keep-alive, X-Hop',
        'x-hop: 2',
        'Keep-Alive: timeout=5',
        'Proxy-Connection: keep-alive',
        'Proxy-Authorization: Basic eA==',
        'Upgrade: websocket',
        'X-HOP: 3',
        'B: 4',
      ]),
    ).toEqual(['A: 1', 'B: 4']);
    expect(forwarded(['Connection: close'])).toEqual([]);
    expect(forwarded(['Connection:'])).toEqual([]);
  });

  test('never loses framing, Host, Authorization or Cookie, whatever Connection names', () => {
    const kept = ['Content-Length: 0', 'Authorization: x', 'Cookie: y'];
    const connection = 'Connection: Content-Length, Transfer-Encoding, Host, Authorization, Cookie, Z';
    expect(forwarded([connection, ...kept, 'Z: 1'])).toEqual(kept);
    const chunked = ['Transfer-Encoding: chunked'];
    expect(forwarded(['Connection: transfer-encoding', ...chunked])).toEqual(chunked);
  });

  test('keeps Proxy-Authorization that was not for us', () => {
    expect(forwarded(['Proxy-Authorization: x'], { keepProxyAuthorization: true })).toEqual(['Proxy-Authorization: x']);
  });

  test('keeps TE: trailers alone and says so in Connection', () => {
    expect(forwarded(['TE: trailers'])).toEqual(['TE: trailers', 'Connection: TE']);
    expect(forwarded(['Connection: TE', 'TE: trailers'])).toEqual(['Connection: TE', 'TE: trailers']);
    expect(forwarded(['TE: gzip, Trailers;q=1', 'te: trailers , deflate', 'Connection: te, x'])).toEqual([
      'TE: trailers',
      'Connection: TE',
    ]);
    expect(forwarded(['Connection: TE', 'TE: gzip;q=0.3'])).toEqual([]);
  });

  test('relays an upgrade as it came', () => {
    const handshake = ['Connection: keep-alive, Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: x'];
    expect(forwarded(handshake, { relayUpgrade: true })).toEqual(handshake);
    expect(forwarded(handshake)).toEqual(['Sec-WebSocket-Key: x']);
    expect(forwarded(['Upgrade: a', 'Connection: x, upgrade'], { relayUpgrade: true })).toEqual([
      'Upgrade: a',
      'Connection: Upgrade',
    ]);
  });

  test('never relays h2c', () => {
    const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk'];
    expect(forwarded(offer, { relayUpgrade: true })).toEqual([]);
    expect(forwarded(['Connection: Upgrade', 'Upgrade: h2c, a'], { relayUpgrade: true })).toEqual([
      'Connection: Upgrade',
      'Upgrade: a',
    ]);
  });

  test('has one framing where it came with two', () => {
    expect(forwarded(['Content-Length: 3', 'Transfer-Encoding: chunked', 'Content-Length: 3'])).toEqual([
      'Transfer-Encoding: chunked',
    ]);
    expect(forwarded(['Content-Length: 3, 3', 'A: b', 'content-length: 3'])).toEqual(['Content-Length: 3', 'A: b']);
  });

  test('can ask for a close, count Max-Forwards down and get lines appended', () => {
    expect(forwarded(['A: b', 'Connection: keep-alive'], { close: true })).toEqual(['A: b', 'Connection: close']);
    expect(forwarded(['A: b'], { close: true, appendedLines: 'Via: 1.1 weir\r\n' })).toEqual([
      'A: b',
      'Connection: close',
      'Via: 1.1 weir',
    ]);
    expect(forwarded(['Max-Forwards: 10'], { maxForwards: 9 })).toEqual(['Max-Forwards: 9']);
  });

  test('has CRLF line ends where bare line feeds were tolerated', () => {
    const head = requestHead('GET / HTTP/1.1\nHost: a\nConnection: x\r\nX: y\nA:b \n\n', true);
    expect(writeRequestHead(head, UNCHANGED).toString('latin1')).toBe('GET / HTTP/1.1\r\nHost: a\r\nA:b \r\n\r\n');
    const bare = requestHead('GET / HTTP/1.0\n\n', true);
    expect(writeRequestHead(bare, { ...UNCHANGED, host: 'a' }).toString('latin1')).toBe(
      'GET / HTTP/1.1\r\nHost: a\r\n\r\n',
    );
  });

  test('means the same when it is read again', () => {
    const head = requestHead(
      'POST http://a/p HTTP/1.0\r\nContent-Length: 3, 3\r\nConnection: Keep-Alive, Z\r\nZ: 1\r\n\r\n',
    );
    const again = requestHead(writeRequestHead(head, { ...UNCHANGED, target: '/p', host: 'a' }).toString('latin1'));
    expect([again.target, again.get('host'), again.framing, again.contentLength, again.anomalies]).toEqual([
      '/p',
      'a',
      'length',
      3,
      [],
    ]);
  });
});

describe('a forwarded response head', () => {
  test('is the received buffer when nothing must change', () => {
    const head = responseHead('HTTP/1.1 200 Fine\r\nSet-Cookie: a\r\nset-cookie: b\r\nContent-Length: 0\r\n\r\n');
    expect(writeResponseHead(head, TO_PERSISTENT_CLIENT)).toBe(head.bytes);
  });

  test('loses the hop-by-hop fields and what Connection names', () => {
    expect(
      answered(['Connection: keep-alive, X', 'Keep-Alive: timeout=5', 'X: 1', 'Upgrade: h2', 'Content-Length: 0']),
    ).toEqual(['Content-Length: 0']);
  });

  test('says close to a client whose connection ends, and keep-alive to HTTP/1.0', () => {
    expect(answered(['Content-Length: 0'], { keepAlive: false })).toEqual(['Content-Length: 0', 'Connection: close']);
    expect(answered(['Connection: keep-alive', 'A: b'], { keepAlive: false })).toEqual(['Connection: close', 'A: b']);
    expect(answered(['Connection: Close', 'A: b'], { keepAlive: false })).toEqual(['Connection: Close', 'A: b']);
    expect(answered(['Content-Length: 0'], { clientMinorVersion: 0 })).toEqual([
      'Content-Length: 0',
      'Connection: keep-alive',
    ]);
  });

  test('of an HTTP/1.0 origin says HTTP/1.1', () => {
    const head = responseHead('HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n');
    expect(writeResponseHead(head, TO_PERSISTENT_CLIENT).toString('latin1')).toBe(
      'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    );
  });

  test('to an HTTP/1.0 client has no chunked coding', () => {
    const changes: Partial<ResponseHeadChanges> = { clientMinorVersion: 0, keepAlive: false };
    expect(answered(['Transfer-Encoding: chunked', 'A: b'], changes)).toEqual(['A: b', 'Connection: close']);
  });

  test('has one framing where it came with two', () => {
    expect(answered(['Content-Length: 3', 'Transfer-Encoding: chunked'])).toEqual(['Transfer-Encoding: chunked']);
    expect(answered(['Transfer-Encoding: gzip, chunked', 'A: b', 'transfer-encoding: chunked'])).toEqual([
      'Transfer-Encoding: gzip, chunked',
      'A: b',
    ]);
    expect(answered(['Content-Length: 3', 'content-length: 3'])).toEqual(['Content-Length: 3']);
  });

  test('keeps Content-Length of an answer without a body', () => {
    const head = responseHead('HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n');
    expect(writeResponseHead(head, TO_PERSISTENT_CLIENT)).toBe(head.bytes);
  });

  test('has its folds joined and the gaps before its colons removed', () => {
    expect(answered(['A \t: b', 'C:  d \r\n\te', 'F:\r\n g', 'Content-Length: 0'])).toEqual([
      'A: b',
      'C:  d e',
      'F:g',
      'Content-Length: 0',
    ]);
  });

  test('of 101 keeps Upgrade, an interim one never says close', () => {
    const switching = ['Upgrade: websocket', 'Connection: Upgrade'];
    expect(answered(switching, { relayUpgrade: true, keepAlive: false }, 'HTTP/1.1 101 Switching Protocols')).toEqual(
      switching,
    );
    expect(answered(['Link: </a>'], { keepAlive: false }, 'HTTP/1.1 103 Early Hints')).toEqual(['Link: </a>']);
  });

  test('keeps an edited reason phrase', () => {
    const head = responseHead('HTTP/1.0 200 Quite \xe4 Phrase\r\nContent-Length: 0\r\n\r\n');
    expect(writeResponseHead(head, TO_PERSISTENT_CLIENT).toString('latin1')).toContain(
      'HTTP/1.1 200 Quite \xe4 Phrase\r\n',
    );
  });

  test('is written once for the same changes, and anew for others', () => {
    const head = responseHead('HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n');
    const kept = writeResponseHead(head, TO_PERSISTENT_CLIENT);
    expect(writeResponseHead(head, { ...TO_PERSISTENT_CLIENT })).toBe(kept);
    const variants: Partial<ResponseHeadChanges>[] = [
      { keepAlive: false },
      { clientMinorVersion: 0 },
      { appendedLines: 'Via: 1.1 weir\r\n' },
      {},
    ];
    const written = variants.map((changes) =>
      writeResponseHead(head, { ...TO_PERSISTENT_CLIENT, ...changes })
        .toString('latin1')
        .split('\r\n')
        .slice(1, -2),
    );
    expect(written).toEqual([
      ['Connection: close', 'Content-Length: 0'],
      ['Connection: keep-alive', 'Content-Length: 0'],
      ['Content-Length: 0', 'Via: 1.1 weir'],
      ['Content-Length: 0'],
    ]);
  });
});
