import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { programPath } from './programs.ts';

/** How late an event loop was, milliseconds. */
export interface LoopDelay {
  readonly p99: number;
  readonly max: number;
}

interface Line {
  readonly thread: string;
  readonly at: number;
  readonly delays: readonly number[];
}

/** How Weir names the threads of its engine; their loop is the one that carries traffic. */
const ENGINE = 'engine ';

/** Arguments for Node in front of a program whose event loop is looked at, and what its environment needs for it. */
export function probed(folder: string): { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv } {
  return {
    args: ['--import', pathToFileURL(programPath('loop-probe')).href],
    env: { WEIR_BENCH_LOOP_DELAYS: folder },
  };
}

/**
 * What the probes of a program saw in a span of time (`Date.now()`): of Weir's engine where it has one, else of the main thread.
 *
 * @returns null when nothing was seen, as with every program that is none of Node's
 */
export function readLoopDelays(folder: string, from: number, to: number): LoopDelay | null {
  const lines = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').flatMap(parseLine))
    .filter(({ at }) => at > from && at <= to);
  const engine = lines.filter(({ thread }) => thread.startsWith(ENGINE));
  const chosen = engine.length > 0 ? engine : lines.filter(({ thread }) => thread === 'main');
  const delays = chosen.flatMap((line) => line.delays).sort((a, b) => a - b);
  const max = delays.at(-1);
  if (max === undefined) return null;
  return { p99: delays[Math.floor(delays.length * 0.99)] ?? max, max };
}

/** The last line of a program that was ended may be cut. */
function parseLine(text: string): Line[] {
  try {
    return text === '' ? [] : [JSON.parse(text) as Line];
  } catch {
    return [];
  }
}
