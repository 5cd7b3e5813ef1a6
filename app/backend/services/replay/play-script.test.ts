import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { MessageSummary } from '#contract';
import { readScript, type MessageCapture } from './conversation-script.ts';
import { playScript, type Stage } from './play-script.ts';

/*
 * A script against a stage that is played by hand: what is sent when, under a clock that only the test moves. Lines of a
 * recording: `>` from the client, `<` from the origin, each with its millisecond.
 */

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Line = readonly [millisecond: number, side: '>' | '<', kind: MessageSummary['kind'], text?: string];

function capture(lines: readonly Line[]): MessageCapture {
  const rows = lines.map(([millisecond, side, kind, text = ''], index): MessageSummary => ({
    exchange: 1,
    sequence: index + 1,
    side: side === '>' ? 'request' : 'response',
    kind,
    time: millisecond * 1_000,
    bytes: text.length,
    wireBytes: text.length,
    marks: text === 'cut' ? ['cut'] : [],
    anomalies: [],
    facts: kind === 'close' && text !== '' ? { code: text } : {},
    preview: text,
  }));
  return {
    messagePage: ({ after, limit }) => {
      const page = rows.filter(({ sequence }) => sequence > after).slice(0, limit);
      const last = page.at(-1)?.sequence ?? 0;
      return Promise.resolve({ rows: page, next: last < rows.length && page.length > 0 ? last : null });
    },
    messageRead: ({ sequence }) => {
      const bytes = Buffer.from(rows[sequence - 1]?.preview ?? '');
      return Promise.resolve({ bytes, totalBytes: bytes.length, stopped: null });
    },
  };
}

/** A stage that writes down what is done, and lets the test speak for the origin. */
class TestStage implements Stage {
  readonly done: string[] = [];
  readonly stop = new AbortController();
  readonly signal = this.stop.signal;
  #open = true;
  #received = 0;
  #wake: () => void = () => undefined;

  isOpen(): boolean {
    return this.#open;
  }

  received(): number {
    return this.#received;
  }

  nextNews(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  send({ kind }: { readonly kind: string }, payload: Buffer): Promise<void> {
    this.done.push(`${kind} ${payload.toString()}`);
    return Promise.resolve();
  }

  close({ code }: { readonly code: number | null }): void {
    this.done.push(`close ${String(code)}`);
    this.#open = false;
  }

  progress(): void {
    // What is sent is written down.
  }

  async says(messages: number): Promise<void> {
    this.#received += messages;
    this.#wake();
    await vi.advanceTimersByTimeAsync(0);
  }

  async closes(): Promise<void> {
    this.#open = false;
    this.#wake();
    await vi.advanceTimersByTimeAsync(0);
  }
}

const TALK: readonly Line[] = [
  [10, '>', 'text', 'one'],
  [20, '<', 'text', 'answer'],
  [30, '<', 'ping'],
  [31, '>', 'pong'],
  [2_000, '>', 'binary', 'two'],
  [2_100, '>', 'ping', 'p'],
  [2_200, '>', 'close', '4000'],
  [2_201, '<', 'close', '4000'],
];

async function play(lines: readonly Line[], pace: Parameters<typeof playScript>[1]) {
  const source = capture(lines);
  const script = await readScript(source, 1);
  const stage = new TestStage();
  const outcome = playScript(script, pace, 0, source, stage);
  outcome.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
  return { stage, outcome, script };
}

test('as fast as possible waits for nothing, and leaves pongs out', async () => {
  const { stage, outcome, script } = await play(TALK, 'fast');
  expect(await outcome).toBe(true);
  expect(script.total).toBe(3);
  expect(stage.done).toEqual(['text one', 'binary two', 'ping p', 'close 4000']);
});

test('with the recorded gaps each message comes at its time', async () => {
  const { stage, outcome } = await play(TALK, 'recorded');
  await vi.advanceTimersByTimeAsync(100);
  expect(stage.done).toEqual(['text one']);
  await vi.advanceTimersByTimeAsync(1_950);
  expect(stage.done).toEqual(['text one', 'binary two']);
  await vi.advanceTimersByTimeAsync(200);
  expect(await outcome).toBe(true);
  expect(stage.done.at(-1)).toBe('close 4000');
});

test('when the origin has answered as before, a message waits for as many answers as had come before it', async () => {
  const { stage, outcome } = await play(TALK, 'answers');
  expect(stage.done).toEqual(['text one']);
  await stage.says(1);
  expect(stage.done).toEqual(['text one', 'binary two', 'ping p', 'close 4000']);
  expect(await outcome).toBe(true);
});

test('an origin that falls silent ends the wait, with what to do instead', async () => {
  const { stage, outcome } = await play(TALK, 'answers');
  await vi.advanceTimersByTimeAsync(30_001);
  await expect(outcome).rejects.toThrow(
    'has sent 0 messages where it had sent 1 before, and none for 30 seconds. Replay',
  );
  expect(stage.done).toEqual(['text one']);
});

test('an origin that had taken longer the first time gets twice as long', async () => {
  const { stage } = await play(
    [
      [0, '<', 'text', 'late'],
      [60_000, '>', 'text', 'one'],
    ],
    'answers',
  );
  await vi.advanceTimersByTimeAsync(100_000);
  await stage.says(1);
  expect(stage.done[0]).toBe('text one');
});

test('stopping ends a wait at once', async () => {
  const { stage, outcome } = await play(TALK, 'answers');
  stage.stop.abort();
  expect(await outcome).toBe(false);
  expect(stage.done).toEqual(['text one']);
});

test('an origin that had closed first may close again, and else is closed with its own code', async () => {
  const lines: readonly Line[] = [
    [0, '>', 'text', 'bye'],
    [5, '<', 'close', '4010'],
    [6, '>', 'close', '4010'],
  ];
  const kept = await play(lines, 'fast');
  await kept.stage.closes();
  expect(await kept.outcome).toBe(true);
  expect(kept.stage.done).toEqual(['text bye']);
  const other = await play(lines, 'fast');
  await vi.advanceTimersByTimeAsync(5_001);
  expect(await other.outcome).toBe(true);
  expect(other.stage.done).toEqual(['text bye', 'close 4010']);
});

test('a connection that was lost the first time is closed as usual, and a code that may not be sent is left out', async () => {
  const lost = await play([[0, '>', 'text', 'one']], 'fast');
  await lost.outcome;
  expect(lost.stage.done).toEqual(['text one', 'close 1000']);
  const odd = await play([[0, '>', 'close', '1006']], 'fast');
  await odd.outcome;
  expect(odd.stage.done).toEqual(['close null']);
});

test.each([
  ['a gap', [[1, '>', 'gap']], 'Message 2 of exchange 1 stands for bytes that passed unrecorded'],
  ['a message that was cut', [[1, '>', 'text', 'cut']], 'Message 2 of exchange 1 was not recorded whole'],
  ['a frame of no kind', [[1, '>', 'unknown']], 'Message 2 of exchange 1 is of no kind'],
] satisfies readonly (readonly [string, readonly Line[], string])[])(
  '%s of the client is refused by its number',
  async (_name, lines, message) => {
    await expect(readScript(capture([[0, '>', 'text', 'one'], ...lines]), 1)).rejects.toThrow(message);
  },
);

test('what the origin sent may lack something', async () => {
  const { outcome } = await play(
    [
      [0, '<', 'gap'],
      [1, '>', 'text', 'one'],
    ],
    'fast',
  );
  expect(await outcome).toBe(true);
});
