import type { MessageKind } from '#contract';
import type { RunCollector } from '../run-collector.ts';

/** Characters of a preview. */
const PREVIEW_CHARACTERS = 160;
/** Bytes that a preview can need: four a character. */
const PREVIEW_BYTES = 4 * PREVIEW_CHARACTERS;
/** Bytes of a preview in hex. */
const PREVIEW_HEX_BYTES = 48;

const TEXT_KINDS: ReadonlySet<MessageKind> = new Set(['text', 'event', 'comment', 'trailers', 'end-stream']);

/** Where a payload stands: in its row, in the `body` as it came, or in the run of `messages` as it is read. */
export type PayloadRun = 'row' | 'body' | 'messages';

/** A payload as its row holds it. */
export interface StoredPayload {
  readonly run: PayloadRun;
  readonly place: number;
  readonly storedBytes: number;
  /** Of a payload in its row. */
  readonly inline: Buffer | null;
  readonly bytes: number;
  readonly preview: string;
}

/** Takes one payload in pieces and keeps what does not stand in the body anyway. */
export class PayloadKeeper {
  readonly #messages: () => RunCollector;
  #run: 'body' | 'messages' = 'body';
  #place = 0;
  #bytes = 0;
  #head: Buffer[] = [];

  /** @param messages the run of payloads of its side, made when it is needed */
  constructor(messages: () => RunCollector) {
    this.#messages = messages;
  }

  /** @param inBody where in the body the payload begins as it is; null when it does not stand there */
  begin(inBody: number | null): void {
    this.#run = inBody === null ? 'messages' : 'body';
    this.#place = inBody ?? this.#messages().bytes;
    this.#bytes = 0;
    this.#head = [];
  }

  /** @param bytes borrowed until the next commit */
  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#bytes < PREVIEW_BYTES) this.#head.push(bytes.subarray(0, PREVIEW_BYTES - this.#bytes));
    this.#bytes += bytes.length;
    if (this.#run === 'messages') this.#messages().add(bytes);
  }

  finish(kind: MessageKind): StoredPayload {
    return {
      run: this.#run,
      place: this.#place,
      storedBytes: this.#bytes,
      inline: null,
      bytes: this.#bytes,
      preview: previewOf(kind, Buffer.concat(this.#head)),
    };
  }

  /** Makes what is borrowed its own: the commit comes. */
  settle(): void {
    if (this.#head.length > 0) this.#head = [Buffer.concat(this.#head)];
  }
}

/** A short payload that stands in its row. */
export function payloadInRow(bytes: Buffer, preview: string): StoredPayload {
  return { run: 'row', place: 0, storedBytes: bytes.length, inline: bytes, bytes: bytes.length, preview };
}

/** The beginning of a payload for a list: text, or hex in pairs. */
export function previewOf(kind: MessageKind, head: Buffer): string {
  if (!TEXT_KINDS.has(kind)) {
    return head
      .subarray(0, PREVIEW_HEX_BYTES)
      .toString('hex')
      .replace(/..(?=.)/g, '$& ');
  }
  // A character that the beginning ends in is left out; one that is broken shows as U+FFFD.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(head, { stream: true });
  return [...text.slice(0, 2 * PREVIEW_CHARACTERS)].slice(0, PREVIEW_CHARACTERS).join('');
}
