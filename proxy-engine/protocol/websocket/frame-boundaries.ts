import { FrameHeader } from './frame-header.ts';

/**
 * Follows where frames begin and end in one direction, and nothing else: what has to leave bytes out can go on at the next
 * frame. Costs a few steps a frame and none a byte.
 */
export class FrameBoundaries {
  /** Frames that ended so far. */
  frames = 0;
  /** A frame of impossible length came: there is no next frame any more. */
  isLost = false;
  readonly #header = new FrameHeader();
  #payloadLeft = 0;

  /** No frame has begun and not ended. */
  get isBetween(): boolean {
    return this.#payloadLeft === 0 && !this.#header.isPartial;
  }

  /** Takes bytes as they pass. */
  pass(bytes: Buffer, start: number, end: number): void {
    let at = start;
    while (at < end && !this.isLost) at = this.#step(bytes, at, end);
  }

  /** Takes bytes up to the end of a frame, at least one byte. @returns where it ended; -1 when it did not */
  passFrame(bytes: Buffer, start: number, end: number): number {
    const before = this.frames;
    let at = start;
    while (at < end && !this.isLost) {
      at = this.#step(bytes, at, end);
      if (this.frames > before) return at;
    }
    return -1;
  }

  #step(bytes: Buffer, start: number, end: number): number {
    let at = start;
    if (this.#payloadLeft === 0) {
      at = this.#header.read(bytes, at, end);
      if (at < 0) return end;
      this.#payloadLeft = this.#header.payloadBytes;
      if (this.#payloadLeft < 0) {
        this.isLost = true;
        return end;
      }
      if (this.#payloadLeft === 0) {
        this.frames += 1;
        return at;
      }
    }
    const taken = Math.min(this.#payloadLeft, end - at);
    this.#payloadLeft -= taken;
    if (this.#payloadLeft === 0 && taken > 0) this.frames += 1;
    return at + taken;
  }
}
