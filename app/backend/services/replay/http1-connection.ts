import type { Socket } from 'node:net';
import { createResponseDecoder, DEFAULT_LIMITS, type Http1Sink, type ResponseHead } from '#engine';
import type { HeaderField } from '#contract';
import type { Answer, ReplayConnection } from './answer.ts';
import type { PlannedRequest } from './plan-request.ts';

type Settled = { readonly head: ResponseHead } | { readonly error: Error };

/** One connection of HTTP/1: a request at a time, its exact bytes. */
export class Http1Connection implements ReplayConnection {
  readonly capacity = 1;
  usable = true;
  readonly #socket: Socket;
  readonly #decoder = createResponseDecoder(DEFAULT_LIMITS, { bareLineFeed: true });
  readonly #sink: Http1Sink<ResponseHead>;
  #head: ResponseHead | null = null;
  #settle: ((settled: Settled) => void) | null = null;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#sink = {
      onHead: (head) => {
        this.#head = head;
      },
      // The engine records the body; here only its end counts.
      onPayload: () => undefined,
      onFraming: () => undefined,
      onWire: () => undefined,
      onTrailers: () => undefined,
      onEnd: () => {
        this.#ended();
      },
    };
    socket.on('data', (bytes: Buffer) => {
      this.#receive(bytes);
    });
    socket.on('end', () => {
      this.#decoder.receiveEof(this.#sink);
      this.#fail(new Error('The connection was closed before the answer was whole.'));
      socket.end();
    });
    socket.on('error', (error) => {
      this.#fail(error);
    });
    socket.on('close', () => {
      this.#fail(new Error('The connection was closed before the answer was whole.'));
    });
    socket.resume();
  }

  async send(planned: PlannedRequest): Promise<Answer> {
    const { head, body } = planned.http1();
    this.#head = null;
    this.#decoder.next(planned.method);
    const startedAt = performance.now();
    const answered = new Promise<Settled>((resolve) => {
      this.#settle = resolve;
    });
    if (!this.usable) this.#fail(new Error('The connection was closed.'));
    this.#socket.write(head);
    // An answer may come before the body is through, and ends the wait for it.
    await Promise.race([this.#write(body()), answered]);
    const settled = await answered;
    if ('error' in settled) throw settled.error;
    return {
      status: settled.head.status,
      fields: fieldsOf(settled.head),
      milliseconds: performance.now() - startedAt,
    };
  }

  close(): void {
    this.usable = false;
    this.#socket.destroy();
  }

  async #write(pieces: AsyncIterable<Buffer>): Promise<void> {
    try {
      for await (const piece of pieces) {
        if (this.#settle === null || this.#socket.destroyed) {
          this.usable = false;
          return;
        }
        if (!this.#socket.write(piece)) await drained(this.#socket);
      }
    } catch (error: unknown) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      this.close();
    }
  }

  #receive(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && this.#settle !== null;) {
      at = this.#decoder.receive(bytes, at, this.#sink);
      const { failure } = this.#decoder;
      if (failure !== null) {
        this.#fail(new Error(failure.message));
        this.close();
        return;
      }
    }
  }

  #ended(): void {
    const head = this.#head;
    if (head === null) return;
    // 1xx announce the answer; 101 is the last that HTTP says here (RFC 9110 §15.2).
    if (head.status < 200 && head.status !== 101) {
      this.#head = null;
      this.#decoder.next(head.status === 100 ? 'GET' : '');
      return;
    }
    if (!head.keepAlive || head.framing === 'until-close' || head.status === 101) {
      this.usable = false;
      this.#socket.end();
    }
    this.#settle?.({ head });
    this.#settle = null;
  }

  #fail(error: Error): void {
    this.usable = false;
    this.#settle?.({ error });
    this.#settle = null;
  }
}

function fieldsOf(head: ResponseHead): readonly HeaderField[] {
  return Array.from({ length: head.fieldCount }, (_, index): HeaderField => [
    head.fieldName(index),
    head.fieldValue(index),
  ]);
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}
