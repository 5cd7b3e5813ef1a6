import { ContractError } from '#contract';
import type { CallName, Calls, ContractClient, StreamHandle, StreamListener, StreamName, Streams } from '#contract';

/** `refused`: the backend answers but does not take this page's token, so trying again is of no use. */
export type ConnectionState = 'connecting' | 'open' | 'lost' | 'refused';

/** What the models ask of the backend. */
export interface Backend {
  /** @throws ContractError */
  call<Name extends CallName>(
    name: Name,
    input: Calls[Name]['input'],
    options?: { readonly signal?: AbortSignal },
  ): Promise<Calls[Name]['output']>;
  /** Stays open over a reconnection; the listener then hears `gap`. */
  stream<Name extends StreamName>(
    name: Name,
    input: Streams[Name]['input'],
    listener: StreamListener<Streams[Name]['item']>,
  ): StreamHandle;
}

/** The page's token was not taken. Thrown by a host's `connect`. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

const FIRST_RETRY_MILLISECONDS = 250;
const LONGEST_RETRY_MILLISECONDS = 4_000;

/** The page's one connection to the backend. It connects again for as long as it takes, and opens its streams again. */
export class Connection implements Backend {
  readonly #connect: () => Promise<ContractClient>;
  readonly #streams = new Set<(client: ContractClient, again: boolean) => void>();
  readonly #waiting: ((client: ContractClient | null) => void)[] = [];
  #client: ContractClient | null = null;
  #retry = FIRST_RETRY_MILLISECONDS;
  #state = $state<ConnectionState>('connecting');

  /** @param connect opens one connection; rejects when it cannot, with {@link RefusedError} when it never will */
  constructor(connect: () => Promise<ContractClient>) {
    this.#connect = connect;
    void this.#begin(false);
  }

  get state(): ConnectionState {
    return this.#state;
  }

  async call<Name extends CallName>(
    name: Name,
    input: Calls[Name]['input'],
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<Calls[Name]['output']> {
    const client = this.#client ?? (await this.#firstClient());
    if (client === null)
      throw new ContractError('unavailable', 'Weir does not answer. This page tries again by itself.');
    return client.call(name, input, options);
  }

  stream<Name extends StreamName>(
    name: Name,
    input: Streams[Name]['input'],
    listener: StreamListener<Streams[Name]['item']>,
  ): StreamHandle {
    let handle: StreamHandle | null = null;
    const open = (client: ContractClient, again: boolean): void => {
      if (again) listener.gap();
      // What must not happen twice is closed at the gap.
      if (!this.#streams.has(open)) return;
      handle = client.stream(name, input, {
        items: (items) => listener.items(items),
        gap: () => {
          listener.gap();
        },
        ended: (failure) => {
          if (client.closed) return;
          this.#streams.delete(open);
          listener.ended?.(failure);
        },
      });
    };
    this.#streams.add(open);
    if (this.#client !== null) open(this.#client, false);
    return {
      close: () => {
        this.#streams.delete(open);
        handle?.close();
      },
    };
  }

  /** Calls made while the page still connects for the first time wait; later ones fail at once. */
  #firstClient(): Promise<ContractClient | null> {
    if (this.#state !== 'connecting') return Promise.resolve(null);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #begin(again: boolean): Promise<void> {
    try {
      const client = await this.#connect();
      this.#client = client;
      this.#retry = FIRST_RETRY_MILLISECONDS;
      this.#state = 'open';
      this.#answerWaiting(client);
      for (const open of [...this.#streams]) open(client, again);
      client.onClose(() => {
        this.#client = null;
        this.#retryLater();
      });
    } catch (error: unknown) {
      if (error instanceof RefusedError) {
        this.#state = 'refused';
        this.#answerWaiting(null);
      } else {
        this.#retryLater();
      }
    }
  }

  #retryLater(): void {
    this.#state = 'lost';
    this.#answerWaiting(null);
    const delay = this.#retry;
    this.#retry = Math.min(delay * 2, LONGEST_RETRY_MILLISECONDS);
    setTimeout(() => void this.#begin(true), delay);
  }

  #answerWaiting(client: ContractClient | null): void {
    for (const resolve of this.#waiting.splice(0)) resolve(client);
  }
}
