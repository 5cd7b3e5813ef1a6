import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLoopDelays } from './loop-delays.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-loop-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function seen(file: string, ...lines: readonly { thread: string; at: number; delays: readonly number[] }[]): void {
  writeFileSync(join(folder, file), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

test('the delays of the engine count where there is one, within the window alone', () => {
  seen(
    '7-1.jsonl',
    { thread: 'engine 0', at: 1_000, delays: [90] },
    { thread: 'engine 0', at: 1_500, delays: [1, 2, 3] },
    { thread: 'engine 0', at: 2_500, delays: [80] },
  );
  seen('7-0.jsonl', { thread: 'main', at: 1_500, delays: [40] });
  seen('7-2.jsonl', { thread: 'store', at: 1_500, delays: [50] });
  expect(readLoopDelays(folder, 1_000, 2_000)).toEqual({ p99: 3, max: 3 });
});

test('a program of one thread is told by that; its cut last line is left out', () => {
  seen('9-0.jsonl', { thread: 'main', at: 5, delays: Array.from({ length: 100 }, (_, at) => at) });
  writeFileSync(join(folder, '9-3.jsonl'), '{"thread":"main","at":5,"del');
  expect(readLoopDelays(folder, 0, 10)).toEqual({ p99: 99, max: 99 });
});

test('a program without a probe has no delays', () => {
  expect(readLoopDelays(folder, 0, 10)).toBeNull();
});
