import type { MessageSide } from '../model/exchange.ts';
import type { PipelineContext } from './context.ts';
import type { ExchangeRecord } from './exchange-record.ts';
import { failure } from './failures.ts';
import type { PacedSource } from './pacing.ts';
import { deadlineAfter, type Mortal } from './lifetimes.ts';
import { DEAF, type Link, type LinkFailure, type LinkHandler } from './link.ts';

export interface TunnelOptions {
  /** The bytes are recorded, not only counted. */
  readonly recordsBytes: boolean;
}

/** Bytes relayed both ways without a parser; each side may end before the other. */
export class Tunnel implements Mortal, PacedSource {
  deadline: number;
  readonly #context: PipelineContext;
  readonly record: ExchangeRecord;
  readonly #recordsBytes: boolean;
  readonly #idle: number;
  readonly #client: TunnelSide;
  readonly #origin: TunnelSide;
  #over = false;

  constructor(context: PipelineContext, record: ExchangeRecord, client: Link, origin: Link, options: TunnelOptions) {
    this.#context = context;
    this.record = record;
    this.#recordsBytes = options.recordsBytes;
    this.#idle = context.settings.timeouts.idle;
    this.#client = new TunnelSide(this, 'request', client, origin);
    this.#origin = new TunnelSide(this, 'response', origin, client);
    this.deadline = deadlineAfter(context.clock.coarse, this.#idle);
    context.lifetimes.add(this);
  }

  /** Begins to relay; the arguments are bytes that each side had sent before. */
  start(fromClient: Buffer, fromOrigin: Buffer): void {
    if (fromClient.length > 0) this.#client.onBytes(fromClient);
    if (fromOrigin.length > 0) this.#origin.onBytes(fromOrigin);
    this.#client.begin();
    this.#origin.begin();
    // A side may have ended while somebody else handled it, for example while the origin was being dialled.
    if (this.#client.link.ended) this.#client.onEof();
    if (this.#origin.link.ended) this.#origin.onEof();
  }

  drain(): void {
    // A tunnel may go on until the engine's patience is over.
  }

  stop(): void {
    if (this.#over) return;
    this.#end(failure('weir.stopped', 'Weir was stopped while the tunnel was open.', { phase: 'body' }));
    this.#client.link.reset();
    this.#origin.link.reset();
  }

  onDeadline(): void {
    this.#end(failure('timeout.idle', `Nothing moved within ${String(this.#idle)} ms (setting timeouts.idle).`));
    this.#client.link.close();
    this.#origin.link.close();
  }

  count(side: MessageSide, bytes: Buffer): void {
    this.deadline = deadlineAfter(this.#context.clock.coarse, this.#idle);
    const { counters } = this.#context;
    if (side === 'request') counters.bytesToOrigin += bytes.length;
    else counters.bytesToClient += bytes.length;
    if (side === 'response') this.record.markFirstByte();
    if (this.#recordsBytes) this.record.payload(side, bytes, 0, bytes.length);
    else this.record.count(side, bytes.length);
  }

  /** `side` can take more: its counterpart is read again. */
  resumeOther(side: TunnelSide): void {
    (side === this.#client ? this.#origin : this.#client).goOn();
  }

  /** Whether `side` has to rest until the store has taken more of what it sends. */
  paces(side: MessageSide): boolean {
    return this.#recordsBytes && this.#context.pacing.holds(this, side);
  }

  onPaceRelieved(side: MessageSide): void {
    (side === 'request' ? this.#client : this.#origin).goOn();
  }

  onSideEnded(): void {
    if (!this.#client.ended || !this.#origin.ended) return;
    this.#end(null);
    this.#client.link.close();
    this.#origin.link.close();
  }

  onSideClosed(side: TunnelSide, reason: LinkFailure | null): void {
    if (this.#over) return;
    const broken = side === this.#origin && (reason !== null || !side.ended);
    this.#end(
      broken ? failure('origin.cut-short', `The origin broke the connection (${reason?.code ?? 'closed'}).`) : null,
    );
    const other = side === this.#origin ? this.#client : this.#origin;
    if (reason === null) other.link.close();
    else other.link.cut();
  }

  #end(error: Parameters<ExchangeRecord['end']>[0]): void {
    if (this.#over) return;
    this.#over = true;
    this.#context.lifetimes.remove(this);
    this.#context.pacing.forget(this);
    this.record.end(error, error === null);
  }
}

class TunnelSide implements LinkHandler {
  readonly link: Link;
  ended = false;
  readonly #tunnel: Tunnel;
  readonly #side: MessageSide;
  readonly #sink: Link;

  constructor(tunnel: Tunnel, side: MessageSide, link: Link, sink: Link) {
    this.#tunnel = tunnel;
    this.#side = side;
    this.link = link;
    this.#sink = sink;
    link.handler = this;
  }

  begin(): void {
    if (!this.#sink.full) this.link.resume();
  }

  onBytes(bytes: Buffer): void {
    this.#tunnel.count(this.#side, bytes);
    this.#sink.write(bytes);
    this.#rest();
  }

  /** Reads on unless there is a reason to rest. */
  goOn(): void {
    this.link.resume();
    this.#rest();
  }

  #rest(): void {
    if (this.#sink.full || this.#tunnel.paces(this.#side)) this.link.pause();
  }

  onDrain(): void {
    this.#tunnel.resumeOther(this);
  }

  onEof(): void {
    this.ended = true;
    this.#sink.finish();
    this.#tunnel.onSideEnded();
  }

  onClosed(reason: LinkFailure | null): void {
    this.link.handler = DEAF;
    this.#tunnel.onSideClosed(this, reason);
  }
}
