/** One coloured part of a timing bar. */
export interface TimingSegment {
  readonly label: string;
  /** Microseconds. */
  readonly duration: number;
  /** The duration in words, for example `58 ms`. */
  readonly text: string;
  readonly colour: 'text-3' | 'yellow' | 'stream' | 'text-2' | 'ok' | 'redirect' | 'error';
}
