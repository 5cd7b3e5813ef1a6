import type { Socket } from 'node:net';
import { getSystemErrorName } from 'node:util';
import { returnRoom } from '../base/bulk-rooms.ts';

/** What Node's inside takes for one write, and tells the end of it. Not part of its documented interface. */
interface WriteRequest {
  oncomplete: (this: WriteRequest, status: number) => void;
  writer: SocketWriter;
  /** Kept for as long as the system may still read them. */
  bytes: Buffer;
  /** Memory that may take another read once the bytes are sent. */
  spent: Buffer | null;
  /** It was sent before its call returned. */
  settled: boolean;
}

interface WritableHandle {
  writeBuffer(request: object, bytes: Buffer): number;
  readonly writeQueueSize: number;
}

/** Bytes that may wait for a peer before a link is called full: the mark of Node's own sockets. */
const FULL_BYTES = 65_536;

/** Makes requests; null until the first write of the thread has shown what Node makes them by. */
let Request: (new () => Partial<WriteRequest>) | null = null;
/** What was shown is not what is expected here: every socket is written as a stream. */
let isStrange = false;

/**
 * Hands bytes to a TCP socket's system handle, without the detour through a stream, which costs a fifth of the CPU of a relayed
 * message. What the system does not take at once waits in libuv, in order with whatever the stream does (its end, a reset).
 * Where Node's inside looks different from what is expected, `of` finds none and the stream stays in use.
 */
export class SocketWriter {
  /** Told when nothing waits any more. */
  onDrain: () => void = ignore;
  readonly #socket: Socket;
  readonly #handle: WritableHandle;
  #waiting = 0;
  #full = false;

  private constructor(socket: Socket, handle: WritableHandle) {
    this.#socket = socket;
    this.#handle = handle;
  }

  /** The writer of a connected TCP socket that nobody else writes to; null where there can be none. */
  static of(socket: Socket): SocketWriter | null {
    if (isStrange) return null;
    const handle = '_handle' in socket ? (socket._handle as Partial<WritableHandle> | null) : null;
    if (typeof handle?.writeBuffer !== 'function' || typeof handle.writeQueueSize !== 'number') return null;
    return new SocketWriter(socket, handle as WritableHandle);
  }

  /** Something waits to be sent. */
  get busy(): boolean {
    return this.#waiting > 0 || this.#socket.writableLength > 0;
  }

  /** More waits than should; `onDrain` follows. */
  get full(): boolean {
    return this.#full || this.#socket.writableNeedDrain;
  }

  /**
   * @param spent a read whose room may be used again once the bytes are with the system
   * @returns whether the system has all of them, so that nobody needs their memory any more
   */
  write(bytes: Buffer, spent: Buffer | null): boolean {
    const socket = this.#socket;
    if (Request === null || socket.writableLength > 0) {
      this.#writeStream(bytes, spent);
      return false;
    }
    if (bytes.length === 0 || socket.destroyed || socket.writableEnded) return true;
    const request = new Request() as WriteRequest;
    request.oncomplete = complete;
    request.writer = this;
    request.bytes = bytes;
    request.spent = spent;
    request.settled = false;
    const handle = this.#handle;
    const error = handle.writeBuffer(request, bytes);
    if (error !== 0) {
      this.#fail(error);
      return true;
    }
    const queued = handle.writeQueueSize;
    if (queued === 0) {
      request.settled = true;
      if (spent !== null) returnRoom(spent);
      return true;
    }
    this.#waiting += 1;
    if (queued >= FULL_BYTES) this.#full = true;
    return false;
  }

  /** @internal A request that had to wait has ended. */
  settle({ spent }: WriteRequest, status: number): void {
    this.#waiting -= 1;
    if (spent !== null) returnRoom(spent);
    if (status < 0) {
      this.#fail(status);
      return;
    }
    if (this.#waiting > 0) return;
    this.#full = false;
    this.onDrain();
  }

  #writeStream(bytes: Buffer, spent: Buffer | null): void {
    if (Request === null && !isStrange && bytes.length > 0) learn(this.#handle);
    writeStream(this.#socket, bytes, spent);
  }

  #fail(status: number): void {
    if (this.#socket.destroyed) return;
    const code = getSystemErrorName(status);
    this.#socket.destroy(Object.assign(new Error(`write ${code}`), { code, errno: status, syscall: 'write' }));
  }
}

/** Writes to a socket as a stream. @param spent a read whose room may be used again once the bytes are sent */
export function writeStream(socket: Socket, bytes: Buffer, spent: Buffer | null): void {
  if (spent === null) {
    socket.write(bytes);
    return;
  }
  socket.write(bytes, () => {
    returnRoom(spent);
  });
}

/** Watches the next write of a stream, to see what it hands to its handle. */
function learn(handle: WritableHandle): void {
  const { writeBuffer } = handle;
  handle.writeBuffer = (request, bytes) => {
    Reflect.deleteProperty(handle, 'writeBuffer');
    if (request.constructor.name === 'WriteWrap') Request = request.constructor as typeof Request;
    else isStrange = true;
    return writeBuffer.call(handle, request, bytes);
  };
}

function complete(this: WriteRequest, status: number): void {
  if (!this.settled) this.writer.settle(this, status);
}

function ignore(): void {
  // Nobody waits.
}
