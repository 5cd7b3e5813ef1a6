import type { ResponseHead } from '../protocol/http1/index.ts';
import type { HeaderToSend, Http2Connection, Http2Stream } from '../protocol/http2/index.ts';
import { http2ResponseFields, recordForm } from './http2-heads.ts';

/** Heads that are remembered. */
const KEPT = 4;
/** Longer heads are not remembered, bytes. */
const LONGEST = 2_048;

interface KnownHead {
  readonly head: Buffer;
  readonly framing: ResponseHead['framing'];
  readonly appendedLines: string;
  readonly fields: readonly HeaderToSend[];
  form: Buffer | null;
  /** The header block that it made, and the state of the encoder in which it makes the same again; null at first. */
  block: Buffer | null;
  generation: number;
}

/**
 * Sends response heads of HTTP/1 on the streams of one connection. Origins say the same head again and again, but for the
 * second in its Date: it is then translated once, and encoded once as soon as all of it stands in the peer's table.
 */
export class Http2ResponseHeads<Owner> {
  readonly #connection: Http2Connection<Owner>;
  readonly #known: KnownHead[] = [];
  #next = 0;

  constructor(connection: Http2Connection<Owner>) {
    this.#connection = connection;
  }

  /**
   * Sends a final head.
   *
   * @param wantsForm the form for the record is wanted
   * @returns that form, or null
   */
  send(
    stream: Http2Stream<Owner>,
    head: ResponseHead,
    appendedLines: string,
    endStream: boolean,
    wantsForm: boolean,
  ): Buffer | null {
    // What is not sent must not be encoded either: the peer's table would not follow.
    if (stream.closed || stream.localEnded) return null;
    const known = this.#find(head, appendedLines);
    const connection = this.#connection;
    const generation = connection.encoderGeneration;
    if (known.block === null || known.generation !== generation || generation === -1) {
      const block = connection.encodeBlock(known.fields);
      connection.sendBlock(stream, block, endStream);
      // Octets that changed the table mean something else the next time.
      known.block = connection.encoderGeneration === generation ? block : null;
      known.generation = generation;
    } else connection.sendBlock(stream, known.block, endStream);
    return wantsForm ? (known.form ??= recordForm(known.fields)) : null;
  }

  #find(head: ResponseHead, appendedLines: string): KnownHead {
    const { bytes, framing } = head;
    for (const known of this.#known) {
      const isAlike = known.head.length === bytes.length && known.framing === framing;
      if (isAlike && known.appendedLines === appendedLines && known.head.equals(bytes)) return known;
    }
    const fields = http2ResponseFields(head, appendedLines);
    const known = { head: bytes, framing, appendedLines, fields, form: null, block: null, generation: 0 };
    if (bytes.length <= LONGEST) {
      this.#known[this.#next] = known;
      this.#next = (this.#next + 1) % KEPT;
    }
    return known;
  }
}
