import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import * as v from 'valibot';
import type { BenchProduct, BenchProfile, BenchProgress, BenchResult } from '#contract';
import { BENCH_LINE, BENCH_LIST } from '../../../contract/bench-validators.ts';

/** The benchmark's program ended without a result, or said what it should not. The message is for a person. */
export class BenchProcessError extends Error {
  override readonly name = 'BenchProcessError';
}

/** What one run measures, as the program takes it. */
export interface BenchOrder {
  readonly run: string;
  /** Ids, of what is measured by trials, on ramps and on sweeps. */
  readonly profiles: readonly string[];
  readonly ramps: readonly string[];
  readonly sweeps: readonly string[];
  readonly products: readonly string[] | null;
  readonly trials: number;
  /** Length of each trial's measured window. */
  readonly seconds: number;
  /** The same of a ladder's step. */
  readonly secondsPerStep: number;
  /** Operations a second that are offered in trials; null for a closed loop. */
  readonly rate: number | null;
}

/** A run under way. */
export interface BenchProcess {
  /** @throws BenchProcessError when the program ends without one */
  readonly result: Promise<BenchResult>;
  /** Asks the program to end with what it has; ends it by force when it takes longer than `patienceMs`. */
  cancel(patienceMs: number): void;
}

/** Asking for versions of everything that is installed takes a moment, on a busy machine several. */
const LIST_MS = 60_000;
/** Longest line of the program, UTF-16 units: a result of every profile is far below. */
const MAX_LINE_LENGTH = 16 * 1_048_576;
const MAX_COMPLAINT_LENGTH = 2_000;

/**
 * Asks the program what it can measure here.
 * @param program path of a script for Node
 * @throws BenchProcessError
 */
export async function listBench(program: string): Promise<{
  readonly profiles: readonly BenchProfile[];
  readonly products: readonly BenchProduct[];
}> {
  const child = start(program, '--list');
  const timer = setTimeout(() => {
    kill(child);
  }, LIST_MS);
  try {
    let list: unknown;
    await readLines(child, (line) => (list ??= line));
    return v.parse(BENCH_LIST, list);
  } catch (error: unknown) {
    throw explain(error);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Begins a run. It ends with this process, whichever way this one ends: the program's input closes then.
 * @param onProgress is called about twice a second
 * @param onPartial is called after each profile and ladder with what is finished
 */
export function runBench(
  program: string,
  order: BenchOrder,
  onProgress: (progress: BenchProgress) => void,
  onPartial: (result: BenchResult) => void = () => undefined,
): BenchProcess {
  const child = start(program, JSON.stringify(order));
  let force: NodeJS.Timeout | null = null;
  const result = measure().catch((error: unknown) => {
    kill(child);
    throw explain(error);
  });
  return {
    result,
    cancel(patienceMs) {
      if (force !== null || hasEnded(child)) return;
      // The end of the input says the same on systems without signals.
      child.stdin?.end();
      if (process.platform !== 'win32') child.kill('SIGTERM');
      force = setTimeout(() => {
        kill(child);
      }, patienceMs);
    },
  };

  async function measure(): Promise<BenchResult> {
    let found: BenchResult | null = null;
    try {
      await readLines(child, (line) => {
        const message = v.parse(BENCH_LINE, line);
        if (message.type === 'progress') onProgress(message.progress);
        else if (message.type === 'partial') onPartial(message.result);
        else found = message.result;
      });
    } finally {
      if (force !== null) clearTimeout(force);
    }
    if (found === null) throw new BenchProcessError('The benchmark ended without a result. Run it again.');
    return found;
  }
}

/** Runs the program apart from this one: its own group, and no word of proxies, so that nothing of it passes a listener. */
function start(program: string, argument: string): ChildProcess {
  return spawn(process.execPath, [program, argument], {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
    env: benchEnvironment(process.env),
  });
}

/** The environment of measured programs: this one's without what would lead traffic through a proxy. */
export function benchEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(
    ([name]) => !/_proxy$|^(NODE_OPTIONS|NODE_USE_ENV_PROXY|NODE_EXTRA_CA_CERTS|SSLKEYLOGFILE)$/i.test(name),
  );
  // In the desktop app this process is the app's own program, which is Node on this word (docs/adr/0003).
  return { ...Object.fromEntries(kept), ...('electron' in process.versions ? { ELECTRON_RUN_AS_NODE: '1' } : {}) };
}

/**
 * Hands each line of the program's output to `take`, parsed.
 * @throws BenchProcessError with what it complained about when it ends in another way than with 0
 */
async function readLines(child: ChildProcess, take: (line: unknown) => void): Promise<void> {
  const { stdout, stderr, stdin } = child;
  if (stdout === null || stderr === null || stdin === null) throw new BenchProcessError('The benchmark has no output.');
  let complaint = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = `${complaint}${text}`.slice(-MAX_COMPLAINT_LENGTH);
  });
  // It may have ended before it heard us.
  stdin.on('error', () => undefined);
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  let pending = 0;
  stdout.on('data', (bytes: Buffer) => {
    const newline = bytes.lastIndexOf(10);
    pending = newline < 0 ? pending + bytes.length : bytes.length - newline - 1;
    if (pending > MAX_LINE_LENGTH) stdout.destroy(new BenchProcessError('The benchmark wrote a line without an end.'));
  });
  const lines = createInterface({ input: stdout, crlfDelay: Infinity });
  const taken = (async () => {
    for await (const line of lines) if (line !== '') take(JSON.parse(line));
  })();
  const failed = new Promise<never>((_resolve, reject) => stdout.once('error', reject));
  await Promise.race([Promise.all([taken, closed]), failed]);
  const code = await closed;
  if (code === 0) return;
  const said = complaint.trim();
  throw new BenchProcessError(said === '' ? `The benchmark ended early (${String(code)}). Run it again.` : said);
}

function explain(error: unknown): BenchProcessError {
  if (error instanceof BenchProcessError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new BenchProcessError(`The benchmark's program cannot be used: ${reason}`, { cause: error });
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
}

/** Ends the program and all that it started. */
function kill(child: ChildProcess): void {
  if (hasEnded(child) || child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill();
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}
