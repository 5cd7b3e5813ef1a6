import type { BackendToHost, HostToBackend } from '../contract/desktop.ts';

/** A backend process, as the supervisor needs it. `Port` is what the host's message channels are made of. */
export interface BackendProcess<Port> {
  send(message: HostToBackend, ports: readonly Port[]): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once; `code` is the exit code. */
  onExit(listener: (code: number) => void): void;
  kill(): void;
}

export type BackendState =
  | { readonly name: 'starting' }
  | { readonly name: 'ready' }
  | { readonly name: 'down'; readonly message: string; readonly retryInMs: number }
  | { readonly name: 'stopped' };

export interface SupervisorOptions<Port> {
  readonly start: () => BackendProcess<Port>;
  readonly onState: (state: BackendState) => void;
  /** Milliseconds that only grow. */
  readonly now: () => number;
  /** Calls back once; gives what cancels it. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

/** Milliseconds before the first restart; doubled by each crash that follows soon, up to the longest. */
export const RESTART_DELAY = { first: 250, longest: 10_000, forgottenAfter: 30_000 } as const;

/**
 * Keeps the backend alive: starts it, starts it again after a crash with growing pauses, and ends it in good order.
 * Windows are told through `onState`; they get a port with `connect` each time the backend is ready.
 */
export class Supervisor<Port> {
  readonly #options: SupervisorOptions<Port>;
  #process: BackendProcess<Port> | null = null;
  #state: BackendState = { name: 'stopped' };
  #startedAt = 0;
  #crashes = 0;
  #reason: string | null = null;
  #cancelRestart: (() => void) | null = null;
  #whenGone: (() => void) | null = null;

  constructor(options: SupervisorOptions<Port>) {
    this.#options = options;
  }

  get state(): BackendState {
    return this.#state;
  }

  /** Starts the backend; without effect while it runs or is about to. */
  start(): void {
    if (this.#process !== null || this.#cancelRestart !== null) return;
    this.#launch();
  }

  /** Hands the backend one end of a channel. @returns false while there is nobody to take it */
  connect(port: Port): boolean {
    if (this.#process === null || this.#state.name !== 'ready') return false;
    this.#process.send({ type: 'connect' }, [port]);
    return true;
  }

  /** Lets the backend finish, flush and end; kills it when it has not after `drainMs`. Resolves when it is gone. */
  async stop(drainMs: number): Promise<void> {
    this.#cancelRestart?.();
    this.#cancelRestart = null;
    const process = this.#process;
    if (process === null) {
      this.#enter({ name: 'stopped' });
      return;
    }
    await new Promise<void>((resolve) => {
      const cancel = this.#options.after(drainMs, () => {
        process.kill();
      });
      this.#whenGone = () => {
        cancel();
        resolve();
      };
      process.send({ type: 'drain' }, []);
    });
  }

  #launch(): void {
    this.#enter({ name: 'starting' });
    this.#startedAt = this.#options.now();
    this.#reason = null;
    const process = this.#options.start();
    this.#process = process;
    process.onMessage((message) => {
      if (this.#process !== process || !isBackendMessage(message)) return;
      if (message.type === 'failed') this.#reason = message.message;
      else this.#enter({ name: 'ready' });
    });
    process.onExit((code) => {
      if (this.#process !== process) return;
      this.#process = null;
      this.#ended(code);
    });
  }

  #ended(code: number): void {
    if (this.#whenGone !== null) {
      this.#enter({ name: 'stopped' });
      this.#whenGone();
      this.#whenGone = null;
      return;
    }
    if (this.#options.now() - this.#startedAt >= RESTART_DELAY.forgottenAfter) this.#crashes = 0;
    const retryInMs = Math.min(RESTART_DELAY.first * 2 ** this.#crashes, RESTART_DELAY.longest);
    this.#crashes += 1;
    const message = this.#reason ?? `The backend stopped unexpectedly (exit code ${String(code)}).`;
    this.#cancelRestart = this.#options.after(retryInMs, () => {
      this.#cancelRestart = null;
      this.#launch();
    });
    this.#enter({ name: 'down', message, retryInMs });
  }

  #enter(state: BackendState): void {
    this.#state = state;
    this.#options.onState(state);
  }
}

function isBackendMessage(message: unknown): message is BackendToHost {
  if (typeof message !== 'object' || message === null || !('type' in message)) return false;
  return (
    message.type === 'ready' ||
    (message.type === 'failed' && 'message' in message && typeof message.message === 'string')
  );
}
