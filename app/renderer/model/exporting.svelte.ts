import { NO_REDACTION, USUAL_REDACTION } from '#contract';
import type {
  ExchangeId,
  ExportFormat,
  ExportOrder,
  ExportPreview,
  Redaction,
  SessionId,
  StreamHandle,
} from '#contract';
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

/** All exchanges of a session that pass a filter. */
export interface ListedExchanges {
  readonly session: SessionId;
  readonly filter: string;
  /** How many there are, as far as the page knows. */
  readonly count: number;
  /** Of the file, without its ending. */
  readonly fileName: string;
}

/** What a person may export at the moment; `null` and none where there is nothing of that kind. */
export interface Exportable {
  readonly ids: readonly ExchangeId[];
  readonly list: ListedExchanges | null;
}

/** The chosen rows, or all of the list. */
export type ExportScope = 'chosen' | 'list';

/** The export that is being made up: which exchanges, in which format, with what blanked, and what would leave. */
export class Exporting {
  readonly #app: App;
  #exportable = $state.raw<Exportable | null>(null);
  #scope = $state<ExportScope>('chosen');
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
  get exportable(): Exportable | null {
    return this.#exportable;
  }

  get scope(): ExportScope {
    return this.#scope;
  }

  /** How many exchanges the file would hold. */
  get count(): number {
    const { ids, list } = this.#exportable ?? NOTHING;
    return this.#scope === 'chosen' ? ids.length : (this.#preview?.total ?? list?.count ?? 0);
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

  /** The preview tells of what would be saved now, or of its beginning: nobody has to wait for a million exchanges twice. */
  get ready(): boolean {
    return this.#preview !== null && this.#problem === null && this.#share === null;
  }

  /** Begins to make up an export of the chosen rows where there are some, else of the list. */
  begin(exportable: Exportable): void {
    const { ids, list } = exportable;
    if (ids.length === 0 && (list === null || list.count === 0)) return;
    this.#exportable = exportable;
    this.#scope = ids.length > 0 ? 'chosen' : 'list';
    this.#lookAgain(0);
  }

  chooseScope(scope: ExportScope): void {
    this.#scope = scope;
    this.#lookAgain(0);
  }

  close(): void {
    this.#cancelled = true;
    this.#stopPreview();
    this.#exportable = null;
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
    const name = this.#scope === 'chosen' ? 'weir' : (this.#exportable?.list?.fileName ?? 'weir');
    this.#cancelled = false;
    this.#share = 0;
    // What is written is read once more: two readers would only slow each other.
    this.#stopPreview();
    try {
      const { export: id, total } = await backend.call('export.begin', order);
      const parts: Blob[] = [];
      let written = 0;
      for (let done = false; !done;) {
        const piece = await backend.call('export.read', { export: id });
        if (this.#wasCancelled()) {
          await backend.call('export.cancel', { export: id });
          return;
        }
        // The browser keeps blobs, on the disk when they are many; a session is larger than a page's memory.
        parts.push(new Blob([new Uint8Array(piece.bytes)]));
        written = piece.exchanges;
        this.#share = written / Math.max(1, total);
        done = piece.done;
      }
      actions.saveFile(parts, `${name}.${order.format}`, MEDIA_TYPES[order.format]);
      toasts.say(EXPORT_TEXT.saved(written, formatCount(written)));
      this.close();
    } finally {
      this.#share = null;
      // After a failure the dialog is still there, and so is what it tells.
      if (this.#exportable !== null && this.#preview?.done !== true) this.#lookAgain(0);
    }
  }

  #wasCancelled(): boolean {
    return this.#cancelled;
  }

  #order(): ExportOrder | null {
    if (this.#exportable === null) return null;
    const { ids, list } = this.#exportable;
    const usual = this.#usual ? USUAL_REDACTION : NO_REDACTION;
    const written = (part: keyof Redaction): readonly string[] => [...usual[part], ...entriesOf(this.#draft[part])];
    return {
      choice: this.#scope === 'list' && list !== null ? { session: list.session, filter: list.filter } : { ids },
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

const NOTHING: Exportable = { ids: [], list: null };

/** What a file is called after a session: without what a file system could take for something else. */
export function fileNameOf(session: string): string {
  return session.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replaceAll(/^[-.]+|[-.]+$/g, '') || 'weir';
}

/** Commas inside of brackets belong to a path. */
function entriesOf(text: string): readonly string[] {
  return text.split(/[\n,](?![^[]*\])/).flatMap((entry) => entry.trim() || []);
}
