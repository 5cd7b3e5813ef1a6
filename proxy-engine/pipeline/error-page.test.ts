import { describe, expect, test } from 'vitest';
import { ERROR_CODES, type ErrorCode } from '../model/error-code.ts';
import { errorPage, explain } from './error-page.ts';
import { failure } from './failures.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

describe('an error answer', () => {
  test.each(CODES.filter((code) => ERROR_CODES[code].answer !== null && code !== 'weir.internal'))(
    '%s has its own title and advice',
    (code) => {
      expect(explain(code).title).not.toBe('The request failed');
      expect(explain(code).advice).not.toBe('');
    },
  );

  test('escapes what comes from outside', () => {
    const error = failure('connect.refused', `<script>alert("1")</script>'&`);
    const page = errorPage(error, 'http://x/"><img src=x>', null).body.toString();
    expect(page).not.toMatch(/<script|<img/);
    expect(page).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;');
  });

  test.each([
    ['application/json', 'json'],
    ['application/problem+json, */*;q=0.5', 'json'],
    ['text/html,application/json;q=0.9', 'html'],
    ['*/*', 'html'],
    [null, 'html'],
  ])('to Accept %s is %s', (accept, kind) => {
    expect(errorPage(failure('dns.failed', 'x'), 'http://x/', accept).contentType).toContain(kind);
  });
});
