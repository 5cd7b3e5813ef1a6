/** One stream of a recording. */
export interface MediaTrack {
  readonly kind: 'audio' | 'video' | 'other';
  /** As the container names it. */
  readonly codec: string;
  readonly width?: number;
  readonly height?: number;
  readonly channels?: number;
  /** Samples a second. */
  readonly sampleRate?: number;
}

/** What a recording says about itself. */
export interface MediaFacts {
  readonly container: string;
  /** Null where it does not say, or only at its end. */
  readonly seconds: number | null;
  readonly tracks: readonly MediaTrack[];
}

/** Reads up to `length` bytes; fewer at the end. */
export type ReadMedia = (offset: number, length: number) => Promise<Uint8Array>;

/** A parser: the beginning, how to read more, the size of all in bytes. */
export type MediaReader = (start: Bytes, read: ReadMedia, size: number) => MediaFacts | Promise<MediaFacts>;

/** Numbers and names at offsets; what lies outside reads as zero. */
export class Bytes {
  readonly length: number;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.length = bytes.length;
  }

  u8(at: number): number {
    return this.#bytes[at] ?? 0;
  }

  /** Big-endian, up to six bytes. */
  big(at: number, bytes: number): number {
    let value = 0;
    for (let index = 0; index < bytes; index += 1) value = value * 256 + this.u8(at + index);
    return value;
  }

  /** Little-endian, up to six bytes. */
  little(at: number, bytes: number): number {
    let value = 0;
    for (let index = bytes - 1; index >= 0; index -= 1) value = value * 256 + this.u8(at + index);
    return value;
  }

  /** A number of IEEE 754 with 4 or 8 bytes, big-endian. */
  float(at: number, bytes: number): number {
    if (at + bytes > this.length) return 0;
    const view = new DataView(this.#bytes.buffer, this.#bytes.byteOffset + at, bytes);
    return bytes === 4 ? view.getFloat32(0) : view.getFloat64(0);
  }

  /** Bytes as latin1. */
  text(at: number, length: number): string {
    return String.fromCharCode(...this.#bytes.subarray(at, at + length));
  }

  /** Where a name stands last; -1 without it. */
  lastIndexOf(name: string): number {
    for (let at = this.length - name.length; at >= 0; at -= 1) if (this.text(at, name.length) === name) return at;
    return -1;
  }
}
