import { MAX_COMPOSED_BODY_BYTES, MAX_WINDOW_BYTES } from '#contract';
import type {
  ConversationDeflate,
  ConversationPace,
  ConversationRequest,
  ConversationState,
  ExchangeSummary,
  MessageSummary,
  StreamHandle,
} from '#contract';
import { CONVERSATION_TEXT } from '../text/conversation.ts';
import type { Backend } from './connection.svelte.ts';
import { messageDraftOf, payloadOf, type MessageDraft, type MessageFault } from './message-draft.ts';

/** The row of a WebSocket is read again at most this often, milliseconds. */
const ROW_PAUSE = 250;
/** How often it is read again for what is not committed yet. */
const MOST_WAITS = 20;

const EMPTY_MESSAGE: MessageDraft = { form: 'text', text: '' };

/** The WebSocket of the page that composes: the connection, the message that is being written, and a replay. */
export class SocketComposer {
  readonly #backend: Backend;
  #original = $state.raw<ExchangeSummary | null>(null);
  #message = $state.raw<MessageDraft>(EMPTY_MESSAGE);
  #state = $state.raw<ConversationState | null>(null);
  #row = $state.raw<ExchangeSummary | null>(null);
  #stream = $state.raw<StreamHandle | null>(null);
  #problem = $state.raw<string | null>(null);
  #rowTimer: ReturnType<typeof setTimeout> | null = null;
  #waits = 0;
  #cancelled = $state(false);
  #deflate = $state<ConversationDeflate>('on');
  #pace = $state<ConversationPace>('answers');

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** The recorded WebSocket that the draft came from. */
  get original(): ExchangeSummary | null {
    return this.#original;
  }

  get deflate(): ConversationDeflate {
    return this.#deflate;
  }

  set deflate(deflate: ConversationDeflate) {
    this.#deflate = deflate;
  }

  get pace(): ConversationPace {
    return this.#pace;
  }

  set pace(pace: ConversationPace) {
    this.#pace = pace;
  }

  get message(): MessageDraft {
    return this.#message;
  }

  set message(message: MessageDraft) {
    this.#message = message;
  }

  get messageFault(): MessageFault | null {
    const payload = payloadOf(this.#message, MAX_COMPOSED_BODY_BYTES);
    return typeof payload === 'string' ? payload : null;
  }

  /** Of the connection under way, or of the last one. */
  get state(): ConversationState | null {
    return this.#state;
  }

  /** Its exchange. */
  get row(): ExchangeSummary | null {
    return this.#row;
  }

  /** A connection is under way. */
  get busy(): boolean {
    return this.#stream !== null;
  }

  get isOpen(): boolean {
    return this.#stream !== null && this.#state?.phase === 'open';
  }

  /** A recorded conversation is being sent. */
  get replaying(): boolean {
    return this.#stream !== null && this.#state?.replay?.done === false;
  }

  /** The last replay was cancelled. */
  get cancelled(): boolean {
    return this.#cancelled;
  }

  get problem(): string | null {
    return this.#problem ?? this.#state?.problem ?? null;
  }

  /** Begins anew. @param original the recorded WebSocket that is repeated; null for one that is composed from nothing */
  begin(original: ExchangeSummary | null): void {
    this.#leave();
    if (this.#rowTimer !== null) clearTimeout(this.#rowTimer);
    this.#rowTimer = null;
    this.#original = original;
    this.#deflate = original === null ? 'on' : 'captured';
    this.#message = EMPTY_MESSAGE;
    this.#state = null;
    this.#row = null;
    this.#problem = null;
    this.#cancelled = false;
  }

  open(request: ConversationRequest): void {
    if (this.#stream !== null) return;
    this.#state = null;
    this.#row = null;
    this.#problem = null;
    this.#cancelled = false;
    this.#stream = this.#backend.stream('conversation.open', request, {
      items: (items) => {
        const state = items.at(-1);
        if (state !== undefined) this.#take(state);
      },
      // The backend is another one now: the WebSocket was closed with the first.
      gap: () => {
        this.#leave();
        if (this.#state !== null) this.#state = { ...this.#state, phase: 'closed' };
        this.#problem = CONVERSATION_TEXT.lost;
      },
      ended: (failure) => {
        this.#stream = null;
        if (failure !== null) this.#problem = failure.message;
        this.#readRowSoon();
      },
    });
  }

  /** Sends what is written; a ping and a text stay, to be sent again. What goes wrong is told by `problem`. */
  async send(): Promise<void> {
    const payload = payloadOf(this.#message, MAX_COMPOSED_BODY_BYTES);
    const id = this.#state?.id;
    if (typeof payload === 'string' || id === undefined || !this.isOpen) return;
    const kind = this.#message.form === 'hex' ? 'binary' : this.#message.form;
    this.#problem = null;
    try {
      await this.#backend.call('conversation.send', { id, kind, payload });
    } catch (error: unknown) {
      this.#problem = error instanceof Error ? error.message : String(error);
    }
  }

  /** Closes the connection, and ends a replay. @param code null for a close frame without one */
  async close(code: number | null, reason: string): Promise<void> {
    const id = this.#state?.id;
    if (this.#stream === null) return;
    if (this.replaying) this.#cancelled = true;
    if (id === undefined) {
      this.#leave();
      return;
    }
    try {
      await this.#backend.call('conversation.close', { id, code, reason });
    } catch (error: unknown) {
      // Where it was closed meanwhile, that is what was wanted.
      if (this.busy) this.#problem = error instanceof Error ? error.message : String(error);
    }
  }

  /**
   * Takes a recorded message into the editor.
   * @throws ContractError
   * @throws Error when it is longer than what can be composed
   */
  async edit(message: MessageSummary): Promise<void> {
    const { exchange, sequence, bytes, kind } = message;
    if (kind !== 'text' && kind !== 'binary' && kind !== 'ping') return;
    if (bytes > MAX_COMPOSED_BODY_BYTES) throw new Error(CONVERSATION_TEXT.tooLongToEdit);
    const payload = new Uint8Array(bytes);
    for (let offset = 0; offset < bytes;) {
      const input = { exchange, sequence, offset, length: MAX_WINDOW_BYTES };
      const window = await this.#backend.call('messages.read', input);
      if (window.bytes.length === 0) break;
      payload.set(window.bytes, offset);
      offset += window.bytes.length;
    }
    this.#message = messageDraftOf(payload, kind);
  }

  #take(state: ConversationState): void {
    const isNew = state.exchange !== null && state.exchange !== this.#state?.exchange;
    this.#state = state;
    this.#waits = 0;
    if (isNew) void this.#readRow(state.exchange);
    this.#readRowSoon();
  }

  /** What the state tells of is committed a moment later. */
  #readRowSoon(): void {
    this.#rowTimer ??= setTimeout(() => {
      this.#rowTimer = null;
      const exchange = this.#state?.exchange ?? null;
      if (exchange !== null) void this.#readRow(exchange);
    }, ROW_PAUSE);
  }

  async #readRow(id: number): Promise<void> {
    try {
      const { summary } = await this.#backend.call('exchanges.get', { id });
      const state = this.#state;
      if (state?.exchange !== id) return;
      this.#row = summary;
      const isBehind =
        summary.messages < state.sent + state.received || (this.#stream === null && summary.state === 'active');
      if (isBehind && this.#waits < MOST_WAITS) {
        this.#waits += 1;
        this.#readRowSoon();
      }
    } catch {
      // The row may be deleted; the state tells what there is to know.
    }
  }

  #leave(): void {
    this.#stream?.close();
    this.#stream = null;
  }
}
