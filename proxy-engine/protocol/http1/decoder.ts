import type { Http1Decoder, Http1Limits, Http1Tolerance, RequestHead, ResponseHead } from './message.ts';

/** Decodes the requests of one client connection. Call `next()` between two messages. */
export function createRequestDecoder(limits: Http1Limits, tolerance: Http1Tolerance): Http1Decoder<RequestHead> {
  throw new Error(String(limits.fields) + String(tolerance.bareLineFeed));
}

/** Decodes the responses of one origin connection. Call `next(method)` before the first one too. */
export function createResponseDecoder(limits: Http1Limits, tolerance: Http1Tolerance): Http1Decoder<ResponseHead> {
  throw new Error(String(limits.fields) + String(tolerance.bareLineFeed));
}
