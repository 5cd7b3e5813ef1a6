import { FrameBoundaries } from '../protocol/websocket/index.ts';

/**
 * What one direction of a stream of messages goes on without. A stream may last for days, so that a store that lagged once
 * must not cost the rest of it: recording goes on at the next boundary, and how much is missing is told.
 */
export class StreamGap {
  bytes = 0;
  messages = 0;
  /** Something was left out that is not told yet. */
  isOpen = false;
  /** Something was left out at any time. */
  wasOpen = false;
  /** It has waited for the store long enough: it goes on unrecorded until the store has caught up. */
  isStalled = false;
  readonly #boundaries: FrameBoundaries | null;

  /** @param unit what the stream consists of: frames of a WebSocket, or datagrams, which come whole */
  constructor(unit: 'frames' | 'datagrams') {
    this.#boundaries = unit === 'frames' ? new FrameBoundaries() : null;
  }

  /** Bytes that are recorded. */
  pass(bytes: Buffer, start: number, end: number): void {
    this.#boundaries?.pass(bytes, start, end);
  }

  leaveOut(bytes: Buffer, start: number, end: number): void {
    const boundaries = this.#boundaries;
    const before = boundaries?.frames ?? 0;
    boundaries?.pass(bytes, start, end);
    this.#add(end - start, boundaries === null ? 1 : boundaries.frames - before);
  }

  /** Leaves out what is needed to stand between two frames. @returns where that is; -1 when the bytes end before it */
  leaveOutToBoundary(bytes: Buffer, start: number, end: number): number {
    const boundaries = this.#boundaries;
    if (boundaries === null || boundaries.isBetween) return start;
    const boundary = boundaries.passFrame(bytes, start, end);
    this.#add((boundary < 0 ? end : boundary) - start, boundary < 0 ? 0 : 1);
    return boundary;
  }

  /** What was left out has been told. */
  close(): void {
    this.bytes = 0;
    this.messages = 0;
    this.isOpen = false;
  }

  #add(bytes: number, messages: number): void {
    this.isOpen = true;
    this.wasOpen = true;
    this.bytes += bytes;
    this.messages += messages;
  }
}
