import { describe, expect, test } from 'vitest';
import { playEveryWay, playRequests, playResponses } from '../../../test/support/http1-transcript.ts';
import type { PlayOptions } from '../../../test/support/http1-transcript.ts';

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const body = (text: string, options: PlayOptions = {}): readonly string[] => {
  const { events, failure } = playEveryWay(playRequests, HEAD + text, { messages: 1, ...options });
  return [...events.slice(1), ...(failure === null ? [] : [`${String(failure.status)} ${failure.code}`])];
};
const refusal = (text: string, options: PlayOptions = {}): string | undefined => body(text, options).at(-1);

describe('a chunked body', () => {
  test('is payload and framing in wire order', () => {
    expect(body('5\r\nhello\r\n1;a="b;c"\r\n!\r\n0\r\n\r\n')).toEqual([
      'framing 5\r\n',
      'payload hello',
      'framing \r\n1;a="b;c"\r\n',
      'payload !',
      'framing \r\n0\r\n\r\n',
      'end',
    ]);
  });

  test('is relayed as one run of wire bytes, up to its end and no further', () => {
    const wire = '3\r\nabc\r\n0\r\nT: u\r\n\r\n';
    const transcript = playEveryWay(playRequests, `${HEAD}${wire}GET /`, { messages: 1 });
    expect([transcript.wire, transcript.rest]).toEqual([wire, 'GET /']);
  });

  test('may be empty', () => {
    expect(body('0\r\n\r\n')).toEqual(['framing 0\r\n\r\n', 'end']);
    expect(body('000\r\n\r\n')).toEqual(['framing 000\r\n\r\n', 'end']);
  });

  test('takes hexadecimal sizes in both cases, up to 2^53−1 after leading zeros', () => {
    expect(body(`0aB\r\n${'x'.repeat(171)}\r\n0\r\n\r\n`).at(-1)).toBe('end');
    expect(body('1fffffffffffff\r\nx')).toEqual(['framing 1fffffffffffff\r\n', 'payload x']);
    expect(body('00000000000000000001\r\nx\r\n0\r\n\r\n').at(-1)).toBe('end');
  });

  test('takes white space before an extension', () => {
    expect(body('1 \t;a\r\nx\r\n0\r\n\r\n').at(-1)).toBe('end');
  });

  test.each([
    ['an empty size', '\r\n'],
    ['a sign', '+5\r\nhello\r\n'],
    ['a minus', '-5\r\n'],
    ['a prefix', '0x5\r\nhello\r\n'],
    ['an underscore', '1_0\r\n'],
    ['a space before the size', ' 5\r\nhello\r\n'],
    ['a space inside', '1 0\r\n'],
    ['a space after the size', '5 \r\nhello\r\n'],
    ['another letter', '5g\r\n'],
    ['2^53', '20000000000000\r\n'],
    ['2^64 and more', '10000000000000005\r\n'],
    ['a bare line feed after the size', '5\nhello\r\n'],
    ['a bare carriage return after the size', '5\rhello\r\n'],
    ['a bare line feed in an extension', '5;a\nhello\r\n'],
    ['a bare carriage return in an extension', '5;a\rb\r\nhello\r\n'],
    ['NUL in an extension', '5;\x00\r\nhello\r\n'],
    ['data longer than its size', '5\r\nhello!\r\n'],
    ['a bare line feed after the data', '5\r\nhello\n0\r\n\r\n'],
    ['a bare carriage return after the data', '5\r\nhello\rX'],
  ])('with %s is refused', (_name, text) => {
    expect(refusal(text)).toBe('400 http1.chunk');
  });

  test('of a response that is broken is the origin’s fault', () => {
    const text = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\nhello';
    expect(playEveryWay(playResponses, text).failure).toMatchObject({ code: 'http1.response-framing', status: 502 });
  });

  test('relays what was sound before the fault and nothing after', () => {
    const { wire } = playEveryWay(playRequests, `${HEAD}2\r\nab\r\n+1\r\nc\r\n0\r\n\r\n`);
    expect(wire).toBe('2\r\nab\r\n');
  });

  test('may have extensions as long as the limit and no longer', () => {
    const limits = { chunkExtensionBytes: 6 };
    expect(refusal('1;abcde\r\nx\r\n0\r\n\r\n', { limits })).toBe('end');
    expect(refusal('1;abcdef\r\nx\r\n0\r\n\r\n', { limits })).toBe('400 http1.chunk');
    const { failure } = playRequests([Buffer.from(`${HEAD}1;abcdefghijk`)], { limits });
    expect(failure?.message).toContain('chunkExtensionBytes');
  });

  test('counts zeros that lead a size as an extension', () => {
    const limits = { chunkExtensionBytes: 6 };
    expect(refusal(`${'0'.repeat(19)}1\r\nx\r\n0\r\n\r\n`, { limits })).toBe('end');
    expect(refusal(`${'0'.repeat(20)}1\r\nx\r\n0\r\n\r\n`, { limits })).toBe('400 http1.chunk');
  });
});

describe('trailers', () => {
  test('are told apart from the head, as framing of the body', () => {
    expect(body('1\r\nx\r\n0\r\nA: b\r\nC:d\r\n\r\n')).toEqual([
      'framing 1\r\n',
      'payload x',
      'framing \r\n0\r\nA: b\r\nC:d\r\n\r\n',
      'trailers A: b\r\nC:d\r\n',
      'end',
    ]);
  });

  test.each([
    ['a fold', 'A: b\r\n c\r\n\r\n'],
    ['a space before the colon', 'A : b\r\n\r\n'],
    ['a bare line feed', 'A: b\n\r\n'],
    ['a bare line feed at the end', 'A: b\r\n\n'],
    ['NUL', 'A: \x00\r\n\r\n'],
    ['no colon', 'GET / HTTP/1.1\r\n\r\n'],
  ])('with %s are refused', (_name, text) => {
    expect(refusal(`0\r\n${text}`)).toBe('400 http1.trailers');
    expect(refusal(`0\r\n${text}`, { bareLineFeed: true })).toBe('400 http1.trailers');
  });

  test('are bounded as a head is', () => {
    const limits = { headBytes: 80, fields: 3 };
    expect(refusal(`0\r\nA: ${'b'.repeat(73)}\r\n\r\n`, { limits })).toBe('end');
    expect(refusal(`0\r\nA: ${'b'.repeat(74)}\r\n\r\n`, { limits })).toBe('400 http1.trailers');
    expect(refusal('0\r\nA: b\r\nA: b\r\nA: b\r\n\r\n', { limits })).toBe('end');
    expect(refusal('0\r\nA: b\r\nA: b\r\nA: b\r\nA: b\r\n\r\n', { limits })).toBe('400 http1.trailers');
  });
});
