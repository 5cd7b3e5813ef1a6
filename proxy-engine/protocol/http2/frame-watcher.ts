/** Sees each frame of a connection as it comes and as it goes out, without a say in either. Must not throw. */
export interface FrameWatcher {
  /**
   * @param sent by us
   * @param flags as on the wire
   * @param length octets of the payload, padding included
   * @param bytes holds the payload from `start` to `end`, borrowed; of DATA, HEADERS and CONTINUATION, and of a frame that
   * was refused at its head, nothing (`start` equals `end`)
   */
  onFrame(
    sent: boolean,
    type: number,
    flags: number,
    stream: number,
    length: number,
    bytes: Buffer,
    start: number,
    end: number,
  ): void;
}
