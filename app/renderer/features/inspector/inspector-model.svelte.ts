import { ContractError } from '#contract';
import type { ExchangeDetail, ExchangeId, ExchangeSummary, MessageSide } from '#contract';
import type { Backend } from '../../model/connection.svelte.ts';
import { Remembered, oneOf } from '../../model/remembered.svelte.ts';
import type { KeyValueStore } from '../../model/remembered.svelte.ts';
import { BodyModel } from './body-model.svelte.ts';

export type TabId = 'overview' | 'request' | 'response' | 'messages' | 'frames' | 'timing' | 'tls' | 'raw';

/** How a body is shown. `raw` is what is stored, before its content coding is undone. */
export type BodyView = 'pretty' | 'tree' | 'text' | 'preview' | 'hex' | 'raw';

/** While an exchange is under way its detail is read again at most this often, milliseconds. */
const REFRESH_MILLISECONDS = 250;

/** The exchange in the detail pane, and the choices that stay when another one is shown. */
export class InspectorModel {
  readonly #backend: Backend;
  readonly #tab: Remembered<TabId>;
  /** What is open here instead of the remembered tab; null where that counts. */
  #ownTab = $state<TabId | null>(null);
  readonly #bodyView: Remembered<BodyView>;
  readonly #rawAs: Remembered<'received' | 'sent'>;
  #id: ExchangeId | null = null;
  #summary = $state.raw<ExchangeSummary | null>(null);
  #detail = $state.raw<ExchangeDetail | null>(null);
  #problem = $state.raw<ContractError | null>(null);
  #bodies = $state.raw<Readonly<Record<MessageSide, BodyModel | null>>>({ request: null, response: null });
  #reading = new AbortController();
  #refresh: ReturnType<typeof setTimeout> | null = null;

  /** @param first the tab that stands open at first, without touching the remembered one */
  constructor(backend: Backend, store: KeyValueStore = localStorage, first: TabId | null = null) {
    this.#backend = backend;
    this.#ownTab = first;
    this.#tab = new Remembered(
      'detail-tab',
      'overview',
      oneOf('overview', 'request', 'response', 'messages', 'frames', 'timing', 'tls', 'raw'),
      store,
    );
    const views = oneOf<BodyView>('pretty', 'tree', 'text', 'preview', 'hex', 'raw');
    this.#bodyView = new Remembered<BodyView>('body-view', 'pretty', views, store);
    this.#rawAs = new Remembered('raw-as', 'received', oneOf('received', 'sent'), store);
  }

  get summary(): ExchangeSummary | null {
    return this.#detail?.summary.id === this.#summary?.id ? newer(this.#summary, this.#detail?.summary) : this.#summary;
  }

  /** Null until it was read. */
  get detail(): ExchangeDetail | null {
    return this.#detail;
  }

  get problem(): ContractError | null {
    return this.#problem;
  }

  get deleted(): boolean {
    const { request, response } = this.#bodies;
    return [this.#problem, request?.problem, response?.problem].some((problem) => problem?.code === 'not-found');
  }

  body(side: MessageSide): BodyModel | null {
    return this.#bodies[side];
  }

  /** Tabs that have something to show for this exchange, in order. */
  get tabs(): readonly TabId[] {
    const detail = this.#detail;
    if (detail === null) return ['overview'];
    const tabs: TabId[] = ['overview'];
    if (detail.request !== null) tabs.push('request');
    if (detail.response !== null) tabs.push('response');
    if (carriesMessages(this.summary ?? detail.summary)) tabs.push('messages');
    if (speaksHttp2(detail)) tabs.push('frames');
    if (detail.timing.end !== null || detail.timing.sent !== null) tabs.push('timing');
    if ((detail.clientConnection?.tls ?? detail.originConnection?.tls ?? null) !== null) tabs.push('tls');
    if (detail.request !== null) tabs.push('raw');
    return tabs;
  }

  /** The chosen tab, or the first one while the chosen one has no content here. */
  get tab(): TabId {
    const chosen = this.#ownTab ?? this.#tab.value;
    return this.tabs.includes(chosen) ? chosen : 'overview';
  }

  set tab(tab: TabId) {
    if (this.#ownTab === null) this.#tab.value = tab;
    else this.#ownTab = tab;
  }

  get bodyView(): BodyView {
    return this.#bodyView.value;
  }

  set bodyView(view: BodyView) {
    this.#bodyView.value = view;
  }

  get rawAs(): 'received' | 'sent' {
    return this.#rawAs.value;
  }

  set rawAs(as: 'received' | 'sent') {
    this.#rawAs.value = as;
  }

  /** Shows an exchange, or takes news of the one that is shown. */
  show(summary: ExchangeSummary | null): void {
    const id = summary?.id ?? null;
    const before = this.#summary;
    this.#summary = summary;
    if (id === this.#id) {
      // A row that has ended changes by what people note on it; of that only the comment is not in the row.
      const noted = summary?.commented === true || before?.commented === true;
      const grows = this.#detail?.summary.state !== 'complete' || noted;
      if (summary !== before && id !== null && grows) this.#refreshSoon();
      return;
    }
    this.close();
    this.#id = id;
    this.#problem = null;
    this.#detail = null;
    this.#bodies = { request: null, response: null };
    if (id !== null) void this.#read(id);
  }

  retry(): void {
    this.#problem = null;
    if (this.#id !== null) void this.#read(this.#id);
  }

  /** Ends what is being read. */
  close(): void {
    this.#reading.abort();
    this.#reading = new AbortController();
    if (this.#refresh !== null) clearTimeout(this.#refresh);
    this.#refresh = null;
    this.#bodies.request?.close();
    this.#bodies.response?.close();
    this.#id = null;
  }

  #refreshSoon(): void {
    this.#refresh ??= setTimeout(() => {
      this.#refresh = null;
      if (this.#id !== null) void this.#read(this.#id);
    }, REFRESH_MILLISECONDS);
  }

  async #read(id: ExchangeId): Promise<void> {
    const { signal } = this.#reading;
    try {
      const detail = await this.#backend.call('exchanges.get', { id }, { signal });
      if (signal.aborted) return;
      this.#detail = detail;
      this.#problem = null;
      this.#bodies = { request: this.#bodyOf(detail, 'request'), response: this.#bodyOf(detail, 'response') };
    } catch (error: unknown) {
      if (signal.aborted) return;
      this.#problem = error instanceof ContractError ? error : new ContractError('internal', String(error));
    }
  }

  #bodyOf(detail: ExchangeDetail, side: MessageSide): BodyModel | null {
    const message = detail[side];
    if (message === null) return null;
    const held = this.#bodies[side];
    if (held === null) return new BodyModel(this.#backend, detail.summary.id, side, message);
    held.update(message);
    return held;
  }
}

/** There are messages, or there may be some. */
function carriesMessages({ messages, kind, status, mediaType }: ExchangeSummary): boolean {
  if (messages > 0) return true;
  return (kind === 'websocket' && status === 101) || mediaType === 'text/event-stream';
}

/** The row of the list is pushed and the detail is pulled; the one that has ended knows more. */
function newer(row: ExchangeSummary | null, read: ExchangeSummary | undefined): ExchangeSummary | null {
  if (row === null || read === undefined) return row;
  return row.state === 'active' && read.state !== 'active' ? read : row;
}

/** On one of its legs it is a stream of a connection that has frames. */
function speaksHttp2({ clientConnection, originConnection }: ExchangeDetail): boolean {
  return [clientConnection, originConnection].some((leg) => leg?.protocol === 'h2' || leg?.protocol === 'h2c');
}
