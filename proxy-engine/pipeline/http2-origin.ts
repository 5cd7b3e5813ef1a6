import { LiveList } from '../base/live-list.ts';
import type { ConnectionRecord } from '../capture/tap.ts';
import type { ConnectionId } from '../model/ids.ts';
import { Http2Connection, Http2Error } from '../protocol/http2/index.ts';
import type { Http2Events, Http2Head, Http2Stream } from '../protocol/http2/index.ts';
import type { PipelineContext } from './context.ts';
import type { RecordableConnection } from './exchange-record.ts';
import { FrameFlush } from './frame-flush.ts';
import { FrameTrace } from './frame-trace.ts';
import { trailerLines } from './http2-heads.ts';
import { Http1Origin } from './http1-origin.ts';
import { Http2OriginStream } from './http2-origin-stream.ts';
import type { StreamCarrier } from './http2-stream-link.ts';
import { DEAF, type Link, type LinkHandler } from './link.ts';
import type { OriginRoute } from './origins.ts';

/** An HTTP/2 connection to an origin, shared by as many exchanges as the origin allows at once. */
export class Http2Origin
  implements LinkHandler, RecordableConnection, Http2Events<Http2OriginStream>, StreamCarrier<Http2OriginStream>
{
  readonly link: Link;
  readonly route: OriginRoute;
  readonly id: ConnectionId;
  isRecorded = false;
  /** Coarse milliseconds at which its last stream ended. */
  idleSince: number;
  readonly connection: Http2Connection<Http2OriginStream>;
  /** The error that the origin named in GOAWAY; null while it has named none. */
  farewell: number | null = null;
  readonly #context: PipelineContext;
  readonly #describe: () => ConnectionRecord;
  readonly #onGone: (origin: Http2Origin) => void;
  readonly #flush: FrameFlush;
  readonly #streams = new LiveList<Http2OriginStream>();
  #awaitingSettings: (() => void)[] = [];
  #record: ConnectionRecord | null = null;
  #uses = 0;
  #reading = false;
  #gone = false;
  #retired = false;

  /**
   * @param describe makes the connection's record; called at most once, while the connection stands
   * @param onGone called once, when no stream can be opened on it any more
   */
  constructor(
    context: PipelineContext,
    link: Link,
    route: OriginRoute,
    describe: () => ConnectionRecord,
    id: ConnectionId,
    onGone: (origin: Http2Origin) => void,
  ) {
    this.#context = context;
    this.link = link;
    this.route = route;
    this.id = id;
    this.#describe = describe;
    this.#onGone = onGone;
    this.idleSince = context.clock.coarse;
    this.connection = new Http2Connection('client', context.settings.limits, this, {
      tolerateSpace: context.settings.stripOuterSpace,
      offersConnect: false,
      now: () => context.clock.coarse,
      watcher: new FrameTrace(context, this, () => this.record),
    });
    this.#flush = new FrameFlush(context, link, this.connection);
    link.handler = this;
    context.counters.originConnections += 1;
    this.#flush.soon();
  }

  get record(): ConnectionRecord {
    return (this.#record ??= this.#describe());
  }

  /** Another stream may be opened now. */
  get canOpen(): boolean {
    return !this.#gone && !this.#retired && this.connection.canOpen;
  }

  /** Whether the origin takes extended CONNECT (RFC 8441 §3); null until it has said what it can. */
  get takesUpgrades(): boolean | null {
    return this.connection.ready ? this.connection.takesConnectProtocol : this.#gone ? false : null;
  }

  /** Calls back once `takesUpgrades` is known. */
  onceKnown(tell: () => void): void {
    if (this.takesUpgrades === null) this.#awaitingSettings.push(tell);
    else tell();
  }

  webSocketAccept(key: string): string {
    return this.#context.webSocketAccept(key);
  }

  soon(task: () => void): void {
    this.#context.soon(task);
  }

  get isIdle(): boolean {
    return this.#streams.size === 0;
  }

  /** The origin connection of one exchange: a stream that is opened by the first bytes of its request. */
  openStream(): Http1Origin {
    const stream = new Http2OriginStream(this, this.#context.settings.limits);
    this.#streams.add(stream);
    const origin = new Http1Origin(this.#context, stream, this.route, () => this.record, this.id, stream);
    origin.uses = this.#uses;
    this.#uses += 1;
    return origin;
  }

  /** No new streams; the connection ends when those that are open have. */
  retire(): void {
    if (!this.#retired) {
      this.#retired = true;
      this.#onGone(this);
    }
    if (this.isIdle) this.#close();
  }

  onStreamOver(stream: Http2OriginStream): void {
    if (!this.#streams.remove(stream) || !this.isIdle) return;
    this.idleSince = this.#context.clock.coarse;
    if (this.#retired || this.connection.draining) this.#close();
  }

  /** Frames wait to be written. */
  flushSoon(): void {
    if (!this.#reading) this.#flush.soon();
  }

  // ---- the link ----------------------------------------------------------------------------------------------------

  onBytes(bytes: Buffer): void {
    this.#reading = true;
    this.connection.receive(bytes);
    this.#reading = false;
    this.#flush.soon();
    if (this.connection.failure !== null) this.#close();
  }

  onDrain(): void {
    for (const stream of [...this.#streams.members]) stream.onDrained();
  }

  onEof(): void {
    this.connection.transportClosed('The origin closed its connection.');
    this.#close();
  }

  onClosed(): void {
    this.connection.transportClosed('The origin broke its connection.');
    this.#forget();
  }

  // ---- the protocol ------------------------------------------------------------------------------------------------

  onHead(stream: Http2Stream<Http2OriginStream>, head: Http2Head, endStream: boolean): void {
    stream.owner?.receiveHead(head, endStream);
  }

  onData(stream: Http2Stream<Http2OriginStream>, bytes: Buffer, start: number, end: number, endStream: boolean): void {
    stream.owner?.receiveData(bytes, start, end, endStream);
  }

  onTrailers(stream: Http2Stream<Http2OriginStream>, trailers: Http2Head): void {
    stream.owner?.receiveTrailers(trailerLines(trailers.fields));
  }

  onReset(stream: Http2Stream<Http2OriginStream>, code: number, byPeer: boolean, reason: string): void {
    const isTransport = this.connection.failure?.byPeer ?? false;
    stream.owner?.receiveReset(code, byPeer, reason, isTransport);
  }

  onDrained(stream: Http2Stream<Http2OriginStream>): void {
    stream.owner?.onDrained();
  }

  onGoaway(_lastStream: number, code: number): void {
    if (code !== Http2Error.noError) this.farewell = code;
    this.retire();
  }

  onSettings(): void {
    const awaiting = this.#awaitingSettings;
    this.#awaitingSettings = [];
    for (const tell of awaiting) tell();
    // What concerns the sending side is done; more streams may be open than the origin allows by now, which it refuses.
  }

  onFailure(): void {
    // The streams have been told; `onBytes` closes the link.
  }

  // ---- inside ------------------------------------------------------------------------------------------------------

  #close(): void {
    if (this.#gone) return;
    if (this.connection.failure === null) this.connection.goAway();
    this.#flush.now();
    this.#forget();
    this.link.close();
  }

  #forget(): void {
    if (this.#gone) return;
    this.#gone = true;
    this.#context.counters.originConnections -= 1;
    if (this.link.handler === this) this.link.handler = DEAF;
    this.onSettings();
    if (!this.#retired) this.#onGone(this);
  }
}
