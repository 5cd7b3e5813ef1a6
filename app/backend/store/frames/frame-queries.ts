import type { Database, Statement } from 'better-sqlite3';
import { readFrames } from '../../../../proxy-engine/batches.ts';
import type { FramePage, Http2Frame } from '#contract';
import type { ReaderCalls } from '../protocol.ts';
import { frameFacts } from './frame-facts.ts';

/** Looks frames of connections up. */
export class FrameQueries {
  readonly #from: Statement;

  constructor(database: Database) {
    this.#from = database
      .prepare(
        `SELECT packed FROM http2_frames WHERE connection_id = :connection AND sequence >= coalesce(
           (SELECT max(sequence) FROM http2_frames WHERE connection_id = :connection AND sequence <= :after), 0)
         ORDER BY sequence`,
      )
      .pluck();
  }

  /** Frames behind `after`, in the order in which they passed. A connection without any has an empty page. */
  page({ connection, after, limit }: ReaderCalls['framePage']['input']): FramePage {
    const frames: Http2Frame[] = [];
    for (const packed of this.#from.iterate({ connection, after }) as Iterable<Buffer>) {
      for (const frame of readFrames(packed)) {
        const { sequence, time, sent, type, flags, stream, length } = frame;
        if (sequence <= after) continue;
        if (frames.length === limit) return { frames, next: frames.at(-1)?.sequence ?? null };
        frames.push({ connection, sequence, time, sent, type, flags, stream, length, facts: frameFacts(frame) });
      }
    }
    return { frames, next: null };
  }
}
