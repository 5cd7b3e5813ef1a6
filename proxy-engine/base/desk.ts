/** What is gathered at once at most, bytes. */
export const DESK_BYTES = 262_144;

let desk: Buffer | null = null;

/**
 * Copies parts one behind the other into memory that all connections of the thread share, so that many small pieces make one write and none
 * of them an allocation outside of V8's heap. The result is good until the next call.
 *
 * @param parts at most `DESK_BYTES` together
 */
export function gather(parts: readonly Buffer[]): Buffer {
  desk ??= Buffer.allocUnsafeSlow(DESK_BYTES);
  let at = 0;
  for (const part of parts) {
    desk.set(part, at);
    at += part.length;
  }
  return desk.subarray(0, at);
}

/** What was gathered last is still to be sent: the next call takes other memory. */
export function leaveDesk(): void {
  desk = null;
}
