import { ContractError, MAX_WINDOW_BYTES } from '#contract';
import type { BodyForm, BodyWindow, ExchangeId, MessageDetail, MessageSide } from '#contract';
import type { Backend } from '../../model/connection.svelte.ts';
import type { ByteSource } from '../../ui/byte-source.ts';
import { contentOf } from './content/content-kind.ts';
import type { Content } from './content/content-kind.ts';
import { readWindows } from './viewed-body.ts';
import type { ViewedBody } from './viewed-body.ts';

/** No body is as long, bytes. */
const BEYOND_ALL = 2 ** 48;

function isUntold({ kind, type }: Content): boolean {
  return kind === 'binary' || (kind === 'text' && (type === null || type === 'application/octet-stream'));
}

/** One body of the shown exchange: its first window, and how to read the rest. Nothing beyond windows is ever held. */
export class BodyModel implements ViewedBody {
  readonly id: ExchangeId;
  readonly side: MessageSide;
  readonly #backend: Backend;
  readonly #loading = new AbortController();
  #message = $state.raw<MessageDetail>() as MessageDetail;
  #first = $state.raw<BodyWindow | null>(null);
  #problem = $state.raw<ContractError | null>(null);
  #busy = false;
  /** Somebody says that it is a message of Protocol Buffers, where nothing else says what it is. */
  readAsProtobuf = $state(false);

  constructor(backend: Backend, id: ExchangeId, side: MessageSide, message: MessageDetail) {
    this.#backend = backend;
    this.id = id;
    this.side = side;
    this.#message = message;
    void this.#readFirst();
  }

  get message(): MessageDetail {
    return this.#message;
  }

  get first(): BodyWindow | null {
    return this.#first;
  }

  get problem(): ContractError | null {
    return this.#problem;
  }

  get decodedBytes(): number {
    const first = this.#first;
    if (first === null) return 0;
    return (
      first.totalBytes ?? (this.encoded ? first.bytes.length : Math.max(first.bytes.length, this.#message.storedBytes))
    );
  }

  /** Some content coding was applied, so that what is stored is not what is read. */
  get encoded(): boolean {
    return this.#message.contentEncoding.some((coding) => coding !== 'identity');
  }

  get content(): Content {
    const told = contentOf(this.#first?.bytes ?? new Uint8Array(), this.#message.mediaType);
    return this.readAsProtobuf && isUntold(told) ? { ...told, kind: 'protobuf' } : told;
  }

  /** Somebody may know better than its head what it is: nothing says so but that it is bytes. */
  get isUntold(): boolean {
    return isUntold(contentOf(this.#first?.bytes ?? new Uint8Array(), this.#message.mediaType));
  }

  get charset(): string | null {
    return this.#message.charset;
  }

  /** Takes what is known of the message now; while it still comes, its beginning may have grown. */
  update(message: MessageDetail): void {
    const grown = message.storedBytes !== this.#message.storedBytes || message.bodyBytes !== this.#message.bodyBytes;
    this.#message = message;
    if (grown) void this.#readFirst();
  }

  /** Tries again after a problem. */
  retry(): void {
    this.#problem = null;
    void this.#readFirst();
  }

  async read(form: BodyForm, offset: number, length: number, signal: AbortSignal): Promise<BodyWindow> {
    return this.#backend.call(
      'exchanges.readBody',
      { id: this.id, side: this.side, form, offset, length: Math.min(length, MAX_WINDOW_BYTES) },
      { signal },
    );
  }

  async readUpTo(limit: number, signal: AbortSignal, onprogress: (bytes: number) => void = () => undefined) {
    return readWindows((offset, length) => this.read('decoded', offset, length, signal), limit, onprogress);
  }

  source(form: BodyForm): ByteSource {
    return {
      size: form === 'decoded' ? this.decodedBytes : this.#message.storedBytes,
      read: async (offset, length, signal) => (await this.read(form, offset, length, signal)).bytes,
    };
  }

  close(): void {
    this.#loading.abort();
  }

  /** A long body shows while it is still being decoded; how it ends, and how long it is, is known after that. */
  async #readEnd(seen: number): Promise<void> {
    try {
      const { totalBytes, stopped } = await this.read('decoded', BEYOND_ALL, 1, this.#loading.signal);
      const first = this.#first;
      if (first !== null && this.#message.storedBytes === seen) this.#first = { ...first, totalBytes, stopped };
    } catch {
      // What was read shows; a view that reads on meets the problem itself and says it.
    }
  }

  async #readFirst(): Promise<void> {
    if (this.#busy || this.#message.storedBytes === 0) return;
    this.#busy = true;
    const seen = this.#message.storedBytes;
    try {
      this.#first = await this.read('decoded', 0, MAX_WINDOW_BYTES, this.#loading.signal);
      if (this.#first.totalBytes === null) void this.#readEnd(seen);
    } catch (error: unknown) {
      if (this.#loading.signal.aborted) return;
      this.#problem = error instanceof ContractError ? error : new ContractError('internal', String(error));
    } finally {
      this.#busy = false;
    }
    if (this.#message.storedBytes !== seen) void this.#readFirst();
  }
}
