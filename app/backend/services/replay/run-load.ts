import { setTimeout as delay } from 'node:timers/promises';
import type { ReplayLoad, ReplayProgress, ReplayRequest } from '#contract';
import type { BackendCore } from '../../backend-core.ts';
import type { ReplayConnection } from './answer.ts';
import { readCapturedRequest, type CaptureSource } from './captured-request.ts';
import { Latencies } from './latencies.ts';
import { planRequest, type PlannedRequest } from './plan-request.ts';
import { ReplayGate } from './replay-gate.ts';

/**
 * Sends a request many times through the engine and counts what comes back. Redirects are not followed: each answer counts
 * as it is.
 *
 * @param tell hears where the run stands after every answer; the last time it is done
 * @throws ContractError `not-found`, `bad-input`, `body-dropped` before anything is sent
 */
export async function runLoad(
  core: BackendCore,
  source: CaptureSource,
  request: ReplayRequest,
  load: ReplayLoad,
  tell: (progress: ReplayProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const captured = request.of === null ? null : await readCapturedRequest(source, request.of);
  const planned = planRequest(request, captured, null);
  const gate = new ReplayGate(core, request.of, false, signal);
  try {
    await new LoadRun(gate, planned, load, tell, signal).run();
  } finally {
    await gate.close();
  }
}

/** A connection of the run, opened when it is first needed and again after it was closed. */
interface Lane {
  connection: Promise<ReplayConnection> | null;
  /** The request that is under way on a connection that carries one at a time. */
  turn: Promise<unknown>;
}

/** Failures in a row after which a run gives up: its origin is not there. */
const MOST_FAILURES_IN_A_ROW = 50;

class LoadRun {
  readonly #gate: ReplayGate;
  readonly #planned: PlannedRequest;
  readonly #load: ReplayLoad;
  readonly #tell: (progress: ReplayProgress) => void;
  readonly #signal: AbortSignal;
  readonly #lanes: readonly Lane[];
  readonly #latencies = new Latencies();
  readonly #statuses = new Map<number, number>();
  readonly #startedAt = performance.now();
  #begun = 0;
  #finished = 0;
  #failed = 0;
  #failedInARow = 0;
  #problem: string | null = null;

  constructor(
    gate: ReplayGate,
    planned: PlannedRequest,
    load: ReplayLoad,
    tell: (progress: ReplayProgress) => void,
    signal: AbortSignal,
  ) {
    this.#gate = gate;
    this.#planned = planned;
    this.#load = load;
    this.#tell = tell;
    this.#signal = signal;
    this.#lanes = Array.from({ length: load.connections }, () => ({ connection: null, turn: Promise.resolve() }));
  }

  async run(): Promise<void> {
    this.#report(false);
    const { parallel, count } = this.#load;
    await Promise.all(Array.from({ length: Math.min(parallel, count) }, (_, worker) => this.#work(worker)));
    this.#report(true);
  }

  async #work(worker: number): Promise<void> {
    const lane = this.#lanes[worker % this.#lanes.length];
    if (lane === undefined) return;
    while (this.#begun < this.#load.count && !this.#isOver) {
      const index = this.#begun++;
      await this.#due(index);
      if (this.#isOver) return;
      await this.#sendOn(lane);
      this.#report(false);
    }
  }

  get #isOver(): boolean {
    return this.#signal.aborted || this.#failedInARow >= MOST_FAILURES_IN_A_ROW;
  }

  /** Waits until the request of that number may begin. */
  async #due(index: number): Promise<void> {
    const { perSecond } = this.#load;
    if (perSecond === null) return;
    const wait = this.#startedAt + (index * 1_000) / perSecond - performance.now();
    if (wait > 1) await delay(wait, undefined, { signal: this.#signal }).catch(() => undefined);
  }

  async #sendOn(lane: Lane): Promise<void> {
    try {
      const connection = await this.#connection(lane);
      const sent = connection.capacity > 1 ? connection.send(this.#planned) : inTurn(lane, () => this.#sendAlone(lane));
      const { status, milliseconds } = await sent;
      this.#latencies.add(milliseconds);
      this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
      this.#failedInARow = 0;
    } catch (error: unknown) {
      if (this.#signal.aborted) return;
      this.#failed += 1;
      this.#failedInARow += 1;
      this.#problem = error instanceof Error ? error.message : String(error);
    }
    this.#finished += 1;
  }

  async #sendAlone(lane: Lane): ReturnType<ReplayConnection['send']> {
    const connection = await this.#connection(lane);
    return connection.send(this.#planned);
  }

  /** The lane's connection; of several requests that find it spent the first opens another for all. */
  async #connection(lane: Lane): Promise<ReplayConnection> {
    for (;;) {
      const found = lane.connection;
      const connection = await found?.catch(() => null);
      if (connection?.usable === true) return connection;
      if (lane.connection !== found) continue;
      const opening = this.#gate.open(this.#planned);
      lane.connection = opening;
      return opening;
    }
  }

  #report(done: boolean): void {
    this.#tell({
      total: this.#load.count,
      finished: this.#finished,
      failed: this.#failed,
      elapsedMs: performance.now() - this.#startedAt,
      statuses: [...this.#statuses].map(([status, count]) => ({ status, count })).sort((a, b) => a.status - b.status),
      latencies: this.#latencies.buckets,
      p50: this.#latencies.percentile(0.5),
      p95: this.#latencies.percentile(0.95),
      p99: this.#latencies.percentile(0.99),
      problem: this.#problem,
      done,
    });
  }
}

/** Runs work after what the lane is doing. */
function inTurn<Result>(lane: Lane, work: () => Promise<Result>): Promise<Result> {
  const result = lane.turn.then(work, work);
  lane.turn = result.catch(() => undefined);
  return result;
}
