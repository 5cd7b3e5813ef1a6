/** Who is at fault when an exchange fails. `weir` is ourselves. */
export type ErrorSide = 'client' | 'origin' | 'upstream-proxy' | 'weir';

/** How far the exchange had come. */
export type ErrorPhase = 'resolve' | 'connect' | 'tls' | 'request' | 'response' | 'body';

interface ErrorCodeFacts {
  readonly side: ErrorSide;
  readonly phase: ErrorPhase;
  /** Status that Weir answers with when an answer can still be sent; null when none is possible. */
  readonly answer: number | null;
}

/**
 * Every way in which an exchange can fail, with the side and phase that it belongs to unless the place that fails knows
 * better. The inspector's text table has one entry for each; a test fails on a missing one.
 */
export const ERROR_CODES = {
  'dns.not-found': { side: 'origin', phase: 'resolve', answer: 502 },
  'dns.failed': { side: 'origin', phase: 'resolve', answer: 502 },
  'dns.timeout': { side: 'origin', phase: 'resolve', answer: 504 },
  'connect.refused': { side: 'origin', phase: 'connect', answer: 502 },
  'connect.unreachable': { side: 'origin', phase: 'connect', answer: 502 },
  'connect.timeout': { side: 'origin', phase: 'connect', answer: 504 },
  'connect.failed': { side: 'origin', phase: 'connect', answer: 502 },
  'tls.origin-untrusted': { side: 'origin', phase: 'tls', answer: 502 },
  'tls.origin-self-signed': { side: 'origin', phase: 'tls', answer: 502 },
  'tls.origin-expired': { side: 'origin', phase: 'tls', answer: 502 },
  'tls.origin-not-yet-valid': { side: 'origin', phase: 'tls', answer: 502 },
  'tls.origin-name-mismatch': { side: 'origin', phase: 'tls', answer: 502 },
  'tls.origin-wants-certificate': { side: 'origin', phase: 'tls', answer: 502 },
  'tls.origin-handshake': { side: 'origin', phase: 'tls', answer: 502 },
  'tls.origin-timeout': { side: 'origin', phase: 'tls', answer: 504 },
  'tls.client-certificate': { side: 'weir', phase: 'tls', answer: 502 },
  'tls.client-untrusted': { side: 'client', phase: 'tls', answer: null },
  'tls.client-handshake': { side: 'client', phase: 'tls', answer: null },
  'tls.client-timeout': { side: 'client', phase: 'tls', answer: null },
  'http1.request-line': { side: 'client', phase: 'request', answer: 400 },
  'http1.request-line-too-long': { side: 'client', phase: 'request', answer: 414 },
  'http1.head-too-large': { side: 'client', phase: 'request', answer: 431 },
  'http1.too-many-fields': { side: 'client', phase: 'request', answer: 431 },
  'http1.version': { side: 'client', phase: 'request', answer: 505 },
  'http1.target': { side: 'client', phase: 'request', answer: 400 },
  'http1.host': { side: 'client', phase: 'request', answer: 400 },
  'http1.field-name': { side: 'client', phase: 'request', answer: 400 },
  'http1.field-value': { side: 'client', phase: 'request', answer: 400 },
  'http1.line-end': { side: 'client', phase: 'request', answer: 400 },
  'http1.obs-fold': { side: 'client', phase: 'request', answer: 400 },
  'http1.space-before-colon': { side: 'client', phase: 'request', answer: 400 },
  'http1.content-length': { side: 'client', phase: 'request', answer: 400 },
  'http1.transfer-encoding': { side: 'client', phase: 'request', answer: 400 },
  'http1.unknown-coding': { side: 'client', phase: 'request', answer: 501 },
  'http1.chunk': { side: 'client', phase: 'body', answer: 400 },
  'http1.trailers': { side: 'client', phase: 'body', answer: 400 },
  'http1.status-line': { side: 'origin', phase: 'response', answer: 502 },
  'http1.response-head': { side: 'origin', phase: 'response', answer: 502 },
  'http1.response-framing': { side: 'origin', phase: 'response', answer: 502 },
  'http1.unexpected-101': { side: 'origin', phase: 'response', answer: 502 },
  'http2.malformed-request': { side: 'client', phase: 'request', answer: null },
  'http2.malformed-response': { side: 'origin', phase: 'response', answer: 502 },
  'http2.client-connection': { side: 'client', phase: 'body', answer: null },
  'http2.origin-connection': { side: 'origin', phase: 'response', answer: 502 },
  'http2.refused': { side: 'origin', phase: 'request', answer: 502 },
  'http2.no-extended-connect': { side: 'origin', phase: 'request', answer: 502 },
  'websocket.accept': { side: 'origin', phase: 'response', answer: 502 },
  'http2.reset': { side: 'origin', phase: 'body', answer: 502 },
  'timeout.request-head': { side: 'client', phase: 'request', answer: 408 },
  'timeout.first-byte': { side: 'origin', phase: 'response', answer: 504 },
  'timeout.idle': { side: 'origin', phase: 'body', answer: 504 },
  'timeout.total': { side: 'origin', phase: 'body', answer: 504 },
  'origin.closed-early': { side: 'origin', phase: 'response', answer: 502 },
  'origin.cut-short': { side: 'origin', phase: 'body', answer: null },
  'client.cancelled': { side: 'client', phase: 'response', answer: null },
  'client.cut-short': { side: 'client', phase: 'body', answer: null },
  'client.credentials': { side: 'client', phase: 'request', answer: 407 },
  'client.not-approved': { side: 'client', phase: 'request', answer: 403 },
  'client.forbidden-address': { side: 'client', phase: 'connect', answer: 403 },
  'socks.malformed': { side: 'client', phase: 'request', answer: null },
  'socks.command': { side: 'client', phase: 'request', answer: null },
  'socks.address-type': { side: 'client', phase: 'request', answer: null },
  'upstream-proxy.not-found': { side: 'upstream-proxy', phase: 'resolve', answer: 502 },
  'upstream-proxy.connect': { side: 'upstream-proxy', phase: 'connect', answer: 502 },
  'upstream-proxy.tls': { side: 'upstream-proxy', phase: 'tls', answer: 502 },
  'upstream-proxy.timeout': { side: 'upstream-proxy', phase: 'connect', answer: 504 },
  'upstream-proxy.credentials': { side: 'upstream-proxy', phase: 'connect', answer: 502 },
  'upstream-proxy.refused': { side: 'upstream-proxy', phase: 'connect', answer: 502 },
  'upstream-proxy.protocol': { side: 'upstream-proxy', phase: 'connect', answer: 502 },
  'udp.session-limit': { side: 'client', phase: 'connect', answer: null },
  'loop.self': { side: 'client', phase: 'connect', answer: 508 },
  'loop.marker': { side: 'client', phase: 'request', answer: 508 },
  'weir.stopped': { side: 'weir', phase: 'response', answer: 503 },
  'weir.internal': { side: 'weir', phase: 'response', answer: 500 },
} as const satisfies Record<string, ErrorCodeFacts>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** A failure as data: recorded with the exchange and shown by the inspector; never only a log line. */
export interface ExchangeError {
  readonly code: ErrorCode;
  readonly side: ErrorSide;
  readonly phase: ErrorPhase;
  /** One sentence for a person: what happened and, for a limit, the setting that governs it. */
  readonly message: string;
}
