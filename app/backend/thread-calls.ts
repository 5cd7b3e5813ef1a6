import type { Transferable, Worker } from 'node:worker_threads';
import type { ContractFailure } from '#contract';
import { ContractError } from '#contract';

/** A map of calls as a thread answers them. */
type CallMap<Calls> = { readonly [Name in keyof Calls]: { readonly input: unknown; readonly output: unknown } };

interface Pending {
  resolve(output: unknown): void;
  reject(error: ContractError): void;
  readonly detach: () => void;
}

/**
 * Calls to a thread: `{type: 'call', id, name, input}` goes out; `result` or `failure` with the same id comes back. When the
 * thread ends, what is pending fails with `unavailable`.
 */
export class ThreadCalls<Calls extends CallMap<Calls>> {
  readonly #worker: Worker;
  readonly #name: string;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #gone = false;

  /** @param name what a person calls the thread, for messages */
  constructor(worker: Worker, name: string) {
    this.#worker = worker;
    this.#name = name;
    worker.once('exit', () => {
      this.#gone = true;
      for (const pending of this.#pending.values()) pending.reject(this.#goneError());
      this.#pending.clear();
    });
  }

  /** Aborting `signal` sends `{type: 'cancel', id}`; the thread's answer still settles the call. */
  call<Name extends keyof Calls & string>(
    name: Name,
    input: Calls[Name]['input'],
    options: { readonly signal?: AbortSignal; readonly transfer?: readonly Transferable[] } = {},
  ): Promise<Calls[Name]['output']> {
    if (this.#gone) return Promise.reject(this.#goneError());
    const { signal, transfer = [] } = options;
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const cancel = (): void => {
        this.#worker.postMessage({ type: 'cancel', id });
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#pending.set(id, {
        resolve,
        reject,
        detach: () => signal?.removeEventListener('abort', cancel),
      });
      this.#worker.postMessage({ type: 'call', id, name, input }, transfer);
    });
  }

  settle(id: number, outcome: { readonly output: unknown } | { readonly failure: ContractFailure }): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    pending.detach();
    if ('failure' in outcome) pending.reject(ContractError.from(outcome.failure));
    else pending.resolve(outcome.output);
  }

  #goneError(): ContractError {
    return new ContractError('unavailable', `The ${this.#name} thread is not running.`);
  }
}
