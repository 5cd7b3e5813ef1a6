import type { ImportReport } from '#contract';
import type { ImportedExchange, ImportedMessage } from './har-entry.ts';
import { EntrySkipped } from './har-entry.ts';
import type { ImportedMarks } from './import-messages.ts';
import { ImportTally } from './import-tally.ts';
import { readMitmFlow, readMitmMessages, type ReadFlow } from './mitm-flow.ts';
import type { ExchangeRecorder } from './record-exchange.ts';
import { readTnetHeader, readTnetPayload, TnetError, type TnetObject } from './tnetstring.ts';

/** A longer flow is stepped over, bytes. */
const MOST_FLOW_BYTES = 268_435_456;
/** WebSockets whose messages may still come; the oldest one is recorded without them. */
const MOST_WAITING = 64;
const DICTIONARY = 0x7d;

/** Whether a file begins as mitmproxy's flows do. */
export function isMitmFile(begin: Buffer): boolean {
  return /^\d{1,12}:/.test(begin.toString('latin1', 0, 13));
}

/** Reads flows of mitmproxy that come in pieces: one flow at a time is in memory. */
export class MitmImport {
  readonly #recorder: ExchangeRecorder;
  readonly #now: () => number;
  readonly #tally = new ImportTally();
  readonly marks: ImportedMarks[] = [];
  /** Openings of WebSockets, by the id of their flow. */
  readonly #waiting = new Map<string, ReadFlow>();
  #parts: Buffer[] = [];
  #held = 0;
  /** Bytes that must be there before the next flow can be read. */
  #wanted = 1;
  /** Bytes of a flow that is too long. */
  #toSkip = 0;
  /** Where the held bytes begin in the file. */
  #position = 0;

  /** @param now microseconds since the Unix epoch, for flows that say no time */
  constructor(recorder: ExchangeRecorder, now: () => number) {
    this.#recorder = recorder;
    this.#now = now;
  }

  /** The time of what is being recorded, microseconds since the Unix epoch. */
  get now(): number {
    return this.#recorder.now;
  }

  get nextExchange(): number {
    return this.#recorder.nextExchange;
  }

  get nextConnection(): number {
    return this.#recorder.nextConnection;
  }

  get counts(): { readonly imported: number; readonly skipped: number } {
    return this.#tally.counts;
  }

  receive(bytes: Buffer): void {
    if (this.#tally.problem !== null) return;
    const skipped = Math.min(this.#toSkip, bytes.length);
    this.#toSkip -= skipped;
    this.#position += skipped;
    if (skipped === bytes.length) return;
    this.#parts.push(Buffer.from(bytes.subarray(skipped)));
    this.#held += bytes.length - skipped;
    if (this.#held >= this.#wanted) this.#readHeld();
  }

  end(): Omit<ImportReport, 'session'> {
    for (const flow of this.#waiting.values()) this.#record(flow, []);
    this.#waiting.clear();
    if (this.#tally.problem === null && (this.#held > 0 || this.#toSkip > 0)) {
      this.#tally.problem = `The file ends in the middle of the flow that begins at byte ${String(this.#position)}; what stands before was read.`;
    }
    return this.#tally.report();
  }

  #readHeld(): void {
    const bytes =
      this.#parts.length === 1 && this.#parts[0] !== undefined ? this.#parts[0] : Buffer.concat(this.#parts);
    let at = 0;
    this.#wanted = 1;
    try {
      while (at < bytes.length) {
        const header = readTnetHeader(bytes, at, this.#position);
        if (header === null) break;
        const end = header.start + header.length;
        if (header.length > MOST_FLOW_BYTES) {
          this.#tally.see();
          this.#tally.skip('it is longer than 256 MiB');
          this.#toSkip = Math.max(0, end + 1 - bytes.length);
          at = Math.min(bytes.length, end + 1);
          continue;
        }
        const type = bytes[end];
        if (type === undefined) {
          this.#wanted = end + 1 - at;
          break;
        }
        if (type !== DICTIONARY) throw new TnetError('a flow was expected', this.#position + end);
        this.#flow(bytes.subarray(header.start, end), this.#position + header.start);
        at = end + 1;
      }
    } catch (error: unknown) {
      if (!(error instanceof TnetError)) throw error;
      this.#tally.problem = `The file is damaged at byte ${String(error.position)}: ${error.message}; what stands before was read.`;
    }
    this.#parts = at === bytes.length ? [] : [bytes.subarray(at)];
    this.#held = bytes.length - at;
    this.#position += at;
  }

  #flow(payload: Buffer, base: number): void {
    this.#tally.see();
    try {
      const flow = readTnetPayload(payload, DICTIONARY, base) as TnetObject;
      if (isMessages(flow)) this.#messages(flow);
      else this.#take(readMitmFlow(flow, this.#now()));
    } catch (error: unknown) {
      // Its length says where the next one begins.
      if (error instanceof TnetError)
        this.#tally.skip(`it is damaged at byte ${String(error.position)}: ${error.message}`);
      else if (error instanceof EntrySkipped) this.#tally.skip(error.message);
      else throw error;
    }
  }

  #take(flow: ReadFlow): void {
    if (!flow.awaitsMessages || flow.id === '') {
      this.#record(flow, []);
      return;
    }
    // The bytes of the file are not kept for it.
    this.#waiting.set(flow.id, { ...flow, exchange: detached(flow.exchange) });
    const [oldest] = this.#waiting;
    if (this.#waiting.size <= MOST_WAITING || oldest === undefined) return;
    this.#waiting.delete(oldest[0]);
    this.#record(oldest[1], []);
  }

  #messages(flow: TnetObject): void {
    const { of, messages } = readMitmMessages(flow);
    const opening = this.#waiting.get(of);
    if (opening === undefined)
      throw new EntrySkipped('the opening of its WebSocket is not in the file, or has its messages already');
    this.#waiting.delete(of);
    this.#record(opening, messages);
  }

  #record({ exchange, marked }: ReadFlow, messages: readonly ImportedMessage[]): void {
    const { comment } = exchange;
    const id = this.#recorder.record(messages.length === 0 ? exchange : { ...exchange, messages });
    if (comment !== '' || marked) this.marks.push({ id, label: 0, pinned: marked, comment: comment.slice(0, 10_000) });
    this.#tally.take();
  }
}

/** Versions before 11 wrote the messages of a WebSocket as a flow beside the one that opened it. */
function isMessages({ type }: TnetObject): boolean {
  return (Buffer.isBuffer(type) ? type.toString('latin1') : type) === 'websocket';
}

function detached(exchange: ImportedExchange): ImportedExchange {
  const { response } = exchange;
  return {
    ...exchange,
    body: Buffer.from(exchange.body),
    response: response === null ? null : { ...response, body: Buffer.from(response.body) },
  };
}
