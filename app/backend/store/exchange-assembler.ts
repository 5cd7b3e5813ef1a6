import type {
  BatchVisitor,
  BeginRecord,
  CapturedBodies,
  ConnectionRecord,
  EndRecord,
  GapRecord,
  ResponseRecord,
} from '../../../proxy-engine/batches.ts';
import type { ConnectionId, ExchangeId, MessageSide, ProtocolName, SessionId } from '#contract';
import { ExpectedReplays } from './expected-replays.ts';
import { ClientNames } from './client-names.ts';
import { FrameChunks } from './frames/frame-chunks.ts';
import { PendingExchange, type PendingMessage } from './pending-exchange.ts';
import type { StoreFolder } from './store-folder.ts';

/** What one commit writes besides exchanges. */
export interface ConnectionWork {
  readonly recorded: readonly { readonly session: SessionId; readonly record: ConnectionRecord }[];
  /** Connections that a later session goes on using. */
  readonly adopted: readonly { readonly session: SessionId; readonly id: ConnectionId }[];
}

/** Puts the records of batches together to exchanges, until a commit takes them. */
export class ExchangeAssembler implements BatchVisitor {
  readonly #folder: StoreFolder;
  /** Connections whose exchanges are replays. */
  readonly replays = new ExpectedReplays();
  readonly #active = new Map<ExchangeId, PendingExchange>();
  readonly #touched = new Set<PendingExchange>();
  #recorded: { session: SessionId; record: ConnectionRecord }[] = [];
  #adopted: { session: SessionId; id: ConnectionId }[] = [];
  readonly #clients = new ClientNames();
  /** Frames that the next commit writes. */
  readonly frameChunks = new FrameChunks();
  #newestExchange: ExchangeId = 0;
  #session: SessionId = 0;
  #newestConnection: ConnectionId = 0;
  #lastOfEarlierSessions: ConnectionId = 0;

  readonly #ending = new Map<PendingExchange, { readonly record: EndRecord; readonly captured: CapturedBodies }>();
  readonly #onLate: () => void;

  /** @param onLate something is to be committed that no batch brought */
  constructor(folder: StoreFolder, onLate: () => void) {
    this.#folder = folder;
    this.#onLate = onLate;
  }

  /** Exchanges that the next commit writes. */
  get touched(): ReadonlySet<PendingExchange> {
    return this.#touched;
  }

  get connections(): ConnectionWork {
    return { recorded: this.#recorded, adopted: this.#adopted };
  }

  /** The youngest exchange that was begun. */
  get newestExchange(): ExchangeId {
    return this.#newestExchange;
  }

  get isIdle(): boolean {
    return this.#touched.size === 0 && this.#recorded.length === 0 && this.frameChunks.isEmpty;
  }

  /** The session that exchanges of the next batch belong to. */
  into(session: SessionId): void {
    this.#session = session;
  }

  /** Connections that are open now may serve exchanges of the session that begins. */
  sessionChanged(): void {
    this.#lastOfEarlierSessions = this.#newestConnection;
  }

  /** A commit stored everything. */
  committed(): void {
    for (const exchange of this.#touched) exchange.afterCommit();
    this.#touched.clear();
    this.frameChunks.clear();
    this.#recorded = [];
    this.#adopted = [];
  }

  /** Exchanges that are being recorded still, by id. */
  get active(): ReadonlyMap<ExchangeId, PendingExchange> {
    return this.#active;
  }

  /**
   * The program behind a client's connection is known from now on.
   * @returns exchanges of it that were recorded without the name
   */
  nameClient(connection: ConnectionId, program: string): readonly ExchangeId[] {
    const ids = this.#clients.name(connection, program);
    for (const id of ids) {
      const exchange = this.#active.get(id);
      if (exchange !== undefined) exchange.program = program;
    }
    return ids;
  }

  /** Gives one exchange up. */
  drop(exchange: PendingExchange): void {
    exchange.discard();
    this.#touched.delete(exchange);
    this.#ending.delete(exchange);
    this.#active.delete(exchange.begin.id);
  }

  /** Gives up what belongs to these sessions and returns how many exchanges that were. */
  dropWhere(isGone: (session: SessionId) => boolean): number {
    let dropped = 0;
    for (const exchange of new Set([...this.#touched, ...this.#active.values()])) {
      if (!isGone(exchange.session)) continue;
      this.drop(exchange);
      dropped += 1;
    }
    this.#recorded = this.#recorded.filter(({ session }) => !isGone(session));
    this.#adopted = this.#adopted.filter(({ session }) => !isGone(session));
    return dropped;
  }

  connection(record: ConnectionRecord): void {
    this.#newestConnection = Math.max(this.#newestConnection, record.id);
    this.#recorded.push({ session: this.#session, record });
  }

  frames(connection: ConnectionId, packed: Buffer): void {
    this.frameChunks.add(connection, packed);
  }

  begin(record: BeginRecord): void {
    this.#newestExchange = Math.max(this.#newestExchange, record.id);
    const original = this.replays.originalOf(record.clientAddress);
    const exchange = new PendingExchange(this.#folder, this.#session, record, original, this.#decodedLate);
    exchange.program = this.#clients.programOf(record.clientConnection, record.id);
    this.#active.set(record.id, exchange);
    this.#touch(exchange);
    this.#use(record.clientConnection);
  }

  origin(id: ExchangeId, connection: ConnectionId, address: string, protocol: ProtocolName, reused: boolean): void {
    const exchange = this.#find(id);
    if (exchange === undefined) return;
    exchange.originConnection = connection;
    exchange.originAddress = address;
    exchange.originProtocol = protocol;
    exchange.originReused = reused;
    this.#use(connection);
  }

  originStream(id: ExchangeId, stream: number): void {
    const exchange = this.#find(id);
    if (exchange !== undefined) exchange.originStream = stream;
  }

  sentRequestHead(id: ExchangeId, head: Buffer): void {
    const exchange = this.#find(id);
    if (exchange !== undefined) exchange.request.sentHead = head;
  }

  informational(id: ExchangeId, head: Buffer): void {
    this.#find(id)?.addInformational(head);
  }

  response(id: ExchangeId, record: ResponseRecord): void {
    this.#find(id)?.addResponse(record);
  }

  payload(id: ExchangeId, side: MessageSide, bytes: Buffer, time: number): void {
    this.#find(id)?.addPayload(side, bytes, time);
  }

  datagram(id: ExchangeId, side: MessageSide, bytes: Buffer, time: number): void {
    this.#find(id)?.addDatagram(side, bytes, time);
  }

  gap(id: ExchangeId, side: MessageSide, record: GapRecord): void {
    this.#find(id)?.addGap(side, record);
  }

  framing(id: ExchangeId, side: MessageSide, bytes: Buffer): void {
    this.#message(id, side)?.addFraming(bytes);
  }

  trailers(id: ExchangeId, side: MessageSide, bytes: Buffer): void {
    this.#find(id)?.addTrailers(side, bytes);
  }

  end(id: ExchangeId, record: EndRecord, captured: CapturedBodies): void {
    const exchange = this.#find(id);
    if (exchange === undefined) return;
    exchange.endMessages(record);
    if (exchange.messages?.isBusy ?? false) this.#ending.set(exchange, { record, captured });
    else this.#finish(exchange, record, captured);
  }

  /** Exchanges that are over but for messages that are being decoded. */
  get isEnding(): boolean {
    return this.#ending.size > 0;
  }

  /** Waits for no decoder any longer. */
  finishEnding(): void {
    for (const [exchange, { record, captured }] of this.#ending) {
      exchange.messages?.close();
      this.#finish(exchange, record, captured);
    }
  }

  #finish(exchange: PendingExchange, record: EndRecord, captured: CapturedBodies): void {
    this.#ending.delete(exchange);
    exchange.finish(record, captured);
    this.#active.delete(exchange.begin.id);
    this.#touch(exchange);
  }

  readonly #decodedLate = (exchange: PendingExchange): void => {
    const ending = this.#ending.get(exchange);
    if (ending !== undefined && !(exchange.messages?.isBusy ?? false)) {
      this.#finish(exchange, ending.record, ending.captured);
    } else if (this.#active.get(exchange.begin.id) === exchange) this.#touch(exchange);
    this.#onLate();
  };

  /** Unknown ids belong to exchanges that were given up. */
  #find(id: ExchangeId): PendingExchange | undefined {
    const exchange = this.#active.get(id);
    if (exchange !== undefined) this.#touch(exchange);
    return exchange;
  }

  #message(id: ExchangeId, side: MessageSide): PendingMessage | undefined {
    return this.#find(id)?.[side];
  }

  #touch(exchange: PendingExchange): void {
    if (exchange.dirty) return;
    exchange.dirty = true;
    this.#touched.add(exchange);
  }

  #use(connection: ConnectionId): void {
    if (connection <= this.#lastOfEarlierSessions) this.#adopted.push({ session: this.#session, id: connection });
  }
}
