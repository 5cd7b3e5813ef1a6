import type { Worker } from 'node:worker_threads';

/**
 * Waits for a thread that was told to end, and stops it by force when it does not within `graceMs`. Force is the last
 * means: it stops a thread in the middle of whatever it does.
 */
export async function endThread(worker: Worker, graceMs: number): Promise<void> {
  // A thread that has ended has no number any more.
  if (worker.threadId === -1) return;
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      resolve();
    });
  });
  const grace = setTimeout(() => void worker.terminate(), graceMs);
  await ended;
  clearTimeout(grace);
}
