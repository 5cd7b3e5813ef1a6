import type { Socket } from 'node:net';
import { DESK_BYTES, gather, leaveDesk } from '../base/desk.ts';
import { remoteAddress } from './addresses.ts';
import { leaveEarly, lowestSocket, takeEarly } from './socket-layers.ts';
import { SocketReader } from './socket-reader.ts';
import { SocketWriter, writeStream } from './socket-writer.ts';
import { DEAF, type Link, type LinkFailure, type LinkHandler } from '../pipeline/link.ts';

/** How long a closed connection may go on sending before it is destroyed, and a cut one may take to send its rest, ms. */
const LINGER_MS = 2_000;

/** A shorter read has no room of its own. */
const SHORTEST_ROOM = 8_192;

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
  /**
   * What the handler is not told yet: bytes that a handshake read too far, and those that TLS had read together with what came
   * before a pause.
   */
  #held: Buffer[];
  /** The peer's end, and the end of everything, which come after them. */
  #endHeld: boolean;
  #closeHeld = false;
  #paused = true;
  #delivering = false;
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
    const early = takeEarly(socket);
    this.#held = early === null ? [] : [early];
    this.#endHeld = early !== null && socket.readableEnded;
    this.#reader = SocketReader.of(socket) ?? (this.secure ? SocketReader.within(socket) : null);
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
    const bulk = spent === null || spent.length < SHORTEST_ROOM ? null : spent;
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
    this.#paused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#paused = false;
    // Before anything that is still to be read, and not within the call that asked for it.
    if (this.#held.length > 0 && !this.#delivering) {
      this.#delivering = true;
      process.nextTick(this.#deliver);
    }
    this.#socket.resume();
  }

  finish(): void {
    this.#socket.end();
  }

  close(): void {
    if (this.#deaf) return;
    this.#listenNoMore();
    this.#socket.end();
    this.#socket.resume();
    this.#destroyAfterLinger();
  }

  cut(): void {
    if (this.#deaf) return;
    this.#listenNoMore();
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
    this.#listenNoMore();
    if (!this.#raw.destroyed) this.#raw.resetAndDestroy();
    if (this.#raw !== this.#socket) this.#socket.destroy();
  }

  /** Gives the sockets back, silent and paused, so that another protocol can take them over. */
  detach(): Socket {
    const socket = this.#socket;
    socket.pause();
    if (this.#reader !== null)
      this.#reader.onBytes = (bytes) => {
        leaveEarly(socket, bytes);
      };
    socket.off('data', this.#onData);
    socket.off('drain', this.#onDrain);
    socket.off('end', this.#onEnd);
    socket.off('error', this.#onError);
    socket.off('close', this.#onClose);
    this.handler = DEAF;
    if (this.#writer !== null) this.#writer.onDrain = () => undefined;
    for (const bytes of this.#held) leaveEarly(socket, bytes);
    this.#held = [];
    return socket;
  }

  #whenSent(then: () => void): void {
    if (this.#writer !== null && this.#socket.writableLength === 0) this.#writer.onDrain = then;
    else this.#socket.write(NOTHING, then);
  }

  #listenNoMore(): void {
    this.#deaf = true;
    this.#held = [];
    if (!this.#closeHeld) return;
    this.#closeHeld = false;
    process.nextTick(() => {
      this.handler.onClosed(null);
    });
  }

  readonly #deliver = (): void => {
    this.#delivering = false;
    while (!this.#paused && !this.#deaf) {
      const bytes = this.#held.shift();
      if (bytes === undefined) break;
      this.handler.onBytes(bytes);
    }
    if (this.#held.length > 0) return;
    if (this.#endHeld) {
      this.#endHeld = false;
      this.#tellEnd();
    }
    if (!this.#closeHeld) return;
    this.#closeHeld = false;
    this.handler.onClosed(null);
  };

  #tellEnd(): void {
    this.ended = true;
    if (!this.#deaf) this.handler.onEof();
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
    if (this.#deaf) return;
    if (this.#paused || this.#held.length > 0) this.#held.push(bytes);
    else this.handler.onBytes(bytes);
  };

  readonly #onDrain = (): void => {
    if (!this.#deaf) this.handler.onDrain();
  };

  readonly #onEnd = (): void => {
    if (this.#held.length > 0) this.#endHeld = true;
    else this.#tellEnd();
  };

  readonly #onError = (error: Error & { readonly code?: string }): void => {
    this.#failure ??= { code: error.code ?? 'UNKNOWN', message: error.message };
    // After an alert Node leaves a TLS socket half-open.
    if (this.#raw !== this.#socket) this.#socket.destroy();
  };

  readonly #onClose = (): void => {
    if (this.#held.length > 0 && this.#failure === null) this.#closeHeld = true;
    else this.handler.onClosed(this.#failure);
  };
}
