/** Bytes that are read a window at a time; what a view of a body or of raw traffic stands on. */
export interface ByteSource {
  /** How many bytes there are; while they still come, how many there are so far. */
  readonly size: number;
  /**
   * Reads up to `length` bytes, fewer at the end.
   * @throws Error with a message for a person
   */
  read(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array>;
}
