/** Why a link is gone, when it did not end in peace. */
export interface LinkFailure {
  /** The system's or the TLS library's code, for example `ECONNRESET`. */
  readonly code: string;
  readonly message: string;
  /** On a stream of HTTP/2: how it was reset. */
  readonly reset?: StreamReset;
  /** On a stream whose connection ended: the error that the peer had named in GOAWAY; absent when it named none. */
  readonly farewell?: number;
}

/** The end of a stream of HTTP/2 before its time. */
export interface StreamReset {
  readonly code: number;
  readonly byPeer: boolean;
  /** The peer broke a rule of the connection, so that every stream of it ended. */
  readonly withConnection: boolean;
}

/**
 * One transport connection as the pipeline sees it: bytes out, flow control, and the ways to end. `net` implements it
 * over TCP and TLS sockets. A buffer handed to `write` belongs to the link until it is sent.
 */
export interface Link {
  /** Whoever is told what happens on the link. Replaced when the connection changes its protocol. */
  handler: LinkHandler;
  /** True while more is waiting to be sent than the link wants to hold; `onDrain` follows. */
  readonly full: boolean;
  /** The peer has ended its side, and whoever was the handler then was told. */
  readonly ended: boolean;
  /** True when TLS runs on it. */
  readonly secure: boolean;
  /**
   * Sends bytes. Never throws; on a link that is gone they vanish.
   *
   * @param spent what was read once, if nobody keeps any of it after this call: once `bytes` are sent, its memory may take
   *   another read
   */
  write(bytes: Buffer, spent?: Buffer | null): void;
  /** Sends parts as one write. They are copied: their memory is the caller's again at once. */
  writeAll(parts: readonly Buffer[], bytes: number): void;
  /** Stops and restarts reading. */
  pause(): void;
  resume(): void;
  /** Ends our side after what was written; the peer may go on sending. */
  finish(): void;
  /** Ends both sides: what was written is sent; what still comes is thrown away, and for a short while only. */
  close(): void;
  /** Sends what was written, then resets, so that the peer can tell that the connection was cut. */
  cut(): void;
  /** Resets at once (TCP RST, also below TLS; a stream of HTTP/2 with `code`, or CANCEL). */
  reset(code?: number): void;
}

/** What a link tells its handler. Nothing follows `onClosed`. */
export interface LinkHandler {
  /** Bytes came. They may be kept. */
  onBytes(bytes: Buffer): void;
  /** The link is no longer full. */
  onDrain(): void;
  /** The peer ended its side. */
  onEof(): void;
  /** The connection is gone, in both directions. */
  onClosed(failure: LinkFailure | null): void;
}

/** What is left of a client or an origin when its connection, or its stream, becomes another protocol's. */
export interface HandedOver {
  readonly link: Link;
  /** Bytes that had come and were not read. */
  readonly early: Buffer;
}

/** Handles a link that nobody cares about any more. */
export const DEAF: LinkHandler = {
  onBytes: () => undefined,
  onDrain: () => undefined,
  onEof: () => undefined,
  onClosed: () => undefined,
};
