import { ContractError, MAX_WINDOW_BYTES } from '#contract';
import type { BodyForm, BodyWindow, ExchangeId, MessageDetail, MessageSide } from '#contract';
import type { Backend } from '../../model/connection.svelte.ts';
import type { ByteSource } from '../../ui/byte-source.ts';
import { contentOf } from './content/content-kind.ts';
import type { Content } from './content/content-kind.ts';

/** One body of the shown exchange: its first window, and how to read the rest. Nothing beyond windows is ever held. */
export class BodyModel {
  readonly id: ExchangeId;
  readonly side: MessageSide;
  readonly #backend: Backend;
  readonly #loading = new AbortController();
  #message = $state.raw<MessageDetail>() as MessageDetail;
  #first = $state.raw<BodyWindow | null>(null);
  #problem = $state.raw<ContractError | null>(null);
  #busy = false;

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

  /** The decoded beginning; null until it was read. */
  get first(): BodyWindow | null {
    return this.#first;
  }

  get problem(): ContractError | null {
    return this.#problem;
  }

  /** Bytes of the decoded body, as far as is known now. */
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
    return contentOf(this.#first?.bytes ?? new Uint8Array(), this.#message.mediaType);
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

  /**
   * One window of the body.
   * @throws ContractError
   */
  async read(form: BodyForm, offset: number, length: number, signal: AbortSignal): Promise<BodyWindow> {
    return this.#backend.call(
      'exchanges.readBody',
      { id: this.id, side: this.side, form, offset, length: Math.min(length, MAX_WINDOW_BYTES) },
      { signal },
    );
  }

  /**
   * Everything up to `limit` bytes of the decoded body.
   * @param onprogress called with the bytes read so far
   * @throws ContractError
   */
  async readUpTo(
    limit: number,
    signal: AbortSignal,
    onprogress: (bytes: number) => void = () => undefined,
  ): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let length = 0;
    while (length < limit) {
      const { bytes, totalBytes } = await this.read('decoded', length, limit - length, signal);
      if (bytes.length === 0) break;
      parts.push(bytes);
      length += bytes.length;
      onprogress(length);
      if (totalBytes !== null && length >= totalBytes) break;
    }
    return joined(parts, length);
  }

  /** The body for a view of bytes. */
  source(form: BodyForm): ByteSource {
    return {
      size: form === 'decoded' ? this.decodedBytes : this.#message.storedBytes,
      read: async (offset, length, signal) => (await this.read(form, offset, length, signal)).bytes,
    };
  }

  close(): void {
    this.#loading.abort();
  }

  async #readFirst(): Promise<void> {
    if (this.#busy || this.#message.storedBytes === 0) return;
    this.#busy = true;
    const seen = this.#message.storedBytes;
    try {
      this.#first = await this.read('decoded', 0, MAX_WINDOW_BYTES, this.#loading.signal);
    } catch (error: unknown) {
      if (this.#loading.signal.aborted) return;
      this.#problem = error instanceof ContractError ? error : new ContractError('internal', String(error));
    } finally {
      this.#busy = false;
    }
    if (this.#message.storedBytes !== seen) void this.#readFirst();
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const only = parts[0];
  if (parts.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
