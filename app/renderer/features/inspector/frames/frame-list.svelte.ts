import { ContractError, MAX_FRAMES } from '#contract';
import type { ConnectionId, FramePage, Http2Frame } from '#contract';
import type { Backend } from '../../../model/connection.svelte.ts';

/** While the frames are looked at, those that came since are asked for so often, milliseconds. */
const REFRESH_MILLISECONDS = 700;
/** Frames that are held at most: as many as a connection keeps, and those that come while one looks. */
const MOST_FRAMES = 20_000;

/** The frames of one connection, read as a whole and kept up with. */
export class FrameListModel {
  readonly #backend: Backend;
  readonly #connection: ConnectionId;
  readonly #stop = new AbortController();
  #frames = $state.raw<readonly Http2Frame[]>([]);
  #problem = $state.raw<ContractError | null>(null);
  #loading = $state(true);
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(backend: Backend, connection: ConnectionId) {
    this.#backend = backend;
    this.#connection = connection;
    void this.#read();
  }

  /** In order. */
  get frames(): readonly Http2Frame[] {
    return this.#frames;
  }

  get problem(): ContractError | null {
    return this.#problem;
  }

  /** They are being read for the first time. */
  get loading(): boolean {
    return this.#loading;
  }

  retry(): void {
    this.#problem = null;
    this.#loading = true;
    void this.#read();
  }

  close(): void {
    this.#stop.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #read(): Promise<void> {
    const { signal } = this.#stop;
    try {
      let after: number | null = this.#frames.at(-1)?.sequence ?? 0;
      while (after !== null) {
        const input = { connection: this.#connection, after, limit: MAX_FRAMES };
        const page: FramePage = await this.#backend.call('frames.page', input, { signal });
        if (page.frames.length > 0) this.#frames = [...this.#frames, ...page.frames].slice(-MOST_FRAMES);
        after = page.next;
      }
      this.#loading = false;
      this.#timer = setTimeout(() => void this.#read(), REFRESH_MILLISECONDS);
    } catch (error: unknown) {
      if (signal.aborted) return;
      this.#loading = false;
      this.#problem = error instanceof ContractError ? error : new ContractError('internal', String(error));
    }
  }
}
