/** What a call of a language model says of itself, in the form of OpenAI's interface, whole or streamed. */
export interface LlmFacts {
  /** Chat completions, legacy completions, or responses. */
  readonly interface: 'chat' | 'completion' | 'responses';
  readonly streamed: boolean;
  /** As the answer names it, or as the request asked for it. */
  readonly model: string | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** The answer did not say; one event with content was taken for one token. */
  readonly isCompletionEstimated: boolean;
  /** From the beginning of the exchange to the first event with content, microseconds; null when not streamed. */
  readonly timeToFirstToken: number | null;
  /** Between two events with content, microseconds. */
  readonly gaps: { readonly median: number; readonly p95: number; readonly longest: number } | null;
  /** Completion tokens a second between the first event with content and the last; null for fewer than two. */
  readonly tokensPerSecond: number | null;
  readonly finishReason: string | null;
  /** Names of the functions that the model called, in order. */
  readonly toolCalls: readonly string[];
  /** The client went away before the end. */
  readonly cancelled: boolean;
  /** What the model wrote, at most 16,384 characters. */
  readonly output: string;
  readonly isOutputCut: boolean;
}

/** What the list shows of a call of a language model once it is over. */
export interface LlmSummary {
  /** As the answer names it, or as the request asked for it. */
  readonly model: string;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  /** The answer did not say; one event with content was taken for one token. */
  readonly isCompletionEstimated: boolean;
  /** From the beginning of the exchange to the first event with content, microseconds; null when not streamed. */
  readonly timeToFirstToken: number | null;
  /** In the answer's words, or `cancelled` where the client went away before the end; null when it did not say. */
  readonly finishReason: string | null;
}
