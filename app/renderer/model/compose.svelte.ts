import type {
  ExchangeId,
  ExchangeSummary,
  ReplayLoad,
  ReplayOutcome,
  ReplayProgress,
  StreamHandle,
  ContractError,
} from '#contract';
import { MAX_COMPOSED_BODY_BYTES, MAX_WINDOW_BYTES } from '#contract';
import {
  conversationOfDraft,
  draftFor,
  draftOfCurl,
  draftOfExchange,
  emptyDraft,
  isSocketDraft,
  requestOfDraft,
  type Draft,
  type DraftField,
} from './compose-draft.ts';
import type { Backend } from './connection.svelte.ts';
import { COMPOSE_TEXT } from '../text/compose.ts';
import { parseCurl } from './curl/parse-curl.ts';
import { SocketComposer } from './socket-composer.svelte.ts';

const FIRST_LOAD: ReplayLoad = { count: 100, perSecond: null, parallel: 10, connections: 10 };

/** The page that composes requests: the draft, what came of it, and a run of many. */
export class Compose {
  readonly #backend: Backend;
  /** The WebSocket, while the draft describes one. */
  readonly socket: SocketComposer;
  #draft = $state.raw<Draft>(emptyDraft());
  #original = $state.raw<Draft>(this.#draft);
  /** As it was last sent, and thereby recorded. */
  #sent: Draft | null = null;
  #notes = $state.raw<readonly string[]>([]);
  #sending = $state.raw<AbortController | null>(null);
  #problem = $state.raw<string | null>(null);
  #outcome = $state.raw<ReplayOutcome | null>(null);
  #answer = $state.raw<ExchangeSummary | null>(null);
  #load = $state.raw<ReplayLoad>(FIRST_LOAD);
  #progress = $state.raw<ReplayProgress | null>(null);
  #run = $state.raw<StreamHandle | null>(null);
  #cancelled = $state(false);
  #nextKey = 1_000_000;

  constructor(backend: Backend) {
    this.#backend = backend;
    this.socket = new SocketComposer(backend);
  }

  get draft(): Draft {
    return this.#draft;
  }

  /** The draft as it began: empty, pasted, or a recorded request. */
  get original(): Draft {
    return this.#original;
  }

  /** Nothing would be lost if another draft began: this one is as it began, or recorded, and nothing is under way. */
  get isIdle(): boolean {
    const isRecorded = this.#draft === this.#sent && this.answer !== null;
    const kept = this.#draft === this.#original || isRecorded;
    return kept && this.#sending === null && this.#run === null && !this.socket.busy;
  }

  /** The draft describes a WebSocket. */
  get isSocket(): boolean {
    return isSocketDraft(this.#draft);
  }

  /** Turns the draft into one of the other protocol. */
  setProtocol(protocol: 'http' | 'websocket'): void {
    this.#draft = draftFor(this.#draft, protocol, this.socket.original === null ? null : this.#original);
  }

  /** What a pasted command said that a request cannot hold. */
  get notes(): readonly string[] {
    return this.#notes;
  }

  get sending(): boolean {
    return this.#sending !== null;
  }

  /** Why the last request was not sent or not answered; null when it was. */
  get problem(): string | null {
    return this.#problem;
  }

  get outcome(): ReplayOutcome | null {
    return this.#outcome;
  }

  /** The row of the answer, or of the WebSocket. */
  get answer(): ExchangeSummary | null {
    return this.isSocket ? this.socket.row : this.#answer;
  }

  get load(): ReplayLoad {
    return this.#load;
  }

  set load(load: ReplayLoad) {
    this.#load = load;
  }

  /** Of the run under way, or of the last one. */
  get progress(): ReplayProgress | null {
    return this.#progress;
  }

  get running(): boolean {
    return this.#run !== null;
  }

  /** The last run was cancelled. */
  get cancelled(): boolean {
    return this.#cancelled;
  }

  change(change: Partial<Draft>): void {
    this.#draft = { ...this.#draft, ...change };
  }

  addField(): void {
    const field = { key: this.#nextKey++, name: '', value: '', on: true };
    this.change({ fields: [...this.#draft.fields, field] });
  }

  changeField(key: number, change: Partial<DraftField>): void {
    this.change({ fields: this.#draft.fields.map((field) => (field.key === key ? { ...field, ...change } : field)) });
  }

  removeField(key: number): void {
    this.change({ fields: this.#draft.fields.filter((field) => field.key !== key) });
  }

  /** Begins with nothing. */
  reset(): void {
    this.#begin(emptyDraft(), []);
  }

  /**
   * Begins with the request that a cURL command describes.
   * @throws CurlSyntaxError
   */
  useCurl(command: string): void {
    const request = parseCurl(command);
    this.#begin(draftOfCurl(request), request.notes);
  }

  /**
   * Begins with the request of an exchange.
   * @throws ContractError
   */
  async useExchange(id: ExchangeId): Promise<void> {
    const detail = await this.#backend.call('exchanges.get', { id });
    if (detail.summary.kind === 'websocket') {
      this.#begin(draftOfExchange(detail, null), [], detail.summary);
      return;
    }
    const stored = detail.request?.storedBytes ?? 0;
    const whole = stored === detail.summary.requestBodyBytes && stored <= MAX_COMPOSED_BODY_BYTES;
    this.#begin(draftOfExchange(detail, whole ? await this.#readBody(id, stored) : null), []);
  }

  /** Opens the WebSocket of the draft, and replays the recorded conversation on it if that is wanted. */
  connect(replays: boolean): void {
    const { deflate, pace } = this.socket;
    this.#sent = this.#draft;
    const request = conversationOfDraft(this.#draft, this.#original);
    this.socket.open({ ...request, deflate, replay: replays && request.of !== null ? pace : null });
  }

  /** Sends the draft. What goes wrong is told by `problem`. @returns the row of the answer */
  async send(): Promise<ExchangeSummary | null> {
    if (this.#sending !== null) return null;
    const stop = new AbortController();
    this.#sending = stop;
    this.#problem = null;
    const draft = this.#draft;
    try {
      const request = requestOfDraft(draft, this.#original);
      const outcome = await this.#backend.call('replay.send', request, { signal: stop.signal });
      this.#outcome = outcome;
      this.#problem = outcome.problem;
      const id = outcome.exchanges.at(-1);
      if (id !== undefined) this.#sent = draft;
      this.#answer = id === undefined ? null : (await this.#backend.call('exchanges.get', { id })).summary;
      return this.#answer;
    } catch (error: unknown) {
      this.#outcome = null;
      this.#answer = null;
      if (!stop.signal.aborted) this.#problem = error instanceof Error ? error.message : String(error);
      return null;
    } finally {
      this.#sending = null;
    }
  }

  cancelSend(): void {
    this.#sending?.abort();
  }

  /** Sends the draft many times. */
  startRun(): void {
    if (this.#run !== null) return;
    this.#progress = null;
    this.#problem = null;
    this.#cancelled = false;
    const request = requestOfDraft(this.#draft, this.#original);
    this.#run = this.#backend.stream(
      'replay.run',
      { request, load: this.#load },
      {
        items: (items) => {
          this.#progress = items.at(-1) ?? this.#progress;
        },
        // The backend is another one now: the run ended with the first.
        gap: () => {
          this.#run?.close();
          this.#run = null;
          this.#problem = COMPOSE_TEXT.runLost;
        },
        ended: (failure: ContractError | null) => {
          this.#run = null;
          this.#problem = failure?.message ?? null;
        },
      },
    );
  }

  cancelRun(): void {
    this.#run?.close();
    if (this.#run !== null) this.#cancelled = true;
    this.#run = null;
  }

  #begin(draft: Draft, notes: readonly string[], socket: ExchangeSummary | null = null): void {
    this.socket.begin(socket);
    this.cancelSend();
    this.cancelRun();
    this.#draft = draft;
    this.#original = draft;
    this.#sent = null;
    this.#notes = notes;
    this.#problem = null;
    this.#outcome = null;
    this.#answer = null;
    this.#progress = null;
    this.#cancelled = false;
  }

  async #readBody(id: ExchangeId, size: number): Promise<Uint8Array> {
    const body = new Uint8Array(size);
    for (let offset = 0; offset < size;) {
      const window = { id, side: 'request', form: 'stored', offset, length: MAX_WINDOW_BYTES } as const;
      const { bytes } = await this.#backend.call('exchanges.readBody', window);
      if (bytes.length === 0) break;
      body.set(bytes.subarray(0, size - offset), offset);
      offset += bytes.length;
    }
    return body;
  }
}
