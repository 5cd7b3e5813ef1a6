import type { Carrier, ClientFrame, ServerFrame } from '../../app/contract/wire.ts';

/** Both ends of a carrier in memory; frames arrive in order, a turn of the microtask queue later, as structured clones. */
export interface CarrierPair {
  readonly client: Carrier<ClientFrame, ServerFrame>;
  readonly server: Carrier<ServerFrame, ClientFrame>;
}

class End<Out, In> implements Carrier<Out, In> {
  peer: End<In, Out> | null = null;
  #frameListener: ((frame: In) => void) | null = null;
  #closeListener: (() => void) | null = null;
  #closed = false;

  send(frame: Out): void {
    const { peer } = this;
    if (this.#closed || peer === null) return;
    const copy = structuredClone(frame);
    queueMicrotask(() => {
      peer.#frameListener?.(copy);
    });
  }

  onFrame(listener: (frame: In) => void): void {
    this.#frameListener = listener;
  }

  onClose(listener: () => void): void {
    this.#closeListener = listener;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#closeListener?.();
    this.peer?.close();
  }
}

export function createCarrierPair(): CarrierPair {
  const client = new End<ClientFrame, ServerFrame>();
  const server = new End<ServerFrame, ClientFrame>();
  client.peer = server;
  server.peer = client;
  return { client, server };
}
