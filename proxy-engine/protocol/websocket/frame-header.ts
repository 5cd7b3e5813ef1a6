/** Longest header of a frame, bytes: two, eight of length, four of mask (RFC 6455 §5.2). */
const LONGEST_HEADER_BYTES = 14;

/** Opcodes of RFC 6455 §5.2; every other one is reserved. */
export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

const LARGEST_CONTROL_OPCODE = 15;

/**
 * Reads one frame header after another, from bytes that may be split anywhere. Its fields are those of the last header that
 * was complete; nothing is allocated for a frame.
 *
 * @see RFC 6455 §5.2
 */
export class FrameHeader {
  fin = false;
  /** RSV1 is 4, RSV2 is 2, RSV3 is 1. */
  reservedBits = 0;
  opcode = 0;
  masked = false;
  /** Masking key as on the wire, big endian; 0 without one. */
  maskKey = 0;
  /** At most 2^53 − 1; -1 for a length that no stream can have. */
  payloadBytes = 0;
  headerBytes = 0;
  /** The length was written in more bytes than it needs, which §5.2 forbids. */
  isLengthPadded = false;
  readonly #held = Buffer.allocUnsafe(LONGEST_HEADER_BYTES);
  #heldBytes = 0;
  #needed = 2;

  /** Bytes of a header that has begun are held. */
  get isPartial(): boolean {
    return this.#heldBytes > 0;
  }

  get isControl(): boolean {
    return this.opcode >= OPCODE.close && this.opcode <= LARGEST_CONTROL_OPCODE;
  }

  /**
   * Takes header bytes from `bytes`.
   *
   * @returns where the payload begins when the header is complete; -1 when more bytes are needed (all were taken then)
   */
  read(bytes: Buffer, start: number, end: number): number {
    let at = start;
    for (;;) {
      while (this.#heldBytes < this.#needed) {
        if (at >= end) return -1;
        this.#held[this.#heldBytes] = bytes[at] ?? 0;
        this.#heldBytes += 1;
        at += 1;
      }
      if (this.#heldBytes > 2 || this.#lengthNeeded() === 2) {
        this.#finish();
        return at;
      }
      this.#needed = this.#lengthNeeded();
    }
  }

  /** Forgets a header that has begun: bytes are missing here. */
  reset(): void {
    this.#heldBytes = 0;
    this.#needed = 2;
  }

  /** Bytes of the whole header, by its first two. */
  #lengthNeeded(): number {
    const second = this.#held[1] ?? 0;
    const code = second & 0x7f;
    return 2 + (code === 126 ? 2 : code === 127 ? 8 : 0) + (second >= 0x80 ? 4 : 0);
  }

  #finish(): void {
    const held = this.#held;
    const first = held[0] ?? 0;
    const second = held[1] ?? 0;
    const code = second & 0x7f;
    this.fin = first >= 0x80;
    this.reservedBits = (first >> 4) & 7;
    this.opcode = first & 15;
    this.masked = second >= 0x80;
    this.headerBytes = this.#heldBytes;
    this.payloadBytes = code;
    this.isLengthPadded = false;
    if (code === 126) {
      this.payloadBytes = held.readUInt16BE(2);
      this.isLengthPadded = this.payloadBytes < 126;
    } else if (code === 127) {
      const length = held.readUInt32BE(2) * 0x1_0000_0000 + held.readUInt32BE(6);
      this.isLengthPadded = length < 65_536;
      this.payloadBytes = length > Number.MAX_SAFE_INTEGER ? -1 : length;
    }
    this.maskKey = this.masked ? held.readUInt32BE(this.#heldBytes - 4) : 0;
    this.reset();
  }
}
