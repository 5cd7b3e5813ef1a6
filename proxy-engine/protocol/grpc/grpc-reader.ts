/** One byte of flags and four of length stand before each message. */
const PREFIX_BYTES = 5;
const COMPRESSED = 0x01;

/** Who frames messages in this way. */
export type GrpcDialect = 'grpc' | 'connect';

/** The last message of a stream, which is about the call: the flag that tells it. */
const LAST_MESSAGE = {
  /** gRPC-Web: the trailer section (PROTOCOL-WEB.md). */
  grpc: { flag: 0x80, kind: 'trailers' },
  /** An EndStreamResponse (connectrpc.com/docs/protocol, "Streaming-Request"). */
  connect: { flag: 0x02, kind: 'end-stream' },
} as const;

/** What a message begins with. */
export interface GrpcStart {
  readonly kind: 'message' | 'trailers' | 'end-stream';
  readonly compressed: boolean;
  readonly payloadBytes: number;
  /** Bytes of this side that came before the payload's first. */
  readonly position: number;
}

export interface GrpcSink {
  begin(start: GrpcStart): void;
  /** A piece of the payload, borrowed. */
  payload(bytes: Buffer): void;
  /** @param cut the stream ended inside of it */
  end(wireBytes: number, cut: boolean): void;
  /** The flags mean nothing: these are no messages, or those of a newer protocol; nothing more can be read. */
  broken(): void;
}

/**
 * Splits one direction of a call of gRPC, or of a stream of Connect, into its length-prefixed messages, wherever its pieces are
 * split.
 *
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 * @see https://connectrpc.com/docs/protocol#streaming-rpcs
 */
export class GrpcReader {
  readonly #last: (typeof LAST_MESSAGE)[GrpcDialect];
  readonly #prefix = Buffer.allocUnsafe(PREFIX_BYTES);
  #prefixBytes = 0;
  #payloadLeft = 0;
  #wireBytes = 0;
  #position = 0;
  #isBroken = false;

  constructor(dialect: GrpcDialect) {
    this.#last = LAST_MESSAGE[dialect];
  }

  receive(bytes: Buffer, sink: GrpcSink): void {
    let at = 0;
    while (at < bytes.length && !this.#isBroken) {
      const before = at;
      at = this.#prefixBytes < PREFIX_BYTES ? this.#takePrefix(bytes, at) : this.#takePayload(bytes, at, sink);
      this.#position += at - before;
      if (this.#prefixBytes === PREFIX_BYTES && this.#wireBytes === 0) this.#begin(sink);
    }
  }

  receiveEof(sink: GrpcSink): void {
    if (this.#isBroken) return;
    if (this.#prefixBytes === PREFIX_BYTES) sink.end(this.#wireBytes, true);
    this.#prefixBytes = 0;
  }

  #takePrefix(bytes: Buffer, at: number): number {
    const taken = bytes.copy(this.#prefix, this.#prefixBytes, at);
    this.#prefixBytes += taken;
    return at + taken;
  }

  #begin(sink: GrpcSink): void {
    const flags = this.#prefix[0] ?? 0;
    if ((flags & ~(COMPRESSED | this.#last.flag)) !== 0) {
      this.#isBroken = true;
      sink.broken();
      return;
    }
    this.#wireBytes = PREFIX_BYTES;
    this.#payloadLeft = this.#prefix.readUInt32BE(1);
    sink.begin({
      kind: (flags & this.#last.flag) === 0 ? 'message' : this.#last.kind,
      compressed: (flags & COMPRESSED) !== 0,
      payloadBytes: this.#payloadLeft,
      position: this.#position,
    });
    if (this.#payloadLeft === 0) this.#end(sink);
  }

  #takePayload(bytes: Buffer, at: number, sink: GrpcSink): number {
    const end = Math.min(bytes.length, at + this.#payloadLeft);
    sink.payload(bytes.subarray(at, end));
    this.#payloadLeft -= end - at;
    this.#wireBytes += end - at;
    if (this.#payloadLeft === 0) this.#end(sink);
    return end;
  }

  #end(sink: GrpcSink): void {
    const wireBytes = this.#wireBytes;
    this.#wireBytes = 0;
    this.#prefixBytes = 0;
    sink.end(wireBytes, false);
  }
}
