import { describe, expect, test } from 'vitest';
import { offersHttp3, withoutHttp3 } from './alternative-services.ts';
import { createResponseDecoder } from './decoder.ts';
import type { ResponseHead } from './message.ts';

function read(fields: string): ResponseHead {
  const limits = { requestLineBytes: 1_000, headBytes: 10_000, fields: 100, chunkExtensionBytes: 100 };
  const decoder = createResponseDecoder(limits, { bareLineFeed: false });
  let found: ResponseHead | null = null;
  decoder.next('GET');
  decoder.receive(Buffer.from(`HTTP/1.1 200 OK\r\n${fields}Content-Length: 2\r\n\r\n`, 'latin1'), 0, {
    onHead: (head) => {
      found = head;
    },
    onPayload: () => undefined,
    onFraming: () => undefined,
    onWire: () => undefined,
    onTrailers: () => undefined,
    onEnd: () => undefined,
  });
  if (found === null) throw new Error('no head');
  return found;
}

describe('offers of HTTP/3', () => {
  test.each([
    ['Alt-Svc: h3=":443"; ma=86400\r\n', ''],
    ['ALT-SVC: h3=":443", h3-29=":443"; ma=1\r\nX: 1\r\n', 'X: 1\r\n'],
    ['Alt-Svc: h2="a.test:443"; ma=1, h3=":443"\r\n', 'Alt-Svc: h2="a.test:443"; ma=1\r\n'],
    ['Alt-Svc: h2="odd, h3=:443"\r\nAlt-Svc: quic=":443"; v="46,43"\r\n', 'Alt-Svc: h2="odd, h3=:443"\r\n'],
  ])('go out of %j', (fields, left) => {
    const head = read(fields);
    expect(offersHttp3(head)).toBe(true);
    const changed = withoutHttp3(head, 'GET');
    expect(changed.bytes.toString()).toBe(`HTTP/1.1 200 OK\r\n${left}Content-Length: 2\r\n\r\n`);
    expect([changed.framing, changed.contentLength]).toEqual(['length', 2]);
    expect(offersHttp3(changed)).toBe(false);
  });

  test.each([
    'Alt-Svc: clear\r\n',
    'Alt-Svc: h2="a.test:443"\r\n',
    'X-Alt: h3=":443"\r\n',
    'Alt-Svc: h2="x, h3=y"\r\n',
  ])('are not in %j', (fields) => {
    expect(offersHttp3(read(fields))).toBe(false);
  });
});
