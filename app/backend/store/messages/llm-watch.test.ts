import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ExchangeSummary } from '#contract';
import { beginStream, type StreamOnTap } from '../../../../test/support/message-kit.ts';
import { openStoreKit, type RecordedExchange, type StoreKit } from '../../../../test/support/store-kit.ts';
import { FIRST_SCHEMA } from '../migrations/0001-first.ts';
import { MARKS_AND_PROGRAMS } from '../migrations/0002-marks-and-programs.ts';
import { MESSAGES } from '../migrations/0003-messages.ts';
import { REPLAYS } from '../migrations/0004-replays.ts';
import { AGE_OF_IMPORTS } from '../migrations/0005-age-of-imports.ts';
import { HTTP2_FRAMES } from '../migrations/0006-http2-frames.ts';

let kit: StoreKit;

beforeEach(() => {
  kit = openStoreKit();
});

afterEach(() => {
  kit[Symbol.dispose]();
});

const ANSWER = {
  object: 'chat.completion',
  model: 'shop-small-2026',
  choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1_200, completion_tokens: 340 },
};

/** A call whose answer is whole. */
function call(more: RecordedExchange = {}): number {
  return kit.record({
    method: 'POST',
    path: '/v1/chat/completions',
    requestBody: JSON.stringify({ model: 'shop-small' }),
    responseHeaders: ['Content-Type: application/json'],
    responseBody: JSON.stringify(ANSWER),
    ...more,
  });
}

function stream(id: number, ...fields: string[]): StreamOnTap {
  const begun = beginStream(kit.tap, id, { responseFields: ['Content-Type: text/event-stream', ...fields] });
  begun.send('request', JSON.stringify({ model: 'shop-small', stream: true }));
  begun.answer();
  return begun;
}

const piece = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    object: 'chat.completion.chunk',
    choices: [{ delta: { content }, finish_reason: finish }],
  })}\n\n`;

async function stored(id: number): Promise<ExchangeSummary['llm']> {
  kit.commit();
  return (await kit.reader().get(id)).summary.llm;
}

describe('the row of a call of a language model says', () => {
  test('model, tokens and why it ended, of an answer as a whole', async () => {
    expect(await stored(call())).toEqual({
      model: 'shop-small-2026',
      promptTokens: 1_200,
      completionTokens: 340,
      isCompletionEstimated: false,
      timeToFirstToken: null,
      finishReason: 'stop',
    });
  });

  test('when the first token of a stream came, and counts its events where it does not tell the tokens', async () => {
    const begun = stream(1);
    for (const content of ['', 'A', ' B']) begun.send('response', piece(content));
    begun.send('response', piece('', 'length'));
    begun.end();
    const llm = await stored(1);
    expect(llm).toMatchObject({
      model: 'shop-small',
      promptTokens: null,
      completionTokens: 2,
      isCompletionEstimated: true,
      finishReason: 'length',
    });
    expect(llm?.timeToFirstToken).toBeGreaterThan(0);
  });

  test('the same as those who watch were told', async () => {
    const id = call();
    const llm = await stored(id);
    expect(kit.changed.filter((row) => row.id === id).map((row) => row.llm)).toEqual([llm]);
  });

  test('that the client went away before the end', async () => {
    const begun = stream(1);
    begun.send('response', piece('A'));
    const error = { code: 'client.cancelled', side: 'client', phase: 'body', message: 'It went.' } as const;
    begun.end({ complete: false, error });
    expect(await stored(1)).toMatchObject({ finishReason: 'cancelled', completionTokens: 1 });
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('the same under the content coding %s', async (coding, encode) => {
    const id = call({
      responseHeaders: ['Content-Type: application/json', `Content-Encoding: ${coding}`],
      responseBody: encode(JSON.stringify(ANSWER)),
    });
    expect(await stored(id)).toMatchObject({ model: 'shop-small-2026', completionTokens: 340 });
  });

  test('the same of a stream under a content coding, once that is undone', async () => {
    const begun = stream(1, 'Content-Encoding: gzip');
    begun.send('response', gzipSync(piece('A') + piece('', 'stop')));
    begun.end();
    kit.tap.flush();
    await kit.writer.flush();
    expect(await stored(1)).toMatchObject({ model: 'shop-small', finishReason: 'stop' });
  });

  test('the same of an answer too long for its row, in pieces between which commits come', async () => {
    const begun = beginStream(kit.tap, 1, {
      path: '/v1/responses?store=false',
      responseFields: ['Content-Type: application/json'],
    });
    begun.answer();
    const text = JSON.stringify({
      object: 'response',
      model: 'shop-large',
      status: 'completed',
      output: [{ content: [{ text: 'x'.repeat(100_000) }] }],
      usage: { input_tokens: 1, output_tokens: 2 },
    });
    for (let at = 0; at < text.length; at += 30_000) {
      begun.send('response', text.slice(at, at + 30_000));
      kit.commit();
    }
    begun.end();
    expect(await stored(1)).toMatchObject({ model: 'shop-large', promptTokens: 1, finishReason: 'completed' });
  });
});

describe('no model is named for', () => {
  test.each<readonly [string, RecordedExchange]>([
    ['another method', { method: 'PUT' }],
    ['another path, however the answer looks', { path: '/v1/orders' }],
    ['another type', { responseHeaders: ['Content-Type: text/plain'] }],
    ['an answer that says it failed', { status: 429, responseBody: '{"error":{"message":"slow down"}}' }],
    ['an answer that is cut', { responseBody: JSON.stringify(ANSWER).slice(0, 40) }],
    [
      'a body that is not what its content coding says',
      { responseHeaders: ['Content-Type: application/json', 'Content-Encoding: gzip'], responseBody: 'plain' },
    ],
    [
      'a content coding that nobody knows',
      { responseHeaders: ['Content-Type: application/json', 'Content-Encoding: rot13'] },
    ],
    [
      'a bomb',
      {
        responseHeaders: ['Content-Type: application/json', 'Content-Encoding: gzip'],
        responseBody: gzipSync(JSON.stringify({ ...ANSWER, padding: ' '.repeat(2_000_000) })),
      },
    ],
    ['an answer of more than 256 KiB', { responseBody: JSON.stringify({ ...ANSWER, padding: ' '.repeat(300_000) }) }],
    [
      'an answer without a model to a request without one',
      { requestBody: '{}', responseBody: JSON.stringify({ ...ANSWER, model: undefined }) },
    ],
  ])('%s', async (_name, more) => {
    expect(await stored(call(more))).toBeNull();
  });

  test('a stream whose first events are of something else', async () => {
    const begun = stream(1);
    for (let tick = 0; tick < 20; tick += 1) begun.send('response', 'data: {"price":3}\n\n');
    begun.send('response', piece('A', 'stop'));
    begun.end();
    expect(await stored(1)).toBeNull();
  });
});

describe('a filter finds', () => {
  /** Rows by name: `small`, `large`, a stream without counts, and two that are no calls. */
  let names: Map<number, string>;

  beforeEach(() => {
    const large = { ...ANSWER, model: 'shop-large', usage: { prompt_tokens: 10, completion_tokens: 20 } };
    names = new Map([
      [call(), 'small'],
      [call({ responseBody: JSON.stringify(large) }), 'large'],
      [kit.record({ method: 'POST', path: '/v1/chat/completions', status: 500 }), 'failed'],
      [kit.record({}), 'other'],
    ]);
    const begun = stream(100);
    begun.send('response', piece('A', 'length'));
    begun.end();
    names.set(100, 'stream');
    kit.commit();
  });

  async function found(filter: string): Promise<string[]> {
    const query = { session: kit.opened.session.id, filter, sort: 'time', descending: false } as const;
    const { rows } = await kit.reader().query({ ...query, after: null, limit: 10 });
    return rows.map(({ id }) => names.get(id) ?? String(id)).sort();
  }

  test.each([
    ['model:SMALL', ['small', 'stream']],
    ['model:shop-large', ['large']],
    ['model:*', ['large', 'small', 'stream']],
    ['-model:*', ['failed', 'other']],
    ['model:nobody', []],
    ['tokens:>1000', ['small']],
    ['tokens:30', ['large']],
    ['tokens:<=30', ['large', 'stream']],
    ['-tokens:>1000', ['failed', 'large', 'other', 'stream']],
    ['ttft:>0', ['stream']],
    ['ttft:<1h', ['stream']],
    ['finish:length', ['stream']],
    ['model:shop-small host:example tokens:>1k', ['small']],
    ['model:large or tokens:>1000', ['large', 'small']],
  ])('%s', async (filter, expected) => {
    expect(await found(filter)).toEqual(expected);
  });
});

test.each([
  ['without frames', 5],
  ['with frames', 6],
])('a database of the time before, %s, opens with its rows unnamed', async (_name, version) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-old-'));
  try {
    const old = new Database(join(folder, 'weir.db'));
    const steps = [FIRST_SCHEMA, MARKS_AND_PROGRAMS, MESSAGES, REPLAYS, AGE_OF_IMPORTS, HTTP2_FRAMES];
    for (const step of steps.slice(0, version)) old.exec(step);
    old.exec(`INSERT INTO session (id, name, started_at, ended_at, sample, exchanges) VALUES (1, 'old', 5, NULL, 0, 1);
      INSERT INTO exchange VALUES (7, 1, 'http', 'complete', 5, 1, 'POST', 'https', 'a.test', 443, '/v1/responses', 200,
        'application/json', '127.0.0.1:5', 'http/1.1', NULL, NULL, 0, 0, NULL, '', 'whole', 0, 0, 0, '', '', 0, -1, 0);
      INSERT INTO exchange_detail (exchange_id, client_connection, origin_reused, request_sent_framing,
        response_sent_framing, comment, request_head) VALUES (7, 1, 0, 'as-received', 'as-received', '', x'');`);
    old.pragma(`user_version = ${String(version)}`);
    old.close();
    using opened = openStoreKit(folder);

    expect((await opened.reader().get(7)).summary.llm).toBeNull();
    const query = { session: 1, filter: 'model:*', sort: 'time', descending: false, after: null, limit: 10 } as const;
    expect((await opened.reader().query(query)).rows).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
