import type { HeaderField } from '#contract';
import type { PlannedRequest } from './plan-request.ts';

/** What came back for one request. The bytes themselves are in the capture. */
export interface Answer {
  readonly status: number;
  /** Without pseudo-fields. */
  readonly fields: readonly HeaderField[];
  /** From the first byte sent to the last one received, milliseconds. */
  readonly milliseconds: number;
}

/** A connection through the engine that carries requests. */
export interface ReplayConnection {
  /** Requests that may be under way on it at a time. */
  readonly capacity: number;
  /** False when it cannot take another request. */
  readonly usable: boolean;
  /**
   * Sends one request and waits for the whole answer.
   *
   * @throws Error whose message says to a person what went wrong
   */
  send(request: PlannedRequest): Promise<Answer>;
  close(): void;
}
