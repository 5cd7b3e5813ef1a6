import { expect, test, vi } from 'vitest';
import { ContractError } from '#contract';
import type { BodyWindow, CallName, Calls, ExchangeDetail, ExchangeSummary, MessageDetail } from '#contract';
import type { Backend } from '../../model/connection.svelte.ts';
import { InspectorModel } from './inspector-model.svelte.ts';

const SUMMARY: ExchangeSummary = {
  id: 7,
  session: 1,
  kind: 'http',
  state: 'complete',
  startedAt: 1_781_515_800_000_000,
  duration: 71_000,
  method: 'GET',
  scheme: 'http',
  host: 'shop.weir.test',
  port: 80,
  path: '/',
  status: 200,
  mediaType: 'application/json',
  client: { address: '127.0.0.1:53122', protocol: 'http/1.1' },
  origin: { address: '203.0.113.9:80', protocol: 'http/1.1' },
  requestBodyBytes: 0,
  responseBodyBytes: 9,
  error: null,
  anomalies: [],
  bodies: 'whole',
  label: 0,
  pinned: false,
  commented: false,
  program: null,
  operation: null,
  llm: null,
  messages: 0,
  grpcStatus: null,
  replayOf: null,
};

const MESSAGE: MessageDetail = {
  startLine: 'HTTP/1.1 200 OK',
  headers: [['Content-Type', 'application/json']],
  sent: null,
  trailers: [],
  bodyBytes: 9,
  storedBytes: 9,
  contentEncoding: [],
  mediaType: 'application/json',
  charset: null,
};

const DETAIL: ExchangeDetail = {
  summary: SUMMARY,
  request: { ...MESSAGE, startLine: 'GET / HTTP/1.1', bodyBytes: 0, storedBytes: 0 },
  response: MESSAGE,
  informational: [],
  timing: { dns: null, connect: null, tls: null, sent: 1_000, firstByte: 60_000, end: 71_000 },
  clientConnection: null,
  originConnection: null,
  comment: '',
};

const BODY = new TextEncoder().encode('{"a": 1 }');

/** A backend of one exchange; `detail` and `body` may change between calls, or be what a call fails with. */
class OneExchange implements Backend {
  detail: ExchangeDetail | ContractError = DETAIL;
  body: BodyWindow | ContractError = { bytes: BODY, totalBytes: 9, stopped: null };
  reads = 0;

  call<Name extends CallName>(name: Name): Promise<Calls[Name]['output']> {
    if (name === 'exchanges.get') this.reads++;
    const answer = name === 'exchanges.get' ? this.detail : this.body;
    return answer instanceof ContractError ? Promise.reject(answer) : Promise.resolve(answer as Calls[Name]['output']);
  }

  stream(): never {
    throw new Error('The detail opens no stream.');
  }
}

function inMemory(): { getItem(key: string): string | null; setItem(key: string, value: string): void } {
  const values = new Map<string, string>();
  return { getItem: (key) => values.get(key) ?? null, setItem: (key, value) => void values.set(key, value) };
}

async function shown(
  backend: OneExchange,
  summary: ExchangeSummary = SUMMARY,
  store = inMemory(),
): Promise<InspectorModel> {
  const model = new InspectorModel(backend, store);
  model.show(summary);
  await vi.waitFor(() => {
    expect(model.detail !== null || model.problem !== null).toBe(true);
  });
  return model;
}

test('tabs without content are hidden, and the chosen tab comes back where it has some', async () => {
  const backend = new OneExchange();
  const store = inMemory();
  const model = await shown(backend, SUMMARY, store);
  expect(model.tabs).toEqual(['overview', 'request', 'response', 'timing', 'raw']);
  model.tab = 'response';
  backend.detail = { ...DETAIL, summary: { ...SUMMARY, id: 8, kind: 'tunnel' }, request: null, response: null };
  model.show({ ...SUMMARY, id: 8, kind: 'tunnel' });
  await vi.waitFor(() => {
    expect(model.tabs).toEqual(['overview', 'timing']);
  });
  expect(model.tab).toBe('overview');
  expect((await shown(new OneExchange(), SUMMARY, store)).tab).toBe('response');
});

test('an exchange that is gone says so', async () => {
  const backend = new OneExchange();
  backend.detail = new ContractError('not-found', 'There is no such exchange.');
  expect((await shown(backend)).deleted).toBe(true);
});

test('an exchange whose body is gone meanwhile was deleted', async () => {
  const backend = new OneExchange();
  backend.body = new ContractError('not-found', 'There is no such exchange.');
  const model = await shown(backend);
  await vi.waitFor(() => {
    expect(model.deleted).toBe(true);
  });
});

test('while an exchange is under way its detail follows, a few times a second at most', async () => {
  vi.useFakeTimers();
  try {
    const backend = new OneExchange();
    const active: ExchangeSummary = { ...SUMMARY, state: 'active', duration: null };
    backend.detail = { ...DETAIL, summary: active };
    const model = await shown(backend, active);
    for (let news = 0; news < 50; news++) model.show({ ...active, responseBodyBytes: news });
    backend.detail = DETAIL;
    await vi.advanceTimersByTimeAsync(300);
    expect(backend.reads).toBe(2);
    expect(model.summary?.state).toBe('complete');
    model.show({ ...SUMMARY });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(backend.reads).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

test('the kind of a body is judged by its bytes, and it is read in windows', async () => {
  const backend = new OneExchange();
  backend.detail = { ...DETAIL, response: { ...MESSAGE, mediaType: 'text/plain' } };
  const model = await shown(backend);
  await vi.waitFor(() => {
    expect(model.body('response')?.content.kind).toBe('json');
  });
  const read = await model.body('response')?.readUpTo(100, new AbortController().signal);
  expect(read).toEqual(BODY);
});
