import type { AnomalyCode, ExchangeId, MessageKind, MessageMark, MessageSide, MessageSummary } from '#contract';
import type { GapRecord } from '../../../../proxy-engine/batches.ts';
import { RunCollector } from '../run-collector.ts';
import type { StoreFolder } from '../store-folder.ts';
import { PayloadKeeper, payloadInRow, previewOf, type StoredPayload } from './message-payload.ts';

/** A message that no commit has stored yet. */
export interface NewMessage {
  readonly summary: MessageSummary;
  readonly payload: StoredPayload;
}

/** What a source of messages knows of one. */
export interface MessageFacts {
  readonly kind: MessageKind;
  readonly time: number;
  readonly wireBytes: number;
  readonly payload: StoredPayload;
  readonly marks?: readonly MessageMark[];
  readonly anomalies?: readonly AnomalyCode[];
  readonly facts?: Readonly<Record<string, string>>;
}

/** Reads the messages of one direction out of the pieces of its body. */
export interface MessageSource {
  /** @param bytes borrowed until the next commit */
  receive(bytes: Buffer, time: number): void;
  /** Bytes are missing here. */
  skip(time: number): void;
  /** Nothing follows. */
  end(time: number): void;
  /** Something that was received is not read yet; `MessageLog.onLate` is called when it is. */
  readonly isBusy: boolean;
  /** Ends work that goes on elsewhere. */
  close(): void;
}

const NO_FACTS = {};
const NOTHING = Buffer.alloc(0);

/** The messages of one exchange that is being recorded, in the order in which they were complete. */
export class MessageLog {
  /** Messages since the last commit. */
  fresh: NewMessage[] = [];
  count = 0;
  readonly anomalies = new Set<AnomalyCode>();
  /** Work that went on elsewhere brought messages, or ended. */
  onLate: () => void = () => undefined;
  /** Payloads that do not stand in the bodies as they are read. */
  readonly runs: Record<MessageSide, RunCollector | null> = { request: null, response: null };
  readonly #folder: StoreFolder;
  readonly #id: ExchangeId;
  readonly #sources: Record<MessageSide, MessageSource | null> = { request: null, response: null };
  readonly #keepers: PayloadKeeper[] = [];
  readonly #closed = new Set<MessageSide>();

  constructor(folder: StoreFolder, id: ExchangeId) {
    this.#folder = folder;
    this.#id = id;
  }

  get isBusy(): boolean {
    return (this.#sources.request?.isBusy ?? false) || (this.#sources.response?.isBusy ?? false);
  }

  /** Both sides have said close: of a WebSocket nothing is missing (RFC 6455 §7.1.4). */
  get isClosed(): boolean {
    return this.#closed.size === 2;
  }

  /** For the payloads of one source. */
  makeKeeper(side: MessageSide): PayloadKeeper {
    const keeper = new PayloadKeeper(
      () => (this.runs[side] ??= new RunCollector(this.#folder, this.#id, side, 'messages')),
    );
    this.#keepers.push(keeper);
    return keeper;
  }

  use(side: MessageSide, source: MessageSource): void {
    this.#sources[side] = source;
  }

  receive(side: MessageSide, bytes: Buffer, time: number): void {
    this.#sources[side]?.receive(bytes, time);
  }

  add(side: MessageSide, message: MessageFacts): void {
    this.count += 1;
    const { kind, time, wireBytes, payload, marks = [], anomalies = [], facts = NO_FACTS } = message;
    for (const anomaly of anomalies) this.anomalies.add(anomaly);
    if (kind === 'close') this.#closed.add(side);
    const { bytes, preview } = payload;
    const exchange = this.#id;
    const sequence = this.count;
    const summary = { exchange, sequence, side, kind, time, bytes, wireBytes, marks, anomalies, facts, preview };
    this.fresh.push({ summary, payload });
  }

  /** @param place where in the body of its side the datagram begins */
  datagram(side: MessageSide, bytes: Buffer, time: number, place: number): void {
    const { length } = bytes;
    const preview = previewOf('datagram', bytes);
    const payload = { run: 'body', place, storedBytes: length, inline: null, bytes: length, preview } as const;
    this.add(side, { kind: 'datagram', time, wireBytes: length, payload });
  }

  gap(side: MessageSide, { time, bytes, messages, rest }: GapRecord): void {
    this.#sources[side]?.skip(time);
    const facts = { bytes: String(bytes), messages: String(messages), ...(rest ? { rest: 'true' } : {}) };
    this.add(side, { kind: 'gap', time, wireBytes: bytes, payload: payloadInRow(NOTHING, ''), facts });
  }

  end(time: number): void {
    for (const side of ['request', 'response'] as const) this.#sources[side]?.end(time);
  }

  /** Brings what is borrowed into memory or files of its own. @returns why that failed, or null */
  settle(ended: boolean): unknown {
    for (const keeper of this.#keepers) keeper.settle();
    const { request, response } = this.runs;
    for (const run of [request, response]) {
      if (ended) run?.finish();
      else run?.settle();
    }
    return request?.failure ?? response?.failure ?? null;
  }

  afterCommit(): void {
    this.fresh = [];
  }

  /** Ends what goes on elsewhere; what it has not read by now is lost. */
  close(): void {
    for (const side of ['request', 'response'] as const) this.#sources[side]?.close();
  }

  discard(): void {
    this.close();
    this.runs.request?.discard();
    this.runs.response?.discard();
  }
}
