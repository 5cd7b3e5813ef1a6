/* What the origins say, made once. */

function json(bytes: number): Buffer {
  const open = '{"message":"';
  return Buffer.from(`${open}${'x'.repeat(Math.max(0, bytes - open.length - 2))}"}`);
}

/** Bytes that no content coding would shrink to nothing, the same each time. */
function bytes(count: number): Buffer {
  const all = Buffer.allocUnsafe(count);
  let state = 0x9e3779b9;
  for (let at = 0; at < count; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    all[at] = state >>> 24;
  }
  return all;
}

const completion = {
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_796_000_000,
  model: 'bench-1',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'A weir stands in a stream and does not stop the water.' },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 9, completion_tokens: 13, total_tokens: 22 },
};

function event(data: string): string {
  return `data: ${data}\n\n`;
}

function streamed(content: string | null, finish: string | null): string {
  const delta = content === null ? {} : { content };
  return event(
    JSON.stringify({
      id: 'chatcmpl-bench',
      object: 'chat.completion.chunk',
      created: 1_796_000_000,
      model: 'bench-1',
      choices: [{ index: 0, delta, finish_reason: finish }],
    }),
  );
}

export interface FixedAnswer {
  readonly type: string;
  /** One part: with a length. More: chunked, a write each. */
  readonly parts: readonly Buffer[];
}

/** Answered by HTTP/1 as soon as so many bytes of the request's body have come; the rest of it is read and forgotten. */
export const EARLY_PATH = '/early';
export const EARLY_AFTER_BYTES = 8_192;

/** By HTTP/2, POST: sends each piece of the body back as it comes. */
export const DUPLEX_PATH = '/duplex';

/** By path. */
export const ANSWERS: Readonly<Record<string, FixedAnswer>> = {
  '/small': { type: 'application/json', parts: [json(42)] },
  [EARLY_PATH]: { type: 'application/json', parts: [json(42)] },
  '/64k': { type: 'application/octet-stream', parts: [bytes(65_536)] },
  '/256k': { type: 'application/octet-stream', parts: [bytes(262_144)] },
  '/openai/json': { type: 'application/json', parts: [Buffer.from(JSON.stringify(completion))] },
  '/openai/stream': {
    type: 'text/event-stream',
    parts: [
      ...['A weir', ' stands', ' in a', ' stream', '.'].map((word) => Buffer.from(streamed(word, null))),
      Buffer.from(streamed(null, 'stop') + event('[DONE]')),
    ],
  },
  '/events': {
    type: 'text/event-stream',
    parts: ['one', 'two', 'three'].map((word) => Buffer.from(event(word))),
  },
};

/** A gRPC message of 32 bytes with its prefix (length-prefixed message, uncompressed). */
export const GRPC_MESSAGE = Buffer.concat([Buffer.from([0, 0, 0, 0, 32]), Buffer.alloc(32, 0x0a)]);
