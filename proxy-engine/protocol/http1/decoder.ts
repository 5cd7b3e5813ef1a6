import { ChunkScanner } from './chunk-scanner.ts';
import { CR, LF } from './characters.ts';
import { asResponseFailure, failure } from './failure.ts';
import { HeldBytes } from './held-bytes.ts';
import type {
  FieldTable,
  Http1Decoder,
  Http1Failure,
  Http1Limits,
  Http1Sink,
  Http1Tolerance,
  MessageHead,
  RequestHead,
  ResponseHead,
} from './message.ts';
import { readRequestHead } from './request-reader.ts';
import { readResponseHead } from './response-reader.ts';
import { SectionScanner, SPAN } from './section-scanner.ts';

/** A head of at most this many bytes is remembered, since connections repeat themselves. */
export const REMEMBERED_BYTES = 2_048;

/** Decodes the requests of one client connection. Call `next()` between two messages. */
export function createRequestDecoder(limits: Http1Limits, tolerance: Http1Tolerance): Http1Decoder<RequestHead> {
  return new RequestDecoder(limits, 'request', tolerance);
}

/** Decodes the responses of one origin connection. Call `next(method)` before the first one too. */
export function createResponseDecoder(limits: Http1Limits, tolerance: Http1Tolerance): Http1Decoder<ResponseHead> {
  return new ResponseDecoder(limits, 'response', tolerance);
}

/**
 * What requests and responses have in common: a head, held together when it comes in several segments, and a body whose
 * bytes are only pointed at.
 *
 *   head → body → done → (next) → head …       any → failed
 */
abstract class MessageDecoder<Head extends MessageHead> implements Http1Decoder<Head> {
  phase: 'head' | 'body' | 'done' | 'failed' = 'head';
  failure: Http1Failure | null = null;

  readonly #scanner: SectionScanner;
  readonly #side: 'request' | 'response';
  readonly #headBytes: number;
  readonly #tolerance: Http1Tolerance;
  readonly #limits: Http1Limits;
  #chunks: ChunkScanner | null = null;
  /** A head that is not complete yet, or the one that was refused. */
  readonly #held = new HeldBytes();
  /** Empty lines before the start line: bytes skipped so far, and whether a CR without its LF is among them. */
  #skipped = 0;
  #afterCarriageReturn = false;
  #framing: MessageHead['framing'] = 'none';
  #remaining = 0;
  /** The last head, and the key that it was read with. */
  #last: Head | null = null;
  #lastKey = '';

  constructor(limits: Http1Limits, side: 'request' | 'response', tolerance: Http1Tolerance) {
    this.#limits = limits;
    this.#side = side;
    this.#headBytes = limits.headBytes;
    this.#tolerance = tolerance;
    this.#scanner = new SectionScanner(limits, {
      startLine: side,
      bareLineFeed: tolerance.bareLineFeed,
      irregularFields: side === 'response',
    });
  }

  /** What the reading of a head depends on beside its bytes. */
  protected abstract get key(): string;

  protected abstract read(bytes: Buffer, table: FieldTable, skippedEmptyLines: boolean): Head | Http1Failure;

  get midMessage(): boolean {
    return this.phase === 'body' || (this.phase === 'head' && this.#held.length > 0);
  }

  get partialHead(): Buffer {
    return this.#held.bytes;
  }

  next(): void {
    if (this.phase === 'failed') return;
    this.phase = 'head';
    this.#scanner.begin();
    this.#held.clear();
    this.#skipped = 0;
    this.#afterCarriageReturn = false;
  }

  receive(bytes: Buffer, start: number, sink: Http1Sink<Head>): number {
    const position = this.phase === 'head' ? this.#receiveHead(bytes, start, sink) : start;
    return this.phase === 'body' && position < bytes.length ? this.#receiveBody(bytes, position, sink) : position;
  }

  receiveEof(sink: Http1Sink<Head>): void {
    if (this.phase === 'body' && this.#framing === 'until-close') this.#end(sink);
  }

  #receiveHead(bytes: Buffer, start: number, sink: Http1Sink<Head>): number {
    const scanner = this.#scanner;
    const heldBefore = this.#held.length;
    if (heldBefore === 0) {
      const base = this.#side === 'request' ? this.#skipEmptyLines(bytes, start) : start;
      if (base === bytes.length || this.phase === 'failed') return base;
      const last = this.#last;
      if (last !== null && this.#repeats(last, bytes, base)) {
        this.#begin(last, sink);
        return base + last.bytes.length;
      }
      const stop = scanner.scan(bytes, base, bytes.length, base);
      if (scanner.complete) {
        // Its own copy, since the segment is borrowed.
        const head = Buffer.allocUnsafe(stop - base);
        bytes.copy(head, 0, base, stop);
        this.#last = null;
        this.#finishHead(head, sink);
      } else {
        this.#hold(bytes, base);
        if (scanner.fault !== null) this.#fail(scanner.fault);
        return scanner.fault === null ? bytes.length : stop;
      }
      return stop;
    }
    this.#hold(bytes, start);
    const held = this.#held.bytes;
    const stop = scanner.scan(held, heldBefore, held.length, 0);
    const position = start + stop - heldBefore;
    if (scanner.complete) {
      this.#finishHead(this.#held.take(stop), sink);
    } else if (scanner.fault !== null) {
      this.#fail(scanner.fault);
    }
    return position;
  }

  /** Skips the empty lines that some clients send after a body (RFC 9112 §2.2). */
  #skipEmptyLines(bytes: Buffer, start: number): number {
    let position = start;
    while (position < bytes.length) {
      const byte = bytes[position];
      if (this.#afterCarriageReturn) {
        if (byte !== LF) {
          this.#fail(failure('http1.line-end', 'A carriage return stands without the line feed that must follow it.'));
          break;
        }
        this.#afterCarriageReturn = false;
      } else if (byte === CR) {
        this.#afterCarriageReturn = true;
      } else if (byte !== LF || !this.#tolerance.bareLineFeed) {
        break;
      }
      position++;
      if (++this.#skipped > this.#headBytes) {
        this.#fail(
          failure(
            'http1.head-too-large',
            `More than ${String(this.#headBytes)} bytes of empty lines (limit headBytes).`,
          ),
        );
        break;
      }
    }
    return position;
  }

  /** Appends what may still belong to the head. */
  #hold(bytes: Buffer, start: number): void {
    const end = Math.min(bytes.length, start + this.#headBytes - this.#held.length);
    if (end > start) this.#held.append(bytes, start, end);
  }

  #finishHead(bytes: Buffer, sink: Http1Sink<Head>): void {
    const scanner = this.#scanner;
    const head = this.read(
      bytes,
      {
        spans: scanner.spans.slice(0, scanner.fieldCount * SPAN.size),
        count: scanner.fieldCount,
        kinds: scanner.kinds,
        irregular: scanner.irregular,
        startLineEnd: scanner.startLineEnd,
        fieldsEnd: scanner.fieldsEnd,
      },
      this.#skipped > 0,
    );
    if ('code' in head) {
      this.#held.append(bytes, 0, bytes.length);
      this.#fail(head);
      return;
    }
    if (bytes.length <= REMEMBERED_BYTES && this.#skipped === 0) {
      this.#last = head;
      this.#lastKey = this.key;
    }
    this.#begin(head, sink);
  }

  /** Whether a segment holds the same head once more: it would be read as the last one was. */
  #repeats({ bytes: last }: Head, bytes: Buffer, base: number): boolean {
    const end = base + last.length;
    return (
      end <= bytes.length && this.#skipped === 0 && this.key === this.#lastKey && last.compare(bytes, base, end) === 0
    );
  }

  #begin(head: Head, sink: Http1Sink<Head>): void {
    this.#framing = head.framing;
    this.#remaining = head.contentLength;
    this.phase = 'body';
    if (head.framing === 'chunked') {
      this.#chunks ??= new ChunkScanner(this.#limits);
      this.#chunks.begin();
    }
    sink.onHead(head);
    if (head.framing === 'none' || (head.framing === 'length' && head.contentLength === 0)) this.#end(sink);
  }

  #receiveBody(bytes: Buffer, start: number, sink: Http1Sink<Head>): number {
    const chunks = this.#chunks;
    if (this.#framing === 'chunked' && chunks !== null) {
      const stop = chunks.scan(bytes, start, sink);
      if (stop > start) sink.onWire(bytes, start, stop);
      if (chunks.fault !== null) this.#fail(chunks.fault);
      else if (chunks.complete) this.#end(sink);
      return stop;
    }
    const stop = this.#framing === 'length' ? Math.min(bytes.length, start + this.#remaining) : bytes.length;
    sink.onPayload(bytes, start, stop);
    sink.onWire(bytes, start, stop);
    if (this.#framing === 'length') {
      this.#remaining -= stop - start;
      if (this.#remaining === 0) this.#end(sink);
    }
    return stop;
  }

  #end(sink: Http1Sink<Head>): void {
    this.phase = 'done';
    sink.onEnd();
  }

  #fail(fault: Http1Failure): void {
    this.phase = 'failed';
    this.failure = this.#side === 'response' ? asResponseFailure(fault) : fault;
  }
}

class RequestDecoder extends MessageDecoder<RequestHead> {
  protected override readonly key = '';

  protected override read(bytes: Buffer, table: FieldTable, skippedEmptyLines: boolean): RequestHead | Http1Failure {
    return readRequestHead(bytes, table, skippedEmptyLines);
  }
}

class ResponseDecoder extends MessageDecoder<ResponseHead> {
  #requestMethod = '';

  protected override get key(): string {
    return this.#requestMethod;
  }

  override next(requestMethod = ''): void {
    super.next();
    this.#requestMethod = requestMethod;
  }

  protected override read(bytes: Buffer, table: FieldTable): ResponseHead | Http1Failure {
    return readResponseHead(bytes, table, this.#requestMethod);
  }
}
