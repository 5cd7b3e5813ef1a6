import type { ImportReport } from '#contract';
import { EntrySkipped, readHarEntry } from './har-entry.ts';
import { ImportSyntaxError, JsonEntries } from './json-entries.ts';
import type { ImportedMarks } from './import-messages.ts';
import { ImportTally } from './import-tally.ts';
import type { ExchangeRecorder } from './record-exchange.ts';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Reads a HAR file that comes in pieces, records what it holds and keeps count of what it leaves out. */
export class HarImport {
  readonly #recorder: ExchangeRecorder;
  readonly #now: () => number;
  readonly #entries: JsonEntries;
  readonly #tally = new ImportTally();
  readonly marks: ImportedMarks[] = [];
  #begun = false;

  /** @param now microseconds since the Unix epoch, for entries that say no time */
  constructor(recorder: ExchangeRecorder, now: () => number) {
    this.#recorder = recorder;
    this.#now = now;
    this.#entries = new JsonEntries({
      entry: (text) => {
        this.#read(text);
      },
      tooLong: () => {
        this.#tally.see();
        this.#tally.skip('it is longer than 256 MiB');
      },
    });
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
    const isMarked = !this.#begun && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
    this.#begun ||= bytes.length > 0;
    try {
      this.#entries.receive(isMarked ? bytes.subarray(3) : bytes);
    } catch (error: unknown) {
      if (!(error instanceof ImportSyntaxError)) throw error;
      this.#tally.problem = error.message;
    }
  }

  end(): Omit<ImportReport, 'session'> {
    if (this.#tally.problem === null && !this.#entries.foundEntries) {
      this.#tally.problem = 'This is no HAR file: it has no list of entries (log.entries).';
    } else if (this.#tally.problem === null && this.#entries.isCut) {
      this.#tally.problem = 'The file ends in the middle; what stands before its end was read.';
    }
    return this.#tally.report();
  }

  #read(text: string): void {
    this.#tally.see();
    try {
      const exchange = readHarEntry(JSON.parse(text), this.#now());
      const id = this.#recorder.record(exchange);
      if (exchange.comment !== '') this.marks.push({ id, label: 0, pinned: false, comment: exchange.comment });
      this.#tally.take();
    } catch (error: unknown) {
      if (error instanceof EntrySkipped) this.#tally.skip(error.message);
      else if (error instanceof SyntaxError) this.#tally.skip(`it is no JSON: ${error.message.slice(0, 200)}`);
      else throw error;
    }
  }
}
