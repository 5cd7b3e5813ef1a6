import type { ImportReport } from '#contract';
import { ContractError, MAX_WINDOW_BYTES } from '#contract';
import type { App } from './app.svelte.ts';

/** A file that can be read piece by piece, wherever it comes from. */
export interface ImportSource {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** At most `length` bytes from byte `at` on, and at least one. */
  read(at: number, length: number): Promise<Uint8Array>;
  /** Nothing more is read. @param cancelled nor of what would follow it */
  close(cancelled: boolean): void;
}

/** A file that is being read. */
export interface RunningImport {
  readonly name: string;
  /** Bytes of the whole file, and those that are read. */
  readonly size: number;
  readonly read: number;
  readonly imported: number;
}

/** What became of the last file. */
export interface FinishedImport {
  readonly name: string;
  readonly report: ImportReport;
}

/** A file that the user dropped or chose. */
export function sourceOf(file: File): ImportSource {
  return {
    name: file.name,
    size: file.size,
    read: async (at, length) => new Uint8Array(await file.slice(at, at + length).arrayBuffer()),
    close: () => undefined,
  };
}

/** Files that the user dropped, chose or opened with Weir: one after the other they become sessions. */
export class Imports {
  readonly #app: App;
  readonly #waiting: ImportSource[] = [];
  #busy = false;
  #running = $state.raw<RunningImport | null>(null);
  #finished = $state.raw<FinishedImport | null>(null);
  #cancelled = false;

  constructor(app: App) {
    this.#app = app;
  }

  get running(): RunningImport | null {
    return this.#running;
  }

  /** A report that is worth reading: something was left out, or the file is no good. */
  get finished(): FinishedImport | null {
    return this.#finished;
  }

  dismiss(): void {
    this.#finished = null;
  }

  /** Gives up the file that is read, and those that wait for it. */
  cancel(): void {
    this.#cancelled = true;
    for (const source of this.#waiting.splice(0)) source.close(true);
  }

  /** Asks for a file, as the system's menus do. */
  choose(): void {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = '.har,.json,.weir,.gz,.mitm,.flow,.flows';
    input.addEventListener('change', () => {
      void this.take(Array.from(input.files ?? [], sourceOf));
    });
    input.click();
  }

  /** Reads files, after those that are being read; what goes wrong is told as a toast. */
  async take(sources: readonly ImportSource[]): Promise<void> {
    this.#waiting.push(...sources);
    if (this.#busy) return;
    this.#busy = true;
    for (let source = this.#waiting.shift(); source !== undefined; source = this.#waiting.shift()) {
      this.#cancelled = false;
      try {
        await this.#read(source);
      } catch (error: unknown) {
        this.#app.toasts.fail(error);
      } finally {
        source.close(this.#cancelled);
        this.#running = null;
      }
    }
    this.#busy = false;
  }

  async #read(source: ImportSource): Promise<void> {
    const { backend, sessions } = this.#app;
    const { name, size } = source;
    const { import: id } = await backend.call('import.begin', { fileName: name });
    this.#running = { name, size, read: 0, imported: 0 };
    try {
      let at = 0;
      while (at < size && !this.#cancelled) {
        const bytes = await source.read(at, MAX_WINDOW_BYTES);
        const { imported } = await backend.call('import.write', { import: id, bytes });
        at += bytes.length;
        this.#running = { name, size, read: at, imported };
      }
    } catch (error: unknown) {
      // What could not be read to its end leaves nothing behind.
      await backend.call('import.cancel', { import: id }).catch(() => undefined);
      throw error;
    }
    if (this.#cancelled) {
      await backend.call('import.cancel', { import: id });
      return;
    }
    const report = await backend.call('import.end', { import: id });
    if (report.skipped > 0 || report.problem !== null) this.#finished = { name, report };
    await sessions.refresh();
    if (report.session !== null) {
      this.#app.navigation.open('traffic');
      this.#app.showSession(report.session);
    } else if (report.problem === null) {
      throw new ContractError('bad-input', `${name} holds no exchange.`);
    }
  }
}
