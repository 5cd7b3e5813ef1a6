import type { Socket } from 'node:net';
import { DESK_BYTES, gather, leaveDesk } from '../base/desk.ts';
import { remoteAddress } from './addresses.ts';
import { leaveEarly, lowestSocket, takeEarly } from './socket-layers.ts';
import { BULK_BYTES, SocketReader } from './socket-reader.ts';
import { SocketWriter, writeStream } from './socket-writer.ts';
import { DEAF, type Link, type LinkFailure, type LinkHandler } from '../pipeline/link.ts';

/** How long a closed connection may go on sending before it is destroyed, and a cut one may take to send its rest, ms. */
const LINGER_MS = 2_000;

const NOTHING = Buffer.alloc(0);

/** A link over a TCP socket, or over a TLS socket together with the TCP socket below it. */
export class SocketLink implements Link {
  handler: LinkHandler;
  ended = false;
  readonly secure: boolean;
  readonly #socket: Socket;
  readonly #raw: Socket;
  readonly #reader: SocketReader | null;
  readonly #writer: SocketWriter | null;
  /** Bytes that the handshake with an upstream proxy read too far. */
  #early: Buffer | null;
  #failure: LinkFailure | null = null;
  #deaf = false;

  /**
   * @param socket where bytes go in and out; flowing begins with the first `resume`
   * @param raw the TCP socket below; a TLS socket itself cannot be reset
   */
  constructor(socket: Socket, handler: LinkHandler, raw: Socket = socket) {
    this.handler = handler;
    this.secure = raw !== socket;
    this.#socket = socket;
    this.#raw = lowestSocket(raw);
    this.#early = takeEarly(socket);
    this.#reader = SocketReader.of(socket);
    if (this.#reader === null) socket.on('data', this.#onData);
    else this.#reader.onBytes = this.#onData;
    this.#writer = this.secure ? null : SocketWriter.of(socket);
    if (this.#writer !== null) this.#writer.onDrain = this.#onDrain;
    socket.on('drain', this.#onDrain);
    socket.on('end', this.#onEnd);
    socket.on('error', this.#onError);
    socket.on('close', this.#onClose);
  }

  /** `address:port` of the peer. */
  get peerAddress(): string {
    return remoteAddress(this.#raw);
  }

  /** Address of our own side. */
  get localAddress(): string {
    return this.#raw.localAddress ?? '';
  }

  onceGone(listener: () => void): void {
    this.#socket.once('close', listener);
  }

  get full(): boolean {
    return this.#writer?.full ?? this.#socket.writableNeedDrain;
  }

  write(bytes: Buffer, spent: Buffer | null = null): void {
    const bulk = spent === null || spent.length < BULK_BYTES ? null : spent;
    if (this.#writer === null) writeStream(this.#socket, bytes, bulk);
    else this.#writer.write(bytes, bulk);
  }

  writeAll(parts: readonly Buffer[], bytes: number): void {
    const socket = this.#socket;
    if (bytes > DESK_BYTES || socket.writableLength > 0 || socket.connecting || this.#writer?.busy === true) {
      this.write(Buffer.concat(parts, bytes));
    } else if (this.#writer !== null) {
      if (!this.#writer.write(gather(parts), null)) leaveDesk();
    } else {
      socket.write(gather(parts));
      // TLS has encrypted what it is given when it returns; a stream of anything else may still hold it.
      if (!this.secure) leaveDesk();
    }
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    if (this.#early !== null) this.#deliverEarly();
    this.#socket.resume();
  }

  finish(): void {
    this.#socket.end();
  }

  close(): void {
    if (this.#deaf) return;
    this.#deaf = true;
    this.#socket.end();
    this.#socket.resume();
    this.#destroyAfterLinger();
  }

  cut(): void {
    if (this.#deaf) return;
    this.#deaf = true;
    if (this.#writer?.busy ?? this.#socket.writableLength > 0) {
      this.#whenSent(() => {
        this.reset();
      });
      this.#destroyAfterLinger();
    } else {
      this.reset();
    }
  }

  reset(): void {
    this.#deaf = true;
    if (!this.#raw.destroyed) this.#raw.resetAndDestroy();
    if (this.#raw !== this.#socket) this.#socket.destroy();
  }

  /** Gives the sockets back, silent and paused, so that another protocol can take them over. */
  detach(): Socket {
    const socket = this.#socket;
    socket.pause();
    if (this.#reader !== null) this.#reader.onBytes = () => undefined;
    socket.off('data', this.#onData);
    socket.off('drain', this.#onDrain);
    socket.off('end', this.#onEnd);
    socket.off('error', this.#onError);
    socket.off('close', this.#onClose);
    this.handler = DEAF;
    if (this.#writer !== null) this.#writer.onDrain = () => undefined;
    if (this.#early !== null) leaveEarly(socket, this.#early);
    this.#early = null;
    return socket;
  }

  #whenSent(then: () => void): void {
    if (this.#writer !== null && this.#socket.writableLength === 0) this.#writer.onDrain = then;
    else this.#socket.write(NOTHING, then);
  }

  #deliverEarly(): void {
    const bytes = this.#early;
    this.#early = null;
    // Before anything that is still to be read, and not within the call that asked for it.
    if (bytes !== null) process.nextTick(this.#onData, bytes);
  }

  #destroyAfterLinger(): void {
    const timer = setTimeout(() => {
      this.reset();
    }, LINGER_MS);
    timer.unref();
    this.#socket.once('close', () => {
      clearTimeout(timer);
    });
  }

  readonly #onData = (bytes: Buffer): void => {
    if (!this.#deaf) this.handler.onBytes(bytes);
  };

  readonly #onDrain = (): void => {
    if (!this.#deaf) this.handler.onDrain();
  };

  readonly #onEnd = (): void => {
    this.ended = true;
    if (!this.#deaf) this.handler.onEof();
  };

  readonly #onError = (error: Error & { readonly code?: string }): void => {
    this.#failure ??= { code: error.code ?? 'UNKNOWN', message: error.message };
    // After an alert Node leaves a TLS socket half-open.
    if (this.#raw !== this.#socket) this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    this.handler.onClosed(this.#failure);
  };
}
