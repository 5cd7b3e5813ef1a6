/**
 * Has a worker do one task and ends it.
 *
 * @param start makes the worker; it answers the one message that it gets with one message
 * @throws DOMException `AbortError` when `signal` ends it
 */
export function inWorker<Answer>(start: () => Worker, task: unknown, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const worker = start();
    const end = (): void => {
      worker.terminate();
      signal.removeEventListener('abort', onAbort);
    };
    const onAbort = (): void => {
      end();
      reject(new DOMException('The answer is no longer wanted.', 'AbortError'));
    };
    signal.addEventListener('abort', onAbort);
    worker.addEventListener('message', (event: MessageEvent<Answer>) => {
      end();
      resolve(event.data);
    });
    worker.addEventListener('error', (event) => {
      end();
      reject(new Error(event.message));
    });
    worker.postMessage(task);
  });
}
