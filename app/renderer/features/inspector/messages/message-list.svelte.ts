import { ContractError } from '#contract';
import type { ExchangeId, MessageFilter, MessageKind, MessageSide, MessageSummary, StreamHandle } from '#contract';
import type { Backend } from '../../../model/connection.svelte.ts';

const PAGE_ROWS = 200;
const FIND_ROWS = 10_000;
/** Rows that are held; those that were used longest ago go first. */
const MOST_ROWS = 6_000;
/** A text is looked for this long after the last key, milliseconds. */
const TYPING_MILLISECONDS = 150;

/** What kinds a list shows. */
export type KindGroup = 'all' | 'data' | 'control';

const KINDS_OF: Readonly<Record<KindGroup, readonly MessageKind[]>> = {
  all: [],
  data: ['text', 'binary', 'event', 'grpc', 'datagram'],
  control: ['close', 'ping', 'pong', 'comment', 'trailers', 'end-stream', 'unknown', 'gap'],
};

/**
 * The messages of one exchange as a list of which only a window is held. Without a filter the place of a message is its
 * sequence; with one the places are found by and by, while the list can be used already.
 */
export class MessageListModel {
  readonly exchange: ExchangeId;
  readonly #backend: Backend;
  readonly #rows = new Map<number, MessageSummary>();
  readonly #asked = new Set<number>();
  #stream: StreamHandle | null = null;
  #work = new AbortController();
  #typing: ReturnType<typeof setTimeout> | null = null;
  /** Messages that exist, as far as is known. */
  #known = $state(0);
  #side = $state<MessageSide | null>(null);
  #kinds = $state<KindGroup>('all');
  #text = $state('');
  /** Sequences that the filter leaves; null without a filter. */
  #found = $state.raw<readonly number[] | null>(null);
  #foundUpTo = 0;
  #searching = $state(false);
  #version = $state(0);
  #problem = $state.raw<ContractError | null>(null);
  #selected = $state<number | null>(null);
  #atTail = $state(true);
  /** What the list was as long as when its tail was seen last. */
  #seen = $state(0);

  constructor(backend: Backend, exchange: ExchangeId) {
    this.#backend = backend;
    this.exchange = exchange;
    this.#listen();
  }

  /** Rows of the list. */
  get total(): number {
    return this.#found?.length ?? this.#known;
  }

  /** Changes when `rowAt` may answer differently. */
  get version(): number {
    return this.#version;
  }

  get problem(): ContractError | null {
    return this.#problem;
  }

  get side(): MessageSide | null {
    return this.#side;
  }

  set side(side: MessageSide | null) {
    this.#side = side;
    this.#filterChanged(0);
  }

  get kinds(): KindGroup {
    return this.#kinds;
  }

  set kinds(kinds: KindGroup) {
    this.#kinds = kinds;
    this.#filterChanged(0);
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
    this.#filterChanged(TYPING_MILLISECONDS);
  }

  get isFiltered(): boolean {
    return this.#side !== null || this.#kinds !== 'all' || this.#text !== '';
  }

  /** The filter has not seen every message yet. */
  get searching(): boolean {
    return this.#searching;
  }

  /** Sequence of the chosen message. */
  get selected(): number | null {
    return this.#selected;
  }

  get selectedRow(): MessageSummary | null {
    void this.#version;
    return this.#selected === null ? null : (this.#rows.get(this.#selected) ?? null);
  }

  /** The last row stays in view as messages come: nothing is being read, and the list stands at its tail. */
  get follows(): boolean {
    return this.#atTail && this.#selected === null;
  }

  /** Messages that came since the tail was seen. */
  get unseen(): number {
    return this.follows ? 0 : Math.max(0, this.total - this.#seen);
  }

  setAtTail(atTail: boolean): void {
    this.#atTail = atTail;
    if (atTail) this.#seen = this.total;
  }

  select(sequence: number | null): void {
    if (this.#selected === null && sequence !== null) this.#seen = this.total;
    this.#selected = sequence;
  }

  clearFilter(): void {
    this.#side = null;
    this.#kinds = 'all';
    this.#text = '';
    this.#filterChanged(0);
  }

  /** Takes what the row of the exchange says of its messages. */
  count(messages: number): void {
    if (messages <= this.#known) return;
    this.#known = messages;
    this.#grown();
  }

  rowAt(index: number): MessageSummary | undefined {
    const sequence = this.#sequenceAt(index);
    return sequence === undefined ? undefined : this.#rows.get(sequence);
  }

  /** Place of a message in the list; -1 when the filter leaves it out. */
  indexOf(sequence: number): number {
    return this.#found === null ? sequence - 1 : this.#found.indexOf(sequence);
  }

  /** Whether all rows of a range can be drawn. */
  covers(first: number, end: number): boolean {
    for (let index = first; index < Math.min(end, this.total); index += 1) {
      if (this.rowAt(index) === undefined) return false;
    }
    return true;
  }

  /** Reads the rows of a range, and some beside them. */
  load(first: number, end: number): void {
    for (let index = first; index < Math.min(end, this.total); index += 1) {
      const sequence = this.#sequenceAt(index);
      if (sequence === undefined || this.#rows.has(sequence)) continue;
      void this.#loadPage(Math.floor((sequence - 1) / PAGE_ROWS));
    }
  }

  /** The message at a place, read if it has to be. */
  async messageAt(index: number): Promise<MessageSummary | undefined> {
    const sequence = this.#sequenceAt(index);
    if (sequence !== undefined && !this.#rows.has(sequence)) {
      await this.#loadPage(Math.floor((sequence - 1) / PAGE_ROWS));
    }
    return this.rowAt(index);
  }

  retry(): void {
    this.#problem = null;
    this.#asked.clear();
    this.#version += 1;
    if (this.#found !== null) void this.#find();
  }

  close(): void {
    this.#stream?.close();
    this.#work.abort();
    if (this.#typing !== null) clearTimeout(this.#typing);
  }

  #sequenceAt(index: number): number | undefined {
    if (this.#found !== null) return this.#found[index];
    return index < this.#known ? index + 1 : undefined;
  }

  #filter(): MessageFilter {
    return { side: this.#side, kinds: KINDS_OF[this.#kinds], text: this.#text };
  }

  #listen(): void {
    this.#stream = this.#backend.stream(
      'messages.added',
      { exchange: this.exchange },
      {
        items: (items) => {
          for (const message of items) this.#hold(message);
          const last = items.at(-1);
          if (last !== undefined) this.#known = Math.max(this.#known, last.sequence);
          this.#grown();
        },
        gap: () => {
          // The row of the exchange says how many there are; what is in view is read when it is wanted.
          this.#version += 1;
        },
      },
    );
  }

  #grown(): void {
    this.#version += 1;
    if (this.follows) this.#seen = this.total;
    if (this.#found !== null && !this.#searching) void this.#find();
  }

  #filterChanged(delay: number): void {
    if (this.#typing !== null) clearTimeout(this.#typing);
    this.#work.abort();
    this.#work = new AbortController();
    this.#asked.clear();
    this.#foundUpTo = 0;
    this.#searching = false;
    this.#atTail = true;
    if (!this.isFiltered) {
      this.#found = null;
      this.#version += 1;
      // What the filter hid is not new.
      this.#seen = this.total;
      return;
    }
    this.#typing = setTimeout(() => {
      this.#typing = null;
      this.#found = [];
      void this.#find();
    }, delay);
  }

  /** Goes on finding what the filter leaves, up to the newest message. */
  async #find(): Promise<void> {
    const { signal } = this.#work;
    const anew = this.#foundUpTo === 0;
    this.#searching = true;
    try {
      while (this.#foundUpTo < this.#known) {
        const upTo = this.#known;
        const input = { exchange: this.exchange, filter: this.#filter(), after: this.#foundUpTo, limit: FIND_ROWS };
        const { sequences, next } = await this.#backend.call('messages.find', input, { signal });
        if (signal.aborted) return;
        this.#foundUpTo = next ?? Math.max(upTo, sequences.at(-1) ?? 0);
        if (sequences.length > 0) this.#found = [...(this.#found ?? []), ...sequences];
        this.#version += 1;
      }
      if (this.follows || anew) this.#seen = this.total;
    } catch (error: unknown) {
      if (!signal.aborted) this.#problem = asContractError(error);
    } finally {
      if (!signal.aborted) this.#searching = false;
    }
  }

  async #loadPage(page: number): Promise<void> {
    if (this.#asked.has(page)) return;
    const { signal } = this.#work;
    this.#asked.add(page);
    try {
      const { rows } = await this.#backend.call(
        'messages.page',
        {
          exchange: this.exchange,
          filter: { side: null, kinds: [], text: '' },
          after: page * PAGE_ROWS,
          limit: PAGE_ROWS,
        },
        { signal },
      );
      for (const row of rows) this.#hold(row);
      this.#version += 1;
    } catch (error: unknown) {
      if (!signal.aborted) this.#problem = asContractError(error);
    } finally {
      this.#asked.delete(page);
    }
  }

  #hold(message: MessageSummary): void {
    this.#rows.delete(message.sequence);
    this.#rows.set(message.sequence, message);
    for (const sequence of this.#rows.keys()) {
      if (this.#rows.size <= MOST_ROWS) return;
      if (sequence !== this.#selected) this.#rows.delete(sequence);
    }
  }
}

function asContractError(error: unknown): ContractError {
  return error instanceof ContractError ? error : new ContractError('internal', String(error));
}
