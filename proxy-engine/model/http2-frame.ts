import type { ConnectionId } from './ids.ts';

/** One frame of an HTTP/2 connection, as it is looked at. */
export interface Http2Frame {
  readonly connection: ConnectionId;
  /** Its number among the frames of the connection, both directions', from 1; a jump means that some are not kept. */
  readonly sequence: number;
  /** Microseconds since the Unix epoch. */
  readonly time: number;
  /** By Weir; else by the peer. */
  readonly sent: boolean;
  /** As on the wire; `http2FrameName` names it. */
  readonly type: number;
  /** As on the wire; `http2FlagNames` names them. */
  readonly flags: number;
  /** 0 is the connection. */
  readonly stream: number;
  /** Octets of its payload. */
  readonly length: number;
  /** What it says, by the terms of the RFC: settings, an increment, an error. Nothing of DATA and header blocks, which are bodies and heads. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}
