import type { MessageSide } from '#contract';
import { EventReader, type StreamEvent } from '../../../../proxy-engine/batches.ts';
import type { LlmWatch } from './llm-watch.ts';
import type { MessageLog, MessageSource } from './message-log.ts';
import type { PayloadKeeper } from './message-payload.ts';

/** An event stream: `text/event-stream`. */
export class EventSource implements MessageSource {
  readonly isBusy = false;
  readonly #log: MessageLog;
  readonly #side: MessageSide;
  readonly #keeper: PayloadKeeper;
  readonly #llm: LlmWatch | null;
  readonly #reader = new EventReader();

  /** @param llm looks for the answer of a language model in the events */
  constructor(log: MessageLog, side: MessageSide, llm: LlmWatch | null) {
    this.#log = log;
    this.#side = side;
    this.#llm = llm;
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
    if (kind === 'event' && !cut) this.#llm?.event(data, time);
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
