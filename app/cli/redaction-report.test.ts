import { expect, test } from 'vitest';
import type { RedactionReport } from '#contract';
import { redactionLines, reportLines } from './redaction-report.ts';

const EXCHANGE = { id: 1_099_511_627_841, method: 'POST', url: 'https://api.weir.test/v2/cart/items' };

const REPORT: RedactionReport = {
  exchanges: 1,
  bytes: 120,
  hosts: 1,
  busiest: [{ host: 'api.weir.test', exchanges: 1 }],
  headers: 1,
  cookies: 0,
  parameters: 0,
  jsonValues: 0,
  leftOut: 1,
  named: [{ exchange: EXCHANGE, what: 'request body', reason: 'it could not be read as JSON' }],
  otherBodies: 0,
  samples: [{ exchange: EXCHANGE, place: 'request header', name: 'Authorization', leaves: 'Bearer redacted' }],
};

test('an exchange is named by method and URL, and by the number that other commands take', () => {
  expect(redactionLines(REPORT)).toContain(
    'Left out: the request body of POST https://api.weir.test/v2/cart/items (exchange 1099511627841), since it could not be read as JSON.',
  );
  expect(reportLines(REPORT).at(-1)).toBe(
    '  POST https://api.weir.test/v2/cart/items (exchange 1099511627841), request header Authorization: Bearer redacted',
  );
});

test('a long URL is shortened in its middle, and nothing in it steers the terminal', () => {
  const url = `https://api.weir.test/\u001b[31m/${'a'.repeat(200)}/items`;
  const [, line] = redactionLines({ ...REPORT, named: [{ exchange: { ...EXCHANGE, url }, what: 'x', reason: 'y' }] });
  expect(line).toContain('POST https://api.weir.test/\\u{1B}[31m/aaa');
  expect(line).toMatch(/a…a+\/items \(exchange/);
});
