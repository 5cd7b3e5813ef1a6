import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { DEAF, type Link, type LinkFailure } from '../pipeline/link.ts';
import { SocketLink } from './socket-link.ts';

/** A link in the shape of a socket, so that TLS can run over a stream of HTTP/2 as it does over TCP. */
class StreamSocket extends Duplex {
  readonly #link: Link;
  #onDrain: (() => void) | null = null;

  constructor(link: Link) {
    super({ allowHalfOpen: true });
    this.#link = link;
    link.handler = {
      onBytes: (bytes) => {
        if (!this.push(bytes)) link.pause();
      },
      onDrain: () => {
        const onDrain = this.#onDrain;
        this.#onDrain = null;
        onDrain?.();
      },
      onEof: () => {
        this.push(null);
      },
      onClosed: (failure) => {
        this.destroy(failure === null ? undefined : asError(failure));
      },
    };
  }

  /** As a socket's: the peer learns that it did not end in peace. */
  resetAndDestroy(): this {
    this.#link.handler = DEAF;
    this.#link.reset();
    return this.destroy();
  }

  override _read(): void {
    this.#link.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    // Once the callback is called the bytes are its caller's again, and the stream may hold what it was given for long.
    this.#link.write(Buffer.from(chunk));
    if (this.#link.full) this.#onDrain = callback;
    else callback();
  }

  override _final(callback: () => void): void {
    this.#link.finish();
    callback();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#link.handler = DEAF;
    this.#link.close();
    callback(error);
  }
}

function asError({ code, message }: LinkFailure): Error {
  return Object.assign(new Error(message), { code });
}

/** A stream that became a transport, as doors want their connections: TLS may be spoken over it. */
export function linkOverStream(link: Link): SocketLink {
  // Everything that a link and TLS use of a socket is there.
  return new SocketLink(new StreamSocket(link) as unknown as Socket, DEAF);
}
