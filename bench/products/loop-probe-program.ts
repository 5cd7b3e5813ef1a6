/**
 * Loaded into a measured program of Node before anything of its own (`--import`), in each of its threads: looks every 10 ms how late the
 * event loop is, and writes what it saw five times a second into the folder that `WEIR_BENCH_LOOP_DELAYS` names. A line is
 * `{"thread":string,"at":number,"delays":number[]}`: milliseconds, `at` of the clock (`Date.now()`).
 */
import { appendFile } from 'node:fs';
import { join } from 'node:path';
import * as threads from 'node:worker_threads';

const LOOK_EVERY_MS = 10;
const WRITE_AFTER = 20;

const folder = process.env['WEIR_BENCH_LOOP_DELAYS'];
if (folder !== undefined) {
  const { isMainThread, threadId } = threads;
  // Known to newer runtimes only; a thread without a name counts by its number.
  const named = (threads as { readonly threadName?: string }).threadName ?? '';
  const thread = isMainThread ? 'main' : named;
  const file = join(folder, `${String(process.pid)}-${String(threadId)}.jsonl`);
  let delays: number[] = [];
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    delays.push(Math.max(0, Math.round((now - last - LOOK_EVERY_MS) * 100) / 100));
    last = now;
    if (delays.length < WRITE_AFTER) return;
    appendFile(file, `${JSON.stringify({ thread, at: Date.now(), delays })}\n`, () => undefined);
    delays = [];
  }, LOOK_EVERY_MS).unref();
}
