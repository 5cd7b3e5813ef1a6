/**
 * What has to differ between a request head as received and as forwarded, beside what every intermediary must change by
 * itself: hop-by-hop fields (RFC 9110 §7.6.1), ambiguous framing fields, folded lines, the HTTP version.
 */
export interface RequestHeadChanges {
  /** Request target to send, latin1; null keeps the received one. */
  readonly target: string | null;
  /** Value of the Host field to send; null keeps it. Replaced in place, inserted as the first field when missing. */
  readonly host: string | null;
  /** Passes the Upgrade field and its Connection option on (h2c never). */
  readonly relayUpgrade: boolean;
  /** Passes Proxy-Authorization on, because it was not for us. */
  readonly keepProxyAuthorization: boolean;
  /** Asks the origin to close after its answer. */
  readonly close: boolean;
  /** New value of Max-Forwards (TRACE and OPTIONS, RFC 9110 §7.6.2); null keeps the field. */
  readonly maxForwards: number | null;
  /** Complete field lines to append, each with its CRLF, latin1; empty for none. */
  readonly appendedLines: string;
}

/** The same for a response head. The forwarded version is always HTTP/1.1 (RFC 9110 §6.2). */
export interface ResponseHeadChanges {
  /** Minor HTTP version of the client: 0 gets no chunked coding and an explicit `Connection: keep-alive`. */
  readonly clientMinorVersion: 0 | 1;
  /** Whether the client connection stays open after this response; false adds `Connection: close`. */
  readonly keepAlive: boolean;
  /** Passes the Upgrade field and its Connection option on: for a 101 that was asked for, and 426. */
  readonly relayUpgrade: boolean;
  /** Complete field lines to append, each with its CRLF, latin1; empty for none. */
  readonly appendedLines: string;
}
