import type { ErrorCode } from '../model/error-code.ts';
import { ExchangeRecord, type RecordableConnection } from '../pipeline/exchange-record.ts';
import { failure } from '../pipeline/failures.ts';
import { deadlineAfter, type Mortal } from '../pipeline/lifetimes.ts';
import { relayEntry } from './client-entry.ts';
import type { Doorkeeping } from './doorkeeping.ts';
import type { Visitor } from './visitor.ts';

/** The place that a session leads to. */
export interface UdpPlace {
  readonly host: string;
  readonly port: number;
}

/**
 * What one client exchanges with one origin by UDP: a row whose messages are the datagrams. UDP knows no end, so that a
 * session ends when nothing has moved for a while.
 */
export class UdpSession implements Mortal {
  deadline = Infinity;
  readonly place: UdpPlace;
  readonly #keeping: Doorkeeping;
  readonly #record: ExchangeRecord;
  readonly #onEnd: () => void;

  /** @param onEnd called once, however it ends */
  constructor(keeping: Doorkeeping, visitor: Visitor, place: UdpPlace, onEnd: () => void) {
    const { context } = keeping;
    this.place = place;
    this.#keeping = keeping;
    this.#onEnd = onEnd;
    this.#record = new ExchangeRecord(context, context.clock.micros());
    this.#record.begin(relayEntry(context, visitor, 'udp'), {
      kind: 'udp',
      clientProtocol: 'udp',
      scheme: 'udp',
      host: place.host,
      port: place.port,
      method: '',
      path: '',
      head: Buffer.alloc(0),
      sentHead: null,
    });
    this.#touch();
    context.lifetimes.add(this);
  }

  get isOver(): boolean {
    return this.#record.ended;
  }

  /** The origin's address is known. @param address `address:port` */
  reached(address: string): void {
    const { context } = this.#keeping;
    this.#record.markResolved();
    const connection: RecordableConnection = {
      record: { id: context.takeConnectionId(), side: 'origin', address, protocol: 'udp', tls: null },
      isRecorded: false,
    };
    this.#record.origin(connection, false);
  }

  sentToOrigin(bytes: Buffer): void {
    if (this.isOver) return;
    this.#touch();
    this.#keeping.context.counters.bytesToOrigin += bytes.length;
    this.#record.datagram('request', bytes);
  }

  sentToClient(bytes: Buffer): void {
    if (this.isOver) return;
    this.#touch();
    this.#keeping.context.counters.bytesToClient += bytes.length;
    this.#record.markFirstByte();
    this.#record.datagram('response', bytes);
  }

  fail(code: ErrorCode, message: string): void {
    if (this.isOver) return;
    this.#record.end(failure(code, message), false);
    this.#leave();
  }

  end(): void {
    if (this.isOver) return;
    this.#record.end(null, true);
    this.#leave();
  }

  onDeadline(): void {
    this.end();
  }

  drain(): void {
    // Datagrams may go on until the engine's patience is over.
  }

  stop(): void {
    this.end();
  }

  #touch(): void {
    const { clock, settings } = this.#keeping.context;
    this.deadline = deadlineAfter(clock.coarse, settings.timeouts.udpIdle);
  }

  #leave(): void {
    this.#keeping.context.lifetimes.remove(this);
    this.#onEnd();
  }
}
