import { MAX_WINDOW_BYTES } from '#contract';
import type { ExchangeDetail, ExchangeId, MessageSide } from '#contract';
import type { Backend } from '../../model/connection.svelte.ts';
import { inWorker } from '../../model/in-worker.ts';
import { compareBodies, type BodyDifference, type ComparedBody } from './compare-bodies.ts';
import { readConversation } from './read-conversation.ts';

/** Of longer bodies the beginning is compared, bytes. */
export const MOST_COMPARED_BYTES = 2_097_152;
/** Shorter bodies are compared at once: that takes less than starting a worker, bytes. */
const WORKER_FROM = 30_000;

/** A difference of bodies, or why there is none to show. */
export type BodyOutcome = BodyDifference | { readonly kind: 'failed'; readonly reason: string };

/** Two exchanges side by side. */
export class CompareModel {
  readonly #backend: Backend;
  #reading = new AbortController();
  #left = $state.raw<ExchangeDetail | null>(null);
  #right = $state.raw<ExchangeDetail | null>(null);
  #problem = $state<string | null>(null);
  #bodies = $state.raw<Readonly<Record<MessageSide, BodyOutcome | null>>>({ request: null, response: null });

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  get left(): ExchangeDetail | null {
    return this.#left;
  }

  get right(): ExchangeDetail | null {
    return this.#right;
  }

  get problem(): string | null {
    return this.#problem;
  }

  /** Null while it is being made. */
  get bodies(): Readonly<Record<MessageSide, BodyOutcome | null>> {
    return this.#bodies;
  }

  async show(left: ExchangeId, right: ExchangeId): Promise<void> {
    this.close();
    const { signal } = this.#reading;
    this.#left = null;
    this.#right = null;
    this.#problem = null;
    this.#bodies = { request: null, response: null };
    try {
      const get = (id: ExchangeId): Promise<ExchangeDetail> => this.#backend.call('exchanges.get', { id }, { signal });
      const [one, other] = await Promise.all([get(left), get(right)]);
      if (signal.aborted) return;
      this.#left = one;
      this.#right = other;
      for (const side of ['request', 'response'] as const) {
        const outcome = await this.#compare(one, other, side, signal);
        if (signal.aborted) return;
        this.#bodies = { ...this.#bodies, [side]: outcome };
      }
    } catch (error: unknown) {
      if (!signal.aborted) this.#problem = error instanceof Error ? error.message : String(error);
    }
  }

  /** Ends what is being read and compared. */
  close(): void {
    this.#reading.abort();
    this.#reading = new AbortController();
  }

  async #compare(
    left: ExchangeDetail,
    right: ExchangeDetail,
    side: MessageSide,
    signal: AbortSignal,
  ): Promise<BodyOutcome> {
    try {
      const [one, other] = await Promise.all([this.#read(left, side, signal), this.#read(right, side, signal)]);
      return await compareAside(one, other, signal);
    } catch (error: unknown) {
      return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
    }
  }

  async #read(detail: ExchangeDetail, side: MessageSide, signal: AbortSignal): Promise<ComparedBody> {
    if (detail.summary.kind === 'websocket') {
      const bytes = await readConversation(this.#backend, detail.summary.id, side, MOST_COMPARED_BYTES, signal);
      return { bytes, mediaType: 'text/plain', charset: 'utf-8' };
    }
    const message = detail[side];
    const parts: Uint8Array[] = [];
    let length = 0;
    while (message !== null && message.storedBytes > 0 && length < MOST_COMPARED_BYTES) {
      const { id } = detail.summary;
      const input = { id, side, form: 'decoded', offset: length, length: MAX_WINDOW_BYTES } as const;
      const { bytes, totalBytes } = await this.#backend.call('exchanges.readBody', input, { signal });
      if (bytes.length === 0) break;
      parts.push(bytes);
      length += bytes.length;
      if (totalBytes !== null && length >= totalBytes) break;
    }
    const bytes = new Uint8Array(await new Blob(parts.map((part) => new Uint8Array(part))).arrayBuffer());
    return { bytes, mediaType: message?.mediaType ?? null, charset: message?.charset ?? null };
  }
}

/** Compares without holding up the page. */
function compareAside(left: ComparedBody, right: ComparedBody, signal: AbortSignal): Promise<BodyDifference> {
  if (left.bytes.length + right.bytes.length < WORKER_FROM) return Promise.resolve(compareBodies(left, right));
  const start = (): Worker => new Worker(new URL('./compare-worker.ts', import.meta.url), { type: 'module' });
  return inWorker(start, { left, right }, signal);
}
