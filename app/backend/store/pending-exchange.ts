import type {
  BeginRecord,
  CapturedBodies,
  EndRecord,
  GapRecord,
  ResponseRecord,
} from '../../../proxy-engine/batches.ts';
import type {
  BodyCapture,
  ExchangeId,
  ExchangeSummary,
  LlmSummary,
  MessageSide,
  ProtocolName,
  SessionId,
} from '#contract';
import { FramingEncoder } from './framing-codec.ts';
import { mediaTypeOfHead } from './head-fields.ts';
import {
  chooseRequestSource,
  chooseResponseSource,
  readGrpcStatus,
  type MessageOwner,
} from './messages/choose-sources.ts';
import { watchLlm, type LlmWatch } from './messages/llm-watch.ts';
import { MessageLog } from './messages/message-log.ts';
import { graphqlOperation, mayBeGraphql } from './graphql-operation.ts';
import { RunCollector } from './run-collector.ts';
import type { StoreFolder } from './store-folder.ts';

/** One direction of an exchange that is being recorded. */
export class PendingMessage {
  readonly body: RunCollector;
  head: Buffer | null = null;
  sentHead: Buffer | null = null;
  trailers: Buffer | null = null;
  readonly #makeFraming: () => RunCollector;
  #framing: RunCollector | null = null;
  #encoder: FramingEncoder | null = null;

  constructor(folder: StoreFolder, id: number, side: MessageSide) {
    this.body = new RunCollector(folder, id, side, 'body');
    this.#makeFraming = () => new RunCollector(folder, id, side, 'framing');
  }

  /** Null for a message without transfer framing. */
  get framing(): RunCollector | null {
    return this.#framing;
  }

  addPayload(bytes: Buffer): void {
    this.body.add(bytes);
    this.#encoder?.payload(bytes.length);
  }

  addFraming(bytes: Buffer): void {
    if (this.#encoder === null) {
      const run = this.#makeFraming();
      this.#framing = run;
      this.#encoder = new FramingEncoder((encoded) => {
        run.add(encoded);
      });
      this.#encoder.payload(this.body.bytes);
    }
    this.#encoder.framing(bytes);
  }

  finish(): void {
    this.#encoder?.finish();
    this.#encoder = null;
  }

  discard(): void {
    this.body.discard();
    this.#framing?.discard();
  }
}

/** What a person notes on an exchange. */
export type ExchangeMarks = Pick<ExchangeSummary, 'label' | 'pinned' | 'commented'>;

/**
 * An exchange between its first record and its last commit. Buffers are views of batches until the next commit; what a
 * commit has stored is let go (null then means: as stored).
 */
export class PendingExchange implements MessageOwner {
  readonly session: SessionId;
  readonly begin: BeginRecord;
  readonly request: PendingMessage;
  readonly response: PendingMessage;
  informational: Buffer | null = null;
  originConnection: number | null = null;
  originReused = false;
  /** Of HTTP/2; 0 for none. */
  originStream = 0;
  originAddress: string | null = null;
  originProtocol: ProtocolName | null = null;
  status: number | null = null;
  mediaType: string | null = null;
  end: EndRecord | null = null;
  /** Its rows exist. */
  stored = false;
  /** Something came since its last commit. */
  dirty = false;
  /** What a person noted on its row meanwhile; rows keep it, summaries repeat it. */
  marks: ExchangeMarks = { label: 0, pinned: false, commented: false };
  /** A person deleted it while it ran: nobody is told of it any more. */
  hidden = false;
  program: string | null = null;
  operation: string | null = null;
  llm: LlmSummary | null = null;
  llmWatch: LlmWatch | null = null;
  /** Null: it carries no messages. */
  messages: MessageLog | null = null;
  grpcStatus: number | null = null;
  /** The exchange that this one repeats. */
  readonly replayOf: ExchangeId | null;
  readonly #folder: StoreFolder;
  readonly #onLate: (exchange: PendingExchange) => void;
  #captured: CapturedBodies = { request: 'whole', response: 'whole' };

  /** @param onLate hears when messages came that no record brought: they had to be decoded first */
  constructor(
    folder: StoreFolder,
    session: SessionId,
    record: BeginRecord,
    replayOf: ExchangeId | null,
    onLate: (exchange: PendingExchange) => void,
  ) {
    this.replayOf = replayOf;
    this.session = session;
    this.#folder = folder;
    this.#onLate = onLate;
    // Only texts and numbers outlive the next commit.
    this.begin = record;
    this.request = new PendingMessage(folder, record.id, 'request');
    this.response = new PendingMessage(folder, record.id, 'response');
    this.request.head = record.head;
    this.request.sentHead = record.sentHead;
    chooseRequestSource(this, record.method, record.head);
  }

  addInformational(head: Buffer): void {
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(head.length);
    this.informational = Buffer.concat([this.informational ?? Buffer.alloc(0), length, head]);
  }

  addResponse(record: ResponseRecord): void {
    this.status = record.status;
    this.response.head = record.head;
    this.response.sentHead = record.sentHead;
    this.mediaType = mediaTypeOfHead(record.head);
    this.llmWatch = watchLlm(this.begin, record.head, this.mediaType);
    const response = { status: record.status, head: record.head, mediaType: this.mediaType };
    chooseResponseSource(this, response, this.begin.kind === 'websocket');
  }

  addPayload(side: MessageSide, bytes: Buffer, time: number): void {
    this[side].addPayload(bytes);
    if (this.llmWatch !== null && side === 'response') this.llmWatch.receive(bytes);
    this.messages?.receive(side, bytes, time);
  }

  addDatagram(side: MessageSide, bytes: Buffer, time: number): void {
    const place = this[side].body.bytes;
    this[side].addPayload(bytes);
    this.log().datagram(side, bytes, time, place);
  }

  addGap(side: MessageSide, gap: GapRecord): void {
    this.log().gap(side, gap);
  }

  addTrailers(side: MessageSide, section: Buffer): void {
    this[side].trailers = section;
    if (side === 'response' && this.messages !== null) readGrpcStatus(this, section);
  }

  /** Nothing more comes, but what came may still be being decoded. */
  endMessages(record: EndRecord): void {
    this.messages?.end(this.begin.startedAt + (record.timing.end ?? 0));
  }

  finish(record: EndRecord, captured: CapturedBodies): void {
    // Some servers break the connection of a WebSocket as soon as both have said close; that is its end and no failure.
    const isWhole = record.error?.code === 'origin.cut-short' && (this.messages?.isClosed ?? false);
    this.end = isWhole ? { ...record, error: null, complete: true } : record;
    this.#captured = captured;
    this.request.finish();
    this.response.finish();
    if (mayBeGraphql(this.begin.path)) this.operation = graphqlOperation(this.begin, this.request.body.short);
    if (this.llmWatch !== null) this.llm = this.llmWatch.finish(this.request.body.short, isCancelled(this.end));
    this.llmWatch = null;
  }

  /** How much of the bodies is kept, once they have settled. */
  get bodies(): BodyCapture {
    const { request, response } = this.#captured;
    const failed = this.request.body.failure !== null || this.response.body.failure !== null;
    const kept = this.request.body.bytes + this.response.body.bytes;
    if (request === 'whole' && response === 'whole') return failed ? 'truncated' : 'whole';
    return kept === 0 ? 'none' : 'truncated';
  }

  get summary(): ExchangeSummary {
    const { begin, end } = this;
    return {
      id: begin.id,
      session: this.session,
      kind: begin.kind,
      state: this.state,
      startedAt: begin.startedAt,
      duration: end?.timing.end ?? null,
      method: begin.method,
      scheme: begin.scheme,
      host: begin.host,
      port: begin.port,
      path: begin.path,
      status: this.status,
      mediaType: this.mediaType,
      client: { address: begin.clientAddress, protocol: begin.clientProtocol },
      origin: { address: this.originAddress, protocol: this.originProtocol },
      requestBodyBytes: end?.requestBodyBytes ?? this.request.body.bytes,
      responseBodyBytes: end?.responseBodyBytes ?? this.response.body.bytes,
      error: end?.error ?? null,
      anomalies: this.#anomalies,
      bodies: this.bodies,
      ...this.marks,
      program: this.program,
      operation: this.operation,
      llm: this.llm,
      messages: this.messages?.count ?? 0,
      grpcStatus: this.grpcStatus,
      replayOf: this.replayOf,
    };
  }

  get #anomalies(): ExchangeSummary['anomalies'] {
    const recorded = this.end?.anomalies ?? [];
    const found = this.messages?.anomalies ?? null;
    return found === null || found.size === 0 ? recorded : [...new Set([...recorded, ...found])];
  }

  log(): MessageLog {
    if (this.messages === null) {
      this.messages = new MessageLog(this.#folder, this.begin.id);
      this.messages.onLate = () => {
        this.#onLate(this);
      };
    }
    return this.messages;
  }

  noteGrpcStatus(status: number): void {
    this.grpcStatus = status;
  }

  get state(): ExchangeSummary['state'] {
    if (this.end === null) return 'active';
    return this.end.complete && this.end.error === null ? 'complete' : 'failed';
  }

  /** A commit has stored everything that came so far. */
  afterCommit(): void {
    this.stored = true;
    this.dirty = false;
    this.informational = null;
    this.messages?.afterCommit();
    for (const message of [this.request, this.response]) {
      message.head = null;
      message.sentHead = null;
      message.trailers = null;
    }
  }

  discard(): void {
    this.messages?.discard();
    this.request.discard();
    this.response.discard();
  }
}

/** The client went away before the end. */
function isCancelled({ error }: EndRecord): boolean {
  return error?.code === 'client.cancelled' || error?.code === 'client.cut-short';
}
