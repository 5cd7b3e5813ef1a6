import type { ConnectionRecord, FrameRecord } from '../capture/tap.ts';
import type { FrameWatcher } from '../protocol/http2/index.ts';
import type { PipelineContext } from './context.ts';

/** One end of an HTTP/2 connection, as far as its frames are concerned. */
interface TracedConnection {
  readonly id: number;
  /** The tap has the connection's record. */
  isRecorded: boolean;
}

/** The frames of one connection on their way to the tap, numbered. */
export class FrameTrace implements FrameWatcher {
  readonly #context: PipelineContext;
  readonly #connection: TracedConnection;
  readonly #describe: () => ConnectionRecord;
  /** Written again for each frame. */
  readonly #record: { -readonly [Key in keyof FrameRecord]: FrameRecord[Key] } = {
    sequence: 0,
    sent: false,
    type: 0,
    flags: 0,
    stream: 0,
    length: 0,
  };

  /** @param describe makes the connection's record, for the first frame that is recorded */
  constructor(context: PipelineContext, connection: TracedConnection, describe: () => ConnectionRecord) {
    this.#context = context;
    this.#connection = connection;
    this.#describe = describe;
  }

  onFrame(
    sent: boolean,
    type: number,
    flags: number,
    stream: number,
    length: number,
    bytes: Buffer,
    start: number,
    end: number,
  ): void {
    const { tap, settings } = this.#context;
    const record = this.#record;
    record.sequence += 1;
    if (!tap.recording || !settings.recordFrames) return;
    const connection = this.#connection;
    if (!connection.isRecorded) {
      connection.isRecorded = true;
      tap.connection(this.#describe());
    }
    record.sent = sent;
    record.type = type;
    record.flags = flags;
    record.stream = stream;
    record.length = length;
    tap.frame(connection.id, record, bytes, start, end);
  }
}
