import { returnRoom } from '../base/bulk-rooms.ts';
import { LiveList } from '../base/live-list.ts';
import { Http2Connection, Http2Error } from '../protocol/http2/index.ts';
import type { Http2Events, Http2Failure, Http2Head, Http2Stream } from '../protocol/http2/index.ts';
import { brokenHead } from './broken-head.ts';
import type { ClientEntry } from './client-entry.ts';
import type { PipelineContext } from './context.ts';
import { ExchangeRecord } from './exchange-record.ts';
import { failure } from './failures.ts';
import { FrameFlush } from './frame-flush.ts';
import { FrameTrace } from './frame-trace.ts';
import { trailerLines } from './http2-heads.ts';
import { Http2Plans } from './http2-plans.ts';
import { Http2ResponseHeads } from './http2-response-heads.ts';
import { Http2ClientStream } from './http2-client-stream.ts';
import type { StreamCarrier } from './http2-stream-link.ts';
import { deadlineAfter, type Mortal } from './lifetimes.ts';
import { DEAF, type Link, type LinkHandler } from './link.ts';

/** An HTTP/2 connection from a client: each stream of it is one exchange, and none waits for another. */
export class Http2Client
  implements LinkHandler, Mortal, Http2Events<Http2ClientStream>, StreamCarrier<Http2ClientStream>
{
  readonly link: Link;
  readonly entry: ClientEntry;
  readonly connection: Http2Connection<Http2ClientStream>;
  readonly context: PipelineContext;
  readonly plans: Http2Plans;
  readonly responseHeads: Http2ResponseHeads<Http2ClientStream>;
  readonly #flush: FrameFlush;
  readonly #streams = new LiveList<Http2ClientStream>();
  /** When an idle connection ends, coarse milliseconds. */
  #idleUntil: number;
  /** Streams whose head came in the segment that is being read: they start at its end, so that head and body go on together. */
  #starting: Http2ClientStream[] = [];
  #reading = false;
  #forgotten = false;

  constructor(context: PipelineContext, link: Link, entry: ClientEntry) {
    this.context = context;
    this.link = link;
    this.entry = entry;
    this.connection = new Http2Connection('server', context.settings.limits, this, {
      tolerateSpace: false,
      offersConnect: context.origins.mayUpgrade(entry.destination?.route ?? null),
      now: () => context.clock.coarse,
      watcher: new FrameTrace(context, entry, () => entry.record()),
    });
    this.plans = new Http2Plans(context, entry);
    this.responseHeads = new Http2ResponseHeads(this.connection);
    this.#flush = new FrameFlush(context, link, this.connection);
    this.#idleUntil = deadlineAfter(context.clock.coarse, context.settings.timeouts.keepAlive);
    link.handler = this;
    context.lifetimes.add(this);
    this.#flush.soon();
  }

  // ---- the link ----------------------------------------------------------------------------------------------------

  onBytes(bytes: Buffer): void {
    this.#reading = true;
    this.connection.receive(bytes);
    this.#reading = false;
    // Frames are read where they lie; whoever keeps a part of one holds the read.
    returnRoom(bytes);
    const starting = this.#starting;
    this.#starting = [];
    for (const stream of starting) stream.start();
    this.#flush.soon();
    if (this.connection.failure !== null) this.#close();
  }

  onDrain(): void {
    for (const stream of [...this.#streams.members]) stream.onLinkDrain();
  }

  onEof(): void {
    this.connection.transportClosed('closed its connection');
    this.#close();
  }

  onClosed(): void {
    this.connection.transportClosed('closed its connection');
    this.#forget();
  }

  /** The earliest of its streams'; looked at a few times a second, which costs less than keeping account of each stream. */
  get deadline(): number {
    if (this.#streams.size === 0) return this.#idleUntil;
    let earliest = Infinity;
    for (const { deadline } of this.#streams.members) if (deadline < earliest) earliest = deadline;
    return earliest;
  }

  onDeadline(): void {
    if (this.#streams.size === 0) {
      this.#sayGoodbye();
      return;
    }
    const now = this.context.clock.coarse;
    for (const stream of [...this.#streams.members]) if (stream.deadline <= now) stream.onDeadline();
  }

  drain(): void {
    this.connection.goAway();
    this.#flush.soon();
    if (this.#streams.size === 0) this.#close();
  }

  stop(): void {
    for (const stream of [...this.#streams.members]) stream.stop();
    this.#sayGoodbye();
  }

  // ---- the streams -------------------------------------------------------------------------------------------------

  /** Frames wait to be written. */
  flushSoon(): void {
    if (!this.#reading) this.#flush.soon();
  }

  soon(task: () => void): void {
    this.context.soon(task);
  }

  onStreamBegun(stream: Http2ClientStream): void {
    this.#streams.add(stream);
    this.#starting.push(stream);
  }

  onStreamOver(stream: Http2ClientStream): void {
    this.#streams.remove(stream);
    if (this.#streams.size > 0) return;
    const { clock, settings } = this.context;
    this.#idleUntil = deadlineAfter(clock.coarse, settings.timeouts.keepAlive);
    if (this.connection.draining) this.#close();
  }

  // ---- the protocol ------------------------------------------------------------------------------------------------

  onHead(stream: Http2Stream<Http2ClientStream>, head: Http2Head, endStream: boolean): void {
    stream.owner = new Http2ClientStream(this, stream, head, endStream);
  }

  onData(stream: Http2Stream<Http2ClientStream>, bytes: Buffer, start: number, end: number, endStream: boolean): void {
    stream.owner?.onData(bytes, start, end, endStream);
  }

  onTrailers(stream: Http2Stream<Http2ClientStream>, trailers: Http2Head): void {
    stream.owner?.onTrailers(trailerLines(trailers.fields));
  }

  onReset(stream: Http2Stream<Http2ClientStream>, code: number, byPeer: boolean, reason: string): void {
    if (stream.owner !== null) stream.owner.onReset(code, byPeer, reason);
    else if (!byPeer && this.connection.failure === null) this.#recordRefusal('http2.malformed-request', reason);
  }

  onDrained(stream: Http2Stream<Http2ClientStream>): void {
    stream.owner?.onDrained();
  }

  onGoaway(): void {
    if (this.#streams.size === 0) this.#close();
  }

  onSettings(): void {
    // The sending side has taken what concerns it.
  }

  onFailure({ message }: Http2Failure): void {
    this.#recordRefusal('http2.client-connection', message);
  }

  // ---- inside ------------------------------------------------------------------------------------------------------

  /** What never became a request is a row all the same. */
  #recordRefusal(code: 'http2.malformed-request' | 'http2.client-connection', message: string): void {
    const { destination, protocol } = this.entry;
    const head = brokenHead(Buffer.alloc(0));
    const record = new ExchangeRecord(this.context, this.context.clock.micros());
    record.begin(this.entry, {
      kind: 'http',
      scheme: destination?.route.scheme ?? (protocol === 'h2' ? 'https' : 'http'),
      host: destination?.host ?? '',
      port: destination?.route.port ?? 0,
      method: head.method,
      path: head.target,
      head: head.bytes,
      sentHead: null,
      clientProtocol: protocol ?? 'h2',
    });
    record.end(failure(code, message), false);
  }

  #sayGoodbye(): void {
    this.connection.goAway(Http2Error.noError);
    this.#close();
  }

  #close(): void {
    this.#flush.now();
    this.#forget();
    this.link.close();
  }

  #forget(): void {
    if (this.#forgotten) return;
    this.#forgotten = true;
    this.context.lifetimes.remove(this);
    if (this.link.handler === this) this.link.handler = DEAF;
  }
}
