import { DEFAULT_LIMITS } from '../../proxy-engine/model/engine-config.ts';
import { createRequestDecoder, createResponseDecoder } from '../../proxy-engine/protocol/http1/index.ts';
import type {
  Http1Decoder,
  Http1Failure,
  Http1Limits,
  Http1Sink,
  MessageHead,
  RequestHead,
  ResponseHead,
} from '../../proxy-engine/protocol/http1/index.ts';

export interface PlayOptions {
  readonly limits?: Partial<Http1Limits>;
  readonly bareLineFeed?: boolean;
  /** Methods that the responses answer, in order; the last one holds for the rest. */
  readonly methods?: readonly string[];
  /** Messages to read before the rest is left alone; all by default. */
  readonly messages?: number;
  /** The peer ends its side after the last segment. */
  readonly eof?: boolean;
}

/** What a decoder made of one byte stream. Runs of payload and framing are joined, so that splits do not show. */
export interface Transcript<Head extends MessageHead> {
  readonly heads: readonly Head[];
  /** One line an event, in order: `head …`, `payload …`, `framing …`, `trailers …`, `end`, `failed …`. */
  readonly events: readonly string[];
  /** Body section bytes as they would be relayed. */
  readonly wire: string;
  readonly failure: Http1Failure | null;
  /** Bytes that no message took. */
  readonly rest: string;
  readonly midMessage: boolean;
}

/** Plays segments to a fresh request decoder. */
export function playRequests(segments: readonly Buffer[], options: PlayOptions = {}): Transcript<RequestHead> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const decoder = createRequestDecoder(limits, { bareLineFeed: options.bareLineFeed ?? false });
  return play(decoder, segments, options);
}

/** Plays segments to a fresh response decoder. */
export function playResponses(segments: readonly Buffer[], options: PlayOptions = {}): Transcript<ResponseHead> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const decoder = createResponseDecoder(limits, { bareLineFeed: options.bareLineFeed ?? false });
  return play(decoder, segments, options);
}

type Player<Head extends MessageHead> = (segments: readonly Buffer[], options: PlayOptions) => Transcript<Head>;

/**
 * Plays a stream whole, byte by byte and split at every point, and throws unless all agree.
 * @returns the transcript of the whole
 */
export function playEveryWay<Head extends MessageHead>(
  player: Player<Head>,
  text: string | Buffer,
  options: PlayOptions = {},
): Transcript<Head> {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  const whole = player([bytes], options);
  const expected = fingerprint(whole);
  const check = (segments: readonly Buffer[], how: string): void => {
    const found = fingerprint(player(segments, options));
    if (found !== expected) throw new Error(`${how} the transcript differs:\n${found}\nwhole:\n${expected}`);
  };
  check(
    Array.from(bytes, (byte) => Buffer.of(byte)),
    'byte by byte',
  );
  for (let at = 1; at < bytes.length; at++) {
    check([bytes.subarray(0, at), bytes.subarray(at)], `split at ${String(at)}`);
  }
  return whole;
}

/** Everything that must not depend on how a stream was split. */
export function fingerprint(transcript: Transcript<MessageHead>): string {
  return JSON.stringify([
    transcript.events,
    transcript.wire,
    transcript.failure,
    transcript.rest,
    transcript.midMessage,
    transcript.heads.map((head) => [
      head.bytes.toString('latin1'),
      head.table,
      head.framing,
      head.contentLength,
      head.keepAlive,
      head.anomalies,
    ]),
  ]);
}

/** Name and value of every field. */
export function fields(head: MessageHead): [name: string, value: string][] {
  return Array.from({ length: head.fieldCount }, (_unused, index) => [head.fieldName(index), head.fieldValue(index)]);
}

function play<Head extends MessageHead>(
  decoder: Http1Decoder<Head>,
  segments: readonly Buffer[],
  options: PlayOptions,
): Transcript<Head> {
  const recorder = new Recorder<Head>();
  let messages = 0;
  let rest = '';
  const begin = (): void => {
    const methods = options.methods ?? [''];
    decoder.next(methods[Math.min(messages, methods.length - 1)]);
  };
  begin();
  for (const segment of segments) {
    let position = 0;
    while (position < segment.length) {
      if (decoder.phase === 'done') {
        messages++;
        if (messages === (options.messages ?? Infinity)) break;
        begin();
      }
      if (decoder.phase === 'failed') break;
      const stop = decoder.receive(segment, position, recorder);
      if (stop < position || stop > segment.length)
        throw new Error(`receive went from ${String(position)} to ${String(stop)}`);
      position = stop;
    }
    // A decoder that failed leaves its connection unusable: what it did not take is nobody's.
    if (decoder.phase !== 'failed') rest += segment.toString('latin1', position);
    if (messages === options.messages) messages--;
  }
  if (options.eof === true) decoder.receiveEof(recorder);
  return {
    heads: recorder.heads,
    events: recorder.events,
    wire: recorder.wire,
    failure: decoder.failure,
    rest,
    midMessage: decoder.midMessage,
  };
}

class Recorder<Head extends MessageHead> implements Http1Sink<Head> {
  readonly heads: Head[] = [];
  readonly events: string[] = [];
  wire = '';
  #lastKind = '';

  onHead(head: Head): void {
    this.heads.push(head);
    this.#add('head', head.bytes.toString('latin1'));
  }

  onPayload(bytes: Buffer, start: number, end: number): void {
    if (end <= start) throw new Error('empty payload');
    this.#add('payload', bytes.toString('latin1', start, end));
  }

  onFraming(bytes: Buffer, start: number, end: number): void {
    if (end <= start) throw new Error('empty framing');
    this.#add('framing', bytes.toString('latin1', start, end));
  }

  onWire(bytes: Buffer, start: number, end: number): void {
    this.wire += bytes.toString('latin1', start, end);
  }

  onTrailers(bytes: Buffer): void {
    this.#add('trailers', bytes.toString('latin1'));
  }

  onEnd(): void {
    this.#add('end', '');
  }

  #add(kind: string, text: string): void {
    const isRun = (kind === 'payload' || kind === 'framing') && kind === this.#lastKind;
    if (isRun) this.events.push(`${this.events.pop() ?? ''}${text}`);
    else this.events.push(text === '' ? kind : `${kind} ${text}`);
    this.#lastKind = kind;
  }
}
