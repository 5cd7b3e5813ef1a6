import type { HeaderField } from '../../proxy-engine/model/exchange.ts';
import type { ExchangeId } from '../../proxy-engine/model/ids.ts';

/**
 * What a request is sent over. `captured` is the version that reached the origin the first time, byte for byte where that
 * was HTTP/1 and with the same fields in the same order where it was HTTP/2; `auto` is what ALPN agrees on.
 */
export type ReplayVersion = 'captured' | 'auto' | 'http/1.1' | 'h2';

/**
 * What becomes of cookies: `kept` sends those of the request; `dropped` none; `followed` those of the request, changed by
 * the cookies that answers of the same replay set.
 */
export type ReplayCookies = 'kept' | 'dropped' | 'followed';

/** A request to send through Weir's own engine. Parts that are absent are those of `of`. */
export interface ReplayRequest {
  /** The exchange that is repeated; null for a request that was composed from nothing. */
  readonly of: ExchangeId | null;
  readonly version: ReplayVersion;
  readonly cookies: ReplayCookies;
  readonly followRedirects: boolean;
  readonly method?: string;
  /** An http or https URL. */
  readonly url?: string;
  /** The whole list, in order and case, without pseudo-fields. */
  readonly headers?: readonly HeaderField[];
  /** Fields to set in the list: the first of that name changes in its place, others of it go. */
  readonly setHeaders?: readonly HeaderField[];
  /** The body as it is sent, with its content coding if it has one. */
  readonly body?: Uint8Array;
}

/** What came of one replay. Its exchanges are rows like any other; the last one is the answer. */
export interface ReplayOutcome {
  /** One for each request that was sent: more than one where redirects were followed. Empty while nothing is recorded. */
  readonly exchanges: readonly ExchangeId[];
  /** Null when no response came. */
  readonly status: number | null;
  /** Why no response came, or why the redirects were followed no further; for a person. */
  readonly problem: string | null;
}

/** How often and how fast a request is repeated. */
export interface ReplayLoad {
  readonly count: number;
  /** Requests that begin in a second; null for as fast as answers come. */
  readonly perSecond: number | null;
  /** Requests under way at a time. HTTP/1 carries one on each connection. */
  readonly parallel: number;
  readonly connections: number;
}

/** Requests that took between the two bounds, milliseconds. */
export interface LatencyBucket {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Where a run stands. Sent whole each time. */
export interface ReplayProgress {
  readonly total: number;
  readonly finished: number;
  /** Of the finished: those that no whole answer came to. */
  readonly failed: number;
  readonly elapsedMs: number;
  /** How many answers had which status. */
  readonly statuses: readonly { readonly status: number; readonly count: number }[];
  /** From the first byte sent to the last one received, without buckets that are empty. */
  readonly latencies: readonly LatencyBucket[];
  /** Percentiles in milliseconds; null before the first answer. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  /** The latest reason of a failure, for a person. */
  readonly problem: string | null;
  readonly done: boolean;
}
