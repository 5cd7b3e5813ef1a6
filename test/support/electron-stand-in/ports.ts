import { EventEmitter } from 'node:events';

interface PortEvents {
  message: [event: { data: unknown; ports: readonly StandInPort[] }];
  close: [];
}

/** One end of a channel. It works in this process until it is sent to another, then it only passes on. */
export class StandInPort extends EventEmitter<PortEvents> {
  peer: StandInPort | null = null;
  #started = false;
  #closed = false;
  readonly #waiting: unknown[] = [];
  #away: { message: (data: unknown) => void; close: () => void } | null = null;

  postMessage(data: unknown): void {
    if (!this.#closed) this.peer?.deliver(structuredClone(data));
  }

  start(): void {
    this.#started = true;
    for (const data of this.#waiting.splice(0)) this.deliver(data);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.peer?.farEndClosed();
  }

  /** The port now lives in another process or page: what comes for it goes to `message`. */
  sendAway(message: (data: unknown) => void, close: () => void): void {
    this.#away = { message, close };
    for (const data of this.#waiting.splice(0)) message(data);
  }

  deliver(data: unknown): void {
    if (this.#closed) return;
    if (this.#away !== null) this.#away.message(data);
    else if (this.#started) this.emit('message', { data, ports: [] });
    else this.#waiting.push(data);
  }

  farEndClosed(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#away !== null) this.#away.close();
    else this.emit('close');
  }
}

/** Two ports that are connected to each other. */
export class MessageChannelMain {
  readonly port1 = new StandInPort();
  readonly port2 = new StandInPort();

  constructor() {
    this.port1.peer = this.port2;
    this.port2.peer = this.port1;
  }
}
