import type { MessageSide } from '#contract';
import { EventReader, type StreamEvent } from '../../../../proxy-engine/batches.ts';
import type { MessageLog, MessageSource } from './message-log.ts';
import type { PayloadKeeper } from './message-payload.ts';

/** An event stream: `text/event-stream`. */
export class EventSource implements MessageSource {
  readonly isBusy = false;
  readonly #log: MessageLog;
  readonly #side: MessageSide;
  readonly #keeper: PayloadKeeper;
  readonly #reader = new EventReader();

  constructor(log: MessageLog, side: MessageSide) {
    this.#log = log;
    this.#side = side;
    this.#keeper = log.makeKeeper(side);
  }

  receive(bytes: Buffer, time: number): void {
    this.#reader.receive(bytes, (event) => {
      this.#add(event, time);
    });
  }

  skip(time: number): void {
    this.end(time);
  }

  end(time: number): void {
    this.#reader.receiveEof((event) => {
      this.#add(event, time);
    });
  }

  close(): void {
    // Nothing goes on elsewhere.
  }

  #add({ kind, data, name, id, retry, wireBytes, cut, isUtf8 }: StreamEvent, time: number): void {
    this.#keeper.begin(null);
    this.#keeper.add(data);
    const facts: Record<string, string> = {};
    if (name !== null) facts['event'] = name;
    if (id !== null) facts['id'] = id;
    if (retry !== null) facts['retry'] = String(retry);
    this.#log.add(this.#side, {
      kind,
      time,
      wireBytes,
      payload: this.#keeper.finish(kind),
      marks: cut ? ['cut'] : [],
      anomalies: isUtf8 ? [] : ['event-utf-8'],
      facts,
    });
  }
}
