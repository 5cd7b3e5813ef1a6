import { inWorker } from '../../../model/in-worker.ts';
import { indexJson } from './json-index.ts';
import type { JsonForm, JsonTable } from './json-index.ts';

/** Shorter texts are read at once: that takes less than starting a worker, UTF-16 units. */
const WORKER_FROM = 100_000;

/**
 * Finds the values of a JSON text without holding up the page.
 * @throws DOMException `AbortError` when `signal` ends it
 */
export function indexAside(text: string, form: JsonForm, signal: AbortSignal): Promise<JsonTable> {
  if (text.length < WORKER_FROM) return Promise.resolve(indexJson(text, form));
  const start = (): Worker => new Worker(new URL('./json-worker.ts', import.meta.url), { type: 'module' });
  return inWorker(start, { text, form }, signal);
}
