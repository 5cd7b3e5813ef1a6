import { expect, test } from 'vitest';
import { NO_REDACTION } from '#contract';
import { HeadRedactor } from './redact-head.ts';

const heads = new HeadRedactor({
  ...NO_REDACTION,
  headers: ['Authorization', 'X-Key'],
  cookies: ['sid'],
  parameters: ['token', 'pass word'],
});
const ignore = (): void => undefined;

test.each([
  ['/a?token=1&b=2', '/a?token=redacted&b=2'],
  ['/a?a=1;token=x', '/a?a=1;token=redacted'],
  ['/a?token=x;y&b=;', '/a?token=redacted&b=;'],
  ['/a?TOKEN=1', '/a?TOKEN=redacted'],
  ['/a?pass%20word=1&pass+word=2', '/a?pass%20word=redacted&pass+word=redacted'],
  ['/a#token=1', '/a#token=redacted'],
  ['/a?b=token&token', '/a?b=token&token'],
  ['/a?x=%zz&token=1', '/a?x=%zz&token=redacted'],
  ['GET http://ann:pw@h.test/?token=1 HTTP/1.1', 'GET http://redacted@h.test/?token=redacted HTTP/1.1'],
])('%s leaves as %s', (text, leaves) => {
  expect(heads.url(text, ignore)).toBe(leaves);
});

test('a head keeps every byte but the values, folded lines and odd spaces included', () => {
  const head = [
    'GET /?token=1 HTTP/1.1',
    'authorization : Basic QQ==',
    'X-Key:a',
    '\tb',
    'Accept:  */*',
    'no colon',
    'Cookie: a=1; SID=2; sid',
    'Empty:',
    'X-key:',
    '',
    '',
  ].join('\r\n');
  expect(heads.head(Buffer.from(head, 'latin1'), ignore).toString('latin1')).toBe(
    [
      'GET /?token=redacted HTTP/1.1',
      'authorization : Basic redacted',
      'X-Key:redacted',
      'Accept:  */*',
      'no colon',
      'Cookie: a=1; SID=redacted;redacted',
      'Empty:',
      'X-key:',
      '',
      '',
    ].join('\r\n'),
  );
  const http2 = ':method: GET\r\n:path: /?token=1\r\nx-key: a\r\n\r\n';
  expect(heads.head(Buffer.from(http2), ignore).toString()).toBe(
    ':method: GET\r\n:path: /?token=redacted\r\nx-key: redacted\r\n\r\n',
  );
});
