import { expect, test } from 'vitest';
import { readLlmFacts, type LlmEvent, type LlmSources } from './llm-facts.ts';

const STARTED_AT = 1_000_000;

function sources(more: Partial<LlmSources>): LlmSources {
  return { startedAt: STARTED_AT, cancelled: false, requestText: null, responseText: null, events: [], ...more };
}

/** Events with the milliseconds since the exchange began at which they came. */
function events(...chunks: readonly (readonly [number, unknown])[]): LlmEvent[] {
  return chunks.map(([milliseconds, chunk]) => ({
    summary: { kind: 'event', time: STARTED_AT + milliseconds * 1_000 },
    data: typeof chunk === 'string' ? chunk : JSON.stringify(chunk),
  }));
}

const chunk = (delta: unknown, more: object = {}): unknown => ({
  object: 'chat.completion.chunk',
  model: 'shop-small',
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
});

test('a whole chat completion says model, tokens and why it ended', () => {
  const responseText = JSON.stringify({
    object: 'chat.completion',
    model: 'shop-small-2026',
    choices: [{ message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 12, completion_tokens: 3 },
  });
  expect(readLlmFacts(sources({ requestText: '{"model":"shop-small"}', responseText }))).toEqual({
    interface: 'chat',
    streamed: false,
    model: 'shop-small-2026',
    promptTokens: 12,
    completionTokens: 3,
    isCompletionEstimated: false,
    timeToFirstToken: null,
    gaps: null,
    tokensPerSecond: null,
    finishReason: 'stop',
    toolCalls: [],
    cancelled: false,
    output: 'Hello',
    isOutputCut: false,
  });
});

test('a stream says when its tokens came', () => {
  const facts = readLlmFacts(
    sources({
      events: events(
        [300, chunk({ role: 'assistant' })],
        [500, chunk({ content: 'A' })],
        [520, chunk({ content: ' B' })],
        [620, chunk({ content: ' C' })],
        [640, chunk({}, { finish_reason: 'length' })],
        [641, { object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 5, completion_tokens: 6 } }],
        [642, '[DONE]'],
      ),
    }),
  );
  expect(facts).toMatchObject({
    streamed: true,
    model: 'shop-small',
    timeToFirstToken: 500_000,
    gaps: { median: 20_000, p95: 100_000, longest: 100_000 },
    completionTokens: 6,
    isCompletionEstimated: false,
    tokensPerSecond: 50,
    finishReason: 'length',
    output: 'A B C',
  });
});

test('without usage the tokens are counted by events, and a cancelled stream says so', () => {
  const facts = readLlmFacts(
    sources({ cancelled: true, events: events([10, chunk({ content: 'x' })], [20, chunk({ content: 'y' })]) }),
  );
  expect(facts).toMatchObject({
    completionTokens: 2,
    isCompletionEstimated: true,
    cancelled: true,
    finishReason: null,
  });
});

test('functions that the model called are named', () => {
  const call = { index: 0, function: { name: 'find_item', arguments: '' } };
  const facts = readLlmFacts(
    sources({
      events: events(
        [10, chunk({ tool_calls: [call] })],
        [20, chunk({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] })],
        [30, chunk({}, { finish_reason: 'tool_calls' })],
      ),
    }),
  );
  expect(facts).toMatchObject({ toolCalls: ['find_item'], finishReason: 'tool_calls' });
});

test('the responses interface is read too, streamed and whole', () => {
  const response = {
    object: 'response',
    model: 'shop-large',
    status: 'completed',
    usage: { input_tokens: 4, output_tokens: 2 },
  };
  const streamed = readLlmFacts(
    sources({
      events: events(
        [5, { type: 'response.created', response: { model: 'shop-large', status: 'in_progress' } }],
        [50, { type: 'response.output_text.delta', delta: 'Hi' }],
        [60, { type: 'response.completed', response }],
      ),
    }),
  );
  expect(streamed).toMatchObject({
    interface: 'responses',
    model: 'shop-large',
    timeToFirstToken: 50_000,
    completionTokens: 2,
    finishReason: 'completed',
    output: 'Hi',
  });
  const whole = readLlmFacts(
    sources({
      responseText: JSON.stringify({
        ...response,
        output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }],
      }),
    }),
  );
  expect(whole).toMatchObject({ interface: 'responses', streamed: false, output: 'Hi', promptTokens: 4 });
});

test.each([
  ['other JSON', sources({ responseText: '{"ok":true}' })],
  ['no JSON', sources({ responseText: '<html>' })],
  ['JSON that is a list', sources({ responseText: '[{"object":"chat.completion"}]' })],
  ['events of something else', sources({ events: events([1, { price: 3 }], [2, 'tick']) })],
  ['hostile shapes', sources({ responseText: '{"object":{"includes":1},"choices":[null,3,[]],"usage":[]}' })],
])('%s is no call of a language model', (_name, given) => {
  expect(readLlmFacts(given)).toBeNull();
});

test('what a model wrote is kept up to its limit', () => {
  const responseText = JSON.stringify({ object: 'text_completion', choices: [{ text: 'x'.repeat(20_000) }] });
  const facts = readLlmFacts(sources({ responseText }));
  expect([facts?.interface, facts?.output.length, facts?.isOutputCut]).toEqual(['completion', 16_384, true]);
});
