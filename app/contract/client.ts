import type { CallName, Calls, ContractFailure, StreamName, Streams } from './calls.ts';
import { ContractError } from './contract-error.ts';
import type { Carrier, ClientFrame, ServerFrame } from './wire.ts';

/** What a reader of a stream does. Credit goes back to the sender when `items` returns (or its promise resolves). */
export interface StreamListener<Item> {
  items(items: readonly Item[]): void | Promise<void>;
  /** Items were lost: query again. */
  gap(): void;
  /** The stream is over and nothing more comes; null when it ended as asked. */
  ended?(failure: ContractError | null): void;
}

export interface StreamHandle {
  /** Ends the stream; no method of its listener is called afterwards. */
  close(): void;
}

/** The reading side of the contract: the inspector, the command line, tests. */
export interface ContractClient {
  /** True once the carrier is gone; every call fails with `unavailable` then. */
  readonly closed: boolean;
  /**
   * Makes one call. Aborting `signal` cancels it at the backend too, and rejects with `cancelled`.
   * @throws ContractError
   */
  call<Name extends CallName>(
    name: Name,
    input: Calls[Name]['input'],
    options?: { readonly signal?: AbortSignal },
  ): Promise<Calls[Name]['output']>;
  /** Opens a stream; failures, too, arrive at the listener. */
  stream<Name extends StreamName>(
    name: Name,
    input: Streams[Name]['input'],
    listener: StreamListener<Streams[Name]['item']>,
  ): StreamHandle;
  /** Called once when the carrier closes, at once when it has; returns how to take the listener away. */
  onClose(listener: () => void): () => void;
  close(): void;
}

/** Items that a stream may be ahead of its reader. */
const CREDIT = 1_024;

interface PendingCall {
  settle(outcome: { readonly output: unknown } | { readonly failure: ContractFailure }): void;
}

interface OpenStream {
  items(items: readonly unknown[]): void;
  gap(): void;
  ended(failure: ContractFailure | null): void;
}

const GONE: ContractFailure = {
  code: 'unavailable',
  message: 'The connection to the backend is gone. It is opened again when the backend answers.',
};

/** Speaks the contract over a carrier. Frames of unknown ids are ignored: they belong to cancelled calls. */
export function createContractClient(carrier: Carrier<ClientFrame, ServerFrame>): ContractClient {
  const calls = new Map<number, PendingCall>();
  const streams = new Map<number, OpenStream>();
  const closeListeners = new Set<() => void>();
  let closed = false;
  let nextId = 1;

  carrier.onFrame((frame) => {
    switch (frame.type) {
      case 'result':
        calls.get(frame.id)?.settle({ output: frame.output });
        break;
      case 'failure':
        calls.get(frame.id)?.settle({ failure: frame.failure });
        break;
      case 'items':
        streams.get(frame.id)?.items(frame.items);
        break;
      case 'gap':
        streams.get(frame.id)?.gap();
        break;
      case 'ended':
        streams.get(frame.id)?.ended(frame.failure);
        break;
    }
  });

  carrier.onClose(() => {
    if (closed) return;
    closed = true;
    for (const call of [...calls.values()]) call.settle({ failure: GONE });
    for (const stream of [...streams.values()]) stream.ended(GONE);
    for (const listener of [...closeListeners]) listener();
    closeListeners.clear();
  });

  function call<Name extends CallName>(
    name: Name,
    input: Calls[Name]['input'],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Calls[Name]['output']> {
    const { signal } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(new ContractError('cancelled', 'The call was cancelled.'));
        return;
      }
      if (closed) {
        reject(ContractError.from(GONE));
        return;
      }
      const id = nextId++;
      const onAbort = (): void => {
        if (!closed) carrier.send({ type: 'cancel', id });
        pending.settle({ failure: { code: 'cancelled', message: 'The call was cancelled.' } });
      };
      const pending: PendingCall = {
        settle(outcome) {
          calls.delete(id);
          signal?.removeEventListener('abort', onAbort);
          if ('failure' in outcome) reject(ContractError.from(outcome.failure));
          // The other side of the contract is this same program; its outputs are typed by the same map.
          else resolve(outcome.output as Calls[Name]['output']);
        },
      };
      calls.set(id, pending);
      signal?.addEventListener('abort', onAbort, { once: true });
      carrier.send({ type: 'call', id, name, input });
    });
  }

  function stream<Name extends StreamName>(
    name: Name,
    input: Streams[Name]['input'],
    listener: StreamListener<Streams[Name]['item']>,
  ): StreamHandle {
    if (closed) {
      listener.ended?.(ContractError.from(GONE));
      return { close: () => undefined };
    }
    const id = nextId++;
    const returnCredit = (items: number): void => {
      if (!closed && streams.has(id)) carrier.send({ type: 'credit', id, items });
    };
    streams.set(id, {
      items(items) {
        const taken = listener.items(items as readonly Streams[Name]['item'][]);
        if (taken === undefined) returnCredit(items.length);
        else
          void taken.finally(() => {
            returnCredit(items.length);
          });
      },
      gap: () => {
        listener.gap();
      },
      ended(failure) {
        streams.delete(id);
        listener.ended?.(failure === null ? null : ContractError.from(failure));
      },
    });
    carrier.send({ type: 'open', id, name, input, credit: CREDIT });
    return {
      close() {
        if (streams.delete(id) && !closed) carrier.send({ type: 'close', id });
      },
    };
  }

  return {
    get closed() {
      return closed;
    },
    call,
    stream,
    onClose(listener) {
      if (closed) listener();
      else closeListeners.add(listener);
      return () => {
        closeListeners.delete(listener);
      };
    },
    close() {
      carrier.close();
    },
  };
}
