import type { ImportReport } from '#contract';
import { ContractError, MAX_WINDOW_BYTES } from '#contract';
import type { App } from './app.svelte.ts';

/** A file that is being read. */
export interface RunningImport {
  readonly name: string;
  /** From 0 to 1. */
  readonly share: number;
  readonly imported: number;
}

/** What became of the last file. */
export interface FinishedImport {
  readonly name: string;
  readonly report: ImportReport;
}

/** Files that the user dropped or chose: one after the other they become sessions. */
export class Imports {
  readonly #app: App;
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

  cancel(): void {
    this.#cancelled = true;
  }

  /** Asks for a file, as the system's menus do. */
  choose(): void {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = '.har,.json,.weir,.gz,.mitm,.flow,.flows';
    input.addEventListener('change', () => {
      void this.take([...(input.files ?? [])]);
    });
    input.click();
  }

  /** Reads files; what goes wrong is told as a toast. */
  async take(files: readonly File[]): Promise<void> {
    if (this.#running !== null) return;
    this.#cancelled = false;
    for (const file of files) {
      try {
        await this.#read(file);
      } catch (error: unknown) {
        this.#app.toasts.fail(error);
      } finally {
        this.#running = null;
      }
    }
  }

  async #read(file: File): Promise<void> {
    const { backend, sessions } = this.#app;
    const { name } = file;
    const { import: id } = await backend.call('import.begin', { fileName: name });
    this.#running = { name, share: 0, imported: 0 };
    for (let at = 0; at < file.size; at += MAX_WINDOW_BYTES) {
      if (this.#cancelled) {
        await backend.call('import.cancel', { import: id });
        return;
      }
      const bytes = new Uint8Array(await file.slice(at, at + MAX_WINDOW_BYTES).arrayBuffer());
      const { imported } = await backend.call('import.write', { import: id, bytes });
      this.#running = { name, share: Math.min(1, (at + bytes.length) / file.size), imported };
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
