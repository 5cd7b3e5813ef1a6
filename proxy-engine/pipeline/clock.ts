/** Time as the pipeline needs it. */
export interface Clock {
  /** Microseconds since the Unix epoch, monotonic. */
  micros(): number;
  /**
   * Milliseconds on a monotonic scale, moved on about ten times a second. Reading it costs nothing: deadlines need no
   * better, and a timer for each request would be dear.
   */
  readonly coarse: number;
}
