import { inWorker } from '../../../model/in-worker.ts';
import { layOut } from './pretty.ts';
import type { PrettyKind, PrettyText } from './pretty.ts';

/** Shorter bodies are laid out at once: that takes less than starting a worker; UTF-16 units or bytes. */
const WORKER_FROM = 50_000;

/**
 * Lays out a body without holding up the page.
 * @throws DOMException `AbortError` when `signal` ends it
 */
export function layOutAside(kind: PrettyKind, body: string | Uint8Array, signal: AbortSignal): Promise<PrettyText> {
  if (body.length < WORKER_FROM) return Promise.resolve(layOut(kind, body));
  const start = (): Worker => new Worker(new URL('./pretty-worker.ts', import.meta.url), { type: 'module' });
  return inWorker(start, { kind, body }, signal);
}
