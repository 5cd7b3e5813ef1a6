import type { HeadKind, Http2Head } from './head.ts';

/** Heads that are remembered; programs that repeat themselves do so with few. */
const REMEMBERED = 4;
/** Longer blocks are not remembered, octets. */
const LONGEST_BLOCK = 1_024;

interface KnownHead {
  readonly block: Buffer;
  readonly generation: number;
  readonly kind: HeadKind;
  readonly head: Http2Head;
}

/**
 * Heads that came lately by the octets that they came as. The same octets mean the same head as long as the table of the
 * decoder stays as it was: many programs send the same head thousands of times, and it is then decoded and judged once.
 */
export class HeadCache {
  readonly #known: KnownHead[] = [];
  #next = 0;

  /** @param generation the decoder's, before the block */
  find(bytes: Buffer, start: number, end: number, generation: number, kind: HeadKind): Http2Head | null {
    for (const known of this.#known) {
      if (known.block.length !== end - start || known.generation !== generation || known.kind !== kind) continue;
      if (known.block.compare(bytes, start, end) === 0) return known.head;
    }
    return null;
  }

  /** @param generation the decoder's, which the block has not changed */
  keep(bytes: Buffer, start: number, end: number, generation: number, kind: HeadKind, head: Http2Head): void {
    if (end - start > LONGEST_BLOCK) return;
    this.#known[this.#next] = { block: Buffer.from(bytes.subarray(start, end)), generation, kind, head };
    this.#next = (this.#next + 1) % REMEMBERED;
  }
}
