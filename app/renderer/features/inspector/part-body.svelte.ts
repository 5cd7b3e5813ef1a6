import { ContractError, MAX_WINDOW_BYTES } from '#contract';
import type { BodyForm, BodyWindow } from '#contract';
import type { ByteSource } from '../../ui/byte-source.ts';
import { contentOf } from './content/content-kind.ts';
import type { Content } from './content/content-kind.ts';
import type { MultipartPart } from './content/multipart.ts';
import { readWindows } from './viewed-body.ts';
import type { ViewedBody } from './viewed-body.ts';

/** One part of a multipart body as a body of its own: a range of what it stands in. */
export class PartBody implements ViewedBody {
  readonly #within: ViewedBody;
  readonly #part: MultipartPart;
  readonly #loading = new AbortController();
  #first = $state.raw<BodyWindow | null>(null);
  #problem = $state.raw<ContractError | null>(null);

  constructor(within: ViewedBody, part: MultipartPart) {
    this.#within = within;
    this.#part = part;
    this.#readFirst().catch((error: unknown) => {
      if (this.#loading.signal.aborted) return;
      this.#problem = error instanceof ContractError ? error : new ContractError('internal', String(error));
    });
  }

  get first(): BodyWindow | null {
    return this.#first;
  }

  get problem(): ContractError | null {
    return this.#problem;
  }

  get decodedBytes(): number {
    return this.#part.end - this.#part.from;
  }

  get content(): Content {
    return contentOf(this.#first?.bytes ?? new Uint8Array(), this.#part.type);
  }

  get charset(): string | null {
    return /;\s*charset="?([^\s;"]+)/i.exec(this.#part.contentType ?? '')?.[1]?.toLowerCase() ?? null;
  }

  /** A part has no content coding of its own, so both forms are its bytes. */
  async read(_form: BodyForm, offset: number, length: number, signal: AbortSignal): Promise<BodyWindow> {
    const { from, end } = this.#part;
    const most = Math.min(length, MAX_WINDOW_BYTES, end - from - offset);
    if (most <= 0) return { bytes: new Uint8Array(), totalBytes: end - from, stopped: null };
    const { bytes } = await this.#within.read('decoded', from + offset, most, signal);
    return { bytes, totalBytes: end - from, stopped: null };
  }

  async readUpTo(limit: number, signal: AbortSignal, onprogress: (bytes: number) => void = () => undefined) {
    return readWindows((offset, length) => this.read('decoded', offset, length, signal), limit, onprogress);
  }

  source(form: BodyForm): ByteSource {
    return {
      size: this.decodedBytes,
      read: async (offset, length, signal) => (await this.read(form, offset, length, signal)).bytes,
    };
  }

  close(): void {
    this.#loading.abort();
  }

  async #readFirst(): Promise<void> {
    this.#first = await this.read('decoded', 0, MAX_WINDOW_BYTES, this.#loading.signal);
  }
}
