import { ERROR_CODES } from '../../model/error-code.ts';
import type { ErrorCode } from '../../model/error-code.ts';
import type { Http1Failure } from './message.ts';

/** A fault in a request, or one whose peer is not known yet. */
export function failure(code: ErrorCode, message: string): Http1Failure {
  return { code, status: ERROR_CODES[code].answer ?? 400, message };
}

/** What a fault that the shared grammar found is called when it stands in a response: the origin is at fault then. */
export function asResponseFailure(fault: Http1Failure): Http1Failure {
  return { code: responseCode(fault.code), status: 502, message: fault.message };
}

function responseCode(code: ErrorCode): ErrorCode {
  switch (code) {
    case 'http1.request-line':
    case 'http1.request-line-too-long':
    case 'http1.version':
    case 'http1.status-line':
      return 'http1.status-line';
    case 'http1.content-length':
    case 'http1.transfer-encoding':
    case 'http1.chunk':
    case 'http1.trailers':
      return 'http1.response-framing';
    default:
      return 'http1.response-head';
  }
}
