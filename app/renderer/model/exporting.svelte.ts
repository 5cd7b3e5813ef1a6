import { NO_REDACTION, USUAL_REDACTION } from '#contract';
import type { ExchangeId, ExportFormat, ExportOrder, ExportPreview, Redaction, StreamHandle } from '#contract';
import { EXPORT_TEXT } from '../text/exports.ts';
import { formatCount } from '../text/format.ts';
import type { App } from './app.svelte.ts';

/** What a person writes into the fields of the dialog: names or paths, apart by commas or line ends. */
export type RedactionDraft = Readonly<Record<keyof Redaction, string>>;

/** A change is previewed when nothing was typed for this long, ms. */
const PREVIEW_DELAY_MS = 250;

const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  har: 'application/json',
  weir: 'application/octet-stream',
};

/** The export that is being made up: which exchanges, in which format, with what blanked, and what would leave. */
export class Exporting {
  readonly #app: App;
  #ids = $state.raw<readonly ExchangeId[] | null>(null);
  #format = $state<ExportFormat>('har');
  #usual = $state(true);
  #draft = $state.raw<RedactionDraft>({ headers: '', cookies: '', parameters: '', jsonPaths: '' });
  #preview = $state.raw<ExportPreview | null>(null);
  #problem = $state<string | null>(null);
  /** How much of the file is written, 0 to 1; null while none is. */
  #share = $state<number | null>(null);
  #stream: StreamHandle | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #cancelled = false;

  constructor(app: App) {
    this.#app = app;
  }

  /** Null while no export is made up. */
  get ids(): readonly ExchangeId[] | null {
    return this.#ids;
  }

  get format(): ExportFormat {
    return this.#format;
  }

  /** What usually carries credentials is blanked. */
  get usual(): boolean {
    return this.#usual;
  }

  get draft(): RedactionDraft {
    return this.#draft;
  }

  get preview(): ExportPreview | null {
    return this.#preview;
  }

  get problem(): string | null {
    return this.#problem;
  }

  get share(): number | null {
    return this.#share;
  }

  /** The preview tells of exactly what would be saved now. */
  get ready(): boolean {
    return this.#preview?.done === true && this.#problem === null && this.#share === null;
  }

  /** Begins to make up an export of these, in their order. */
  begin(ids: readonly ExchangeId[]): void {
    if (ids.length === 0) return;
    this.#ids = ids;
    this.#lookAgain(0);
  }

  close(): void {
    this.#cancelled = true;
    this.#stopPreview();
    this.#ids = null;
    this.#preview = null;
    this.#problem = null;
  }

  chooseFormat(format: ExportFormat): void {
    this.#format = format;
  }

  setUsual(on: boolean): void {
    this.#usual = on;
    this.#lookAgain(0);
  }

  setDraft(part: keyof Redaction, text: string): void {
    this.#draft = { ...this.#draft, [part]: text };
    this.#lookAgain(PREVIEW_DELAY_MS);
  }

  /**
   * Writes the file and hands it to the person.
   * @throws ContractError
   */
  async save(): Promise<void> {
    const order = this.#order();
    if (order === null || !this.ready) return;
    const { backend, actions, toasts } = this.#app;
    this.#cancelled = false;
    this.#share = 0;
    try {
      const { export: id } = await backend.call('export.begin', order);
      const parts: Uint8Array[] = [];
      for (let done = false; !done;) {
        const piece = await backend.call('export.read', { export: id });
        if (this.#wasCancelled()) {
          await backend.call('export.cancel', { export: id });
          return;
        }
        parts.push(piece.bytes);
        this.#share = piece.exchanges / order.ids.length;
        done = piece.done;
      }
      actions.saveFile(parts, `weir.${order.format}`, MEDIA_TYPES[order.format]);
      toasts.say(EXPORT_TEXT.saved(order.ids.length, formatCount(order.ids.length)));
      this.close();
    } finally {
      this.#share = null;
    }
  }

  #wasCancelled(): boolean {
    return this.#cancelled;
  }

  #order(): ExportOrder | null {
    if (this.#ids === null) return null;
    const usual = this.#usual ? USUAL_REDACTION : NO_REDACTION;
    const written = (part: keyof Redaction): readonly string[] => [...usual[part], ...entriesOf(this.#draft[part])];
    return {
      ids: this.#ids,
      format: this.#format,
      redaction: {
        headers: written('headers'),
        cookies: written('cookies'),
        parameters: written('parameters'),
        jsonPaths: written('jsonPaths'),
      },
    };
  }

  #lookAgain(delay: number): void {
    this.#stopPreview();
    this.#preview = null;
    this.#problem = null;
    this.#timer = setTimeout(() => {
      this.#openPreview();
    }, delay);
  }

  #openPreview(): void {
    const order = this.#order();
    if (order === null) return;
    this.#stream = this.#app.backend.stream('export.preview', order, {
      items: (items) => {
        this.#preview = items.at(-1) ?? this.#preview;
      },
      // Each item is the whole state.
      gap: () => undefined,
      ended: (failure) => {
        this.#stream = null;
        this.#problem = failure?.message ?? null;
      },
    });
  }

  #stopPreview(): void {
    clearTimeout(this.#timer);
    this.#stream?.close();
    this.#stream = null;
  }
}

/** Commas inside of brackets belong to a path. */
function entriesOf(text: string): readonly string[] {
  return text.split(/[\n,](?![^[]*\])/).flatMap((entry) => entry.trim() || []);
}
