import type { CDPSession, Page } from 'playwright-core';

/** One event of Chromium's trace; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  /** CPU time of the thread: what other programs do on this machine does not count. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** What a page's main thread did, milliseconds of its own CPU time. */
export interface MainThreadWork {
  /** Work of each frame: everything from one frame's beginning to the next one's. */
  readonly frames: readonly number[];
  readonly longestTask: number;
}

/** Traces Chromium while `work` runs. */
export async function traceMainThread(page: Page, work: () => Promise<void>): Promise<MainThreadWork> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    // The protocol calls them objects; their shape is Chromium's trace format.
    for (const event of value) events.push(event as unknown as TraceEvent);
  });
  // Tasks and frames alone: what DevTools records of layout and paint would cost a quarter of what it measures.
  const categories = ['toplevel', 'disabled-by-default-devtools.timeline.frame', '__metadata'];
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: categories },
  });
  await work();
  await stopTracing(session);
  await session.detach();

  const own = busiestMainThread(events);
  const tasks = own.filter((event) => event.name === 'ThreadControllerImpl::RunTask' && event.ph === 'X');
  const starts = own
    .filter((event) => event.name === 'BeginMainThreadFrame')
    .map((event) => event.ts)
    .sort((one, other) => one - other);
  const frames = starts.map((start, at) => {
    const end = starts[at + 1] ?? Infinity;
    return sum(tasks.filter(({ ts }) => ts >= start && ts < end).map(({ tdur }) => (tdur ?? 0) / 1_000));
  });
  return { frames, longestTask: Math.max(0, ...tasks.map(({ tdur }) => (tdur ?? 0) / 1_000)) };
}

/** Events of the page's main thread: other renderers may run, but they draw nothing. */
function busiestMainThread(events: readonly TraceEvent[]): readonly TraceEvent[] {
  const threads = events.filter((event) => event.name === 'thread_name' && event.args.name === 'CrRendererMain');
  const each = threads.map(({ pid, tid }) => events.filter((event) => event.pid === pid && event.tid === tid));
  return each.toSorted((one, other) => other.length - one.length)[0] ?? [];
}

async function stopTracing(session: CDPSession): Promise<void> {
  const complete = new Promise<void>((done) =>
    session.once('Tracing.tracingComplete', () => {
      done();
    }),
  );
  await session.send('Tracing.end');
  await complete;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** @param share 0 to 1 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
