import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { fakeExchange } from '../../../test/support/fake-exchanges.ts';
import { fetchSnippet, httpieSnippet, type SnippetSource } from './snippets.ts';

const nothing = {
  sent: null,
  trailers: [],
  bodyBytes: 0,
  storedBytes: 0,
  contentEncoding: [],
  mediaType: null,
  charset: null,
} as const;

function source(body: string | null): SnippetSource {
  return {
    summary: { ...fakeExchange(0, 1), method: 'POST', scheme: 'https', host: 'api.test', port: 8443, path: "/a?b='c'" },
    request: {
      ...nothing,
      startLine: 'POST / HTTP/1.1',
      headers: [
        ['Host', 'api.test:8443'],
        ['Content-Length', '9'],
        ['X-Note', 'it\'s "so"'],
        ['X-Note', ''],
        ['Connection', 'close'],
      ],
    },
    body,
  };
}

test('a fetch call is JavaScript that makes the same request', async () => {
  const calls: unknown[] = [];
  const code = fetchSnippet(source('{"a":"\u2028"}'));
  const run = new Function('fetch', `return (async () => { ${code} })()`) as (fetch: unknown) => Promise<void>;
  await run((url: string, options: object) => calls.push([url, options]));
  expect(calls).toEqual([
    [
      "https://api.test:8443/a?b='c'",
      {
        method: 'POST',
        headers: [
          ['X-Note', 'it\'s "so"'],
          ['X-Note', ''],
        ],
        body: '{"a":"\u2028"}',
      },
    ],
  ]);
});

test('an HTTPie command passes through a shell word by word', () => {
  const words = httpieSnippet(source("it's $HOME\n`id`")).replace(/^http /, `printf '%s\\0' `);
  const output = execFileSync('sh', ['-c', words], { encoding: 'utf8' });
  expect(output.split('\0').slice(0, -1)).toEqual([
    '--ignore-stdin',
    'POST',
    "https://api.test:8443/a?b='c'",
    'X-Note:it\'s "so"',
    'X-Note;',
    '--raw',
    "it's $HOME\n`id`",
  ]);
});

test('a body that is no text is left to a file', () => {
  expect(fetchSnippet(source(null))).toContain('// The body is no text.');
  expect(httpieSnippet(source(null))).toMatch(/ @body\.bin$/);
});
