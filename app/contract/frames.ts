import type { ConnectionId } from '../../proxy-engine/model/ids.ts';
import type { Http2Frame } from '../../proxy-engine/model/http2-frame.ts';

/** Frames in order. */
export interface FramePage {
  readonly frames: readonly Http2Frame[];
  /** Sequence to go on behind; null at the end of what is there by now. */
  readonly next: number | null;
}

/** Calls about the frames of HTTP/2 connections. */
export interface FrameCalls {
  /**
   * At most 2,000 frames a call, behind the sequence `after` (0: from the oldest that is kept). Of an unknown connection, of one
   * that does not speak HTTP/2, and where frames are not recorded there are none.
   */
  'frames.page': { input: { connection: ConnectionId; after: number; limit: number }; output: FramePage };
}
