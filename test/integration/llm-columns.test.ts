import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ContractClient, ExchangeSummary, LlmSummary } from '#contract';
import { NO_REDACTION } from '#contract';
import { firstItem, startBackend, type TestBackend } from '../support/backend-kit.ts';

const chunk = (delta: object, finish: string | null): string =>
  `data: ${JSON.stringify({
    object: 'chat.completion.chunk',
    model: 'shop-small',
    choices: [{ delta, finish_reason: finish }],
  })}\n\n`;

let weir: TestBackend;
let client: ContractClient;
let origin: Server;
let streamed: ExchangeSummary;

beforeAll(async () => {
  weir = await startBackend();
  client = await weir.connect();
  origin = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(chunk({ role: 'assistant' }, null));
    response.write(chunk({ content: 'Hi' }, null));
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${String((origin.address() as AddressInfo).port)}/v1/chat/completions`;
  const recorded = firstItem(
    client,
    'exchanges.changed',
    { session: await currentSession() },
    ({ llm }) => llm !== null,
  );
  await post(url, JSON.stringify({ model: 'shop', stream: true }));
  streamed = await recorded;
});

afterAll(async () => {
  origin.close();
  await weir.stop();
});

async function currentSession(): Promise<number> {
  return (await client.call('sessions.list', {})).sessions.find(({ endedAt }) => endedAt === null)?.id ?? 0;
}

function post(url: string, body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: weir.port, path: url, method: 'POST', agent: false };
    request({ ...options, headers: { host: new URL(url).host, 'content-type': 'application/json' } }, (response) => {
      response.resume().on('end', resolve).on('error', reject);
    })
      .on('error', reject)
      .end(body);
  });
}

async function exported(format: 'har' | 'weir'): Promise<Buffer> {
  const choice = { ids: [streamed.id] };
  const { export: id } = await client.call('export.begin', { choice, format, redaction: NO_REDACTION });
  const parts: Uint8Array[] = [];
  for (;;) {
    const piece = await client.call('export.read', { export: id });
    parts.push(piece.bytes);
    if (piece.done) return Buffer.concat(parts);
  }
}

/** What is known of the one exchange of a file. */
async function imported(fileName: string, bytes: Buffer): Promise<LlmSummary | null> {
  const { import: id } = await client.call('import.begin', { fileName });
  await client.call('import.write', { import: id, bytes: new Uint8Array(bytes) });
  const { session } = await client.call('import.end', { import: id });
  const query = { session: session?.id ?? 0, filter: '', sort: 'time', descending: false } as const;
  const { rows } = await client.call('exchanges.query', { ...query, after: null, limit: 10 });
  return rows[0]?.llm ?? null;
}

test('who watches is told what a model said of itself, once its stream is over', () => {
  expect(streamed).toMatchObject({
    state: 'complete',
    llm: { model: 'shop-small', promptTokens: null, completionTokens: 1, isCompletionEstimated: true },
  });
  expect(streamed.llm?.finishReason).toBe('stop');
  expect(streamed.llm?.timeToFirstToken).toBeGreaterThan(0);
  expect(streamed.llm?.timeToFirstToken).toBeLessThanOrEqual(streamed.duration ?? 0);
});

test.each(['weir', 'har'] as const)(
  'a .%s file brings all of it along, the time of the first token too',
  async (format) => {
    expect(await imported(`a.${format}`, await exported(format))).toEqual(streamed.llm);
  },
);

test('a HAR file that knows no such time has the first byte for it', async () => {
  const har = (await exported('har')).toString().replace(/"_firstToken":[\d.]+,/, '');
  const firstByte = (await client.call('exchanges.get', { id: streamed.id })).timing.firstByte ?? 0;
  const llm = await imported('b.har', Buffer.from(har));
  expect(llm).toEqual({ ...streamed.llm, timeToFirstToken: expect.any(Number) as number });
  expect(llm?.timeToFirstToken).toBeLessThanOrEqual(firstByte + 1_000);
});
