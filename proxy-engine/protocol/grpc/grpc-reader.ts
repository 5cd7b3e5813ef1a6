/** One byte of flags and four of length stand before each message. */
const PREFIX_BYTES = 5;
const COMPRESSED = 0x01;
/** gRPC-Web: the message is the trailer section (PROTOCOL-WEB.md). */
const TRAILERS = 0x80;

/** What a message begins with. */
export interface GrpcStart {
  readonly kind: 'grpc' | 'trailers';
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
  /** The flags mean nothing: this is no gRPC, or a newer one; nothing more can be read. */
  broken(): void;
}

/**
 * Splits one direction of a gRPC call into its length-prefixed messages, wherever its pieces are split.
 *
 * @see https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md
 */
export class GrpcReader {
  readonly #prefix = Buffer.allocUnsafe(PREFIX_BYTES);
  #prefixBytes = 0;
  #payloadLeft = 0;
  #wireBytes = 0;
  #position = 0;
  #isBroken = false;

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
    if ((flags & ~(COMPRESSED | TRAILERS)) !== 0) {
      this.#isBroken = true;
      sink.broken();
      return;
    }
    this.#wireBytes = PREFIX_BYTES;
    this.#payloadLeft = this.#prefix.readUInt32BE(1);
    sink.begin({
      kind: (flags & TRAILERS) === 0 ? 'grpc' : 'trailers',
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
