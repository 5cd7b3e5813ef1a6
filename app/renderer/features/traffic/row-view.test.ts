import { describe, expect, test } from 'vitest';
import { fakeExchange } from '../../../../test/support/fake-exchanges.ts';
import { rowView, toneOf, typeWord } from './row-view.ts';

const row = fakeExchange(0, 1);

test('each family of status has its colour', () => {
  expect([100, 204, 304, 404, 500].map(toneOf)).toEqual(['text-2', 'ok', 'redirect', 'warn', 'error']);
});

test('a request under way shows its elapsed time', () => {
  expect(rowView(fakeExchange(0, 1, 'active')).status).toMatchObject({ elapsed: true, tone: 'text-3' });
});

test('a failure shows a word and an icon, and its reason where a path would be', () => {
  const view = rowView(fakeExchange(12, 1));
  expect(view.status).toMatchObject({ text: 'TLS', icon: 'failed', tone: 'error' });
  expect(view.pathTail).toBe('client refused Weir’s certificate');
  expect(view.method).toBe('–');
});

test('a long path is split before its last segment', () => {
  const view = rowView({ ...row, path: '/v2/users/42/list?user=1&limit=2' });
  expect([view.pathHead, view.pathTail]).toEqual(['/v2/users/42', '/list?user=1&limit=2']);
  expect(rowView({ ...row, path: '/dir/' }).pathTail).toBe('/dir/');
  expect(rowView({ ...row, path: '/a/b/' })).toMatchObject({ pathHead: '/a', pathTail: '/b/' });
});

test('characters that nobody sees are named', () => {
  expect(rowView({ ...row, path: '/a\u202e/b' }).pathHead).toBe('/a‹U+202E›');
});

test('an unusual port stands with the host', () => {
  expect(rowView({ ...row, host: '::1', port: 8_443 }).host).toBe('[::1]:8443');
  expect(rowView({ ...row, scheme: 'http', port: 80 }).host).toBe('shop.weir.test');
});

test.each([
  ['application/json', 'json'],
  ['application/problem+json', 'json'],
  ['text/javascript', 'js'],
  ['image/svg+xml', 'svg'],
  ['font/woff2', 'font'],
  ['application/grpc+proto', 'grpc'],
  ['application/connect+json', 'connect'],
  ['text/event-stream', 'sse'],
  ['application/vnd.ms-excel', 'ms-excel'],
])('%s is called %s', (mediaType, word) => {
  expect(typeWord({ ...row, mediaType })).toBe(word);
});

describe('of a call of a language model', () => {
  const llm = {
    model: 'shop-small',
    promptTokens: 1_204,
    completionTokens: 340,
    isCompletionEstimated: false,
    timeToFirstToken: 640_000,
    finishReason: 'stop',
  };

  test('the row says model, tokens in and out, first token and why it ended', () => {
    expect(rowView({ ...row, llm })).toMatchObject({
      model: 'shop-small',
      tokens: '\u200e1.2k → 340',
      ttft: '640 ms',
      finish: 'stop',
    });
  });

  test('what was not told is left out, and what was counted here says so', () => {
    const counted = { ...llm, promptTokens: null, isCompletionEstimated: true, timeToFirstToken: null };
    expect(rowView({ ...row, llm: counted })).toMatchObject({ tokens: '\u200e– → ~340', ttft: '' });
    const silent = { ...llm, promptTokens: null, completionTokens: null, finishReason: null };
    expect(rowView({ ...row, llm: silent })).toMatchObject({ tokens: '', finish: '' });
  });

  test('characters that nobody sees are named', () => {
    expect(rowView({ ...row, llm: { ...llm, model: 'a\u202eb' } }).model).toBe('a‹U+202E›b');
  });
});

test('other rows say nothing of models', () => {
  expect(rowView(row)).toMatchObject({ model: '', tokens: '', ttft: '', finish: '' });
});
