import type { ImportReport, SkippedEntry } from '#contract';
import { EntrySkipped, readHarEntry } from './har-entry.ts';
import { ImportSyntaxError, JsonEntries } from './json-entries.ts';
import type { ImportedMarks } from './import-messages.ts';
import type { ExchangeRecorder } from './record-exchange.ts';

/** Entries that are named one by one in a report; further ones are only counted. */
const MOST_NAMED = 100;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Reads a HAR file that comes in pieces, records what it holds and keeps count of what it leaves out. */
export class HarImport {
  readonly #recorder: ExchangeRecorder;
  readonly #now: () => number;
  readonly #entries: JsonEntries;
  readonly #skipped: SkippedEntry[] = [];
  readonly marks: ImportedMarks[] = [];
  #begun = false;
  #seen = 0;
  #imported = 0;
  #left = 0;
  #problem: string | null = null;

  /** @param now microseconds since the Unix epoch, for entries that say no time */
  constructor(recorder: ExchangeRecorder, now: () => number) {
    this.#recorder = recorder;
    this.#now = now;
    this.#entries = new JsonEntries({
      entry: (text) => {
        this.#read(text);
      },
      tooLong: () => {
        this.#seen += 1;
        this.#skip('it is longer than 256 MiB');
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
    return { imported: this.#imported, skipped: this.#left };
  }

  receive(bytes: Buffer): void {
    if (this.#problem !== null) return;
    const isMarked = !this.#begun && bytes.subarray(0, 3).equals(BYTE_ORDER_MARK);
    this.#begun ||= bytes.length > 0;
    try {
      this.#entries.receive(isMarked ? bytes.subarray(3) : bytes);
    } catch (error: unknown) {
      if (!(error instanceof ImportSyntaxError)) throw error;
      this.#problem = error.message;
    }
  }

  end(): Omit<ImportReport, 'session'> {
    if (this.#problem === null && !this.#entries.foundEntries) {
      this.#problem = 'This is no HAR file: it has no list of entries (log.entries).';
    } else if (this.#problem === null && this.#entries.isCut) {
      this.#problem = 'The file ends in the middle; what stands before its end was read.';
    }
    return { imported: this.#imported, skipped: this.#left, named: this.#skipped, problem: this.#problem };
  }

  #read(text: string): void {
    this.#seen += 1;
    try {
      const exchange = readHarEntry(JSON.parse(text), this.#now());
      const id = this.#recorder.record(exchange);
      if (exchange.comment !== '') this.marks.push({ id, label: 0, pinned: false, comment: exchange.comment });
      this.#imported += 1;
    } catch (error: unknown) {
      if (error instanceof EntrySkipped) this.#skip(error.message);
      else if (error instanceof SyntaxError) this.#skip(`it is no JSON: ${error.message.slice(0, 200)}`);
      else throw error;
    }
  }

  #skip(reason: string): void {
    this.#left += 1;
    if (this.#skipped.length < MOST_NAMED) this.#skipped.push({ entry: this.#seen, reason });
  }
}
