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
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./pretty-worker.ts', import.meta.url), { type: 'module' });
    const end = (): void => {
      worker.terminate();
      signal.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => {
      end();
      reject(new DOMException('The text is no longer wanted.', 'AbortError'));
    };
    signal.addEventListener('abort', onAbort);
    worker.addEventListener('message', (event: MessageEvent<PrettyText>) => {
      end();
      resolve(event.data);
    });
    worker.addEventListener('error', (event) => {
      end();
      reject(new Error(event.message));
    });
    worker.postMessage({ kind, body });
  });
}
