import { Socket, type BoundSocket } from 'node:net';
import { fillRoom, RECORD_BYTES, ROOM_BYTES, spareRoom, takeRoom } from '../base/bulk-rooms.ts';

/** A read of at least this many bytes is handed over in its own buffer; a shorter one is copied out of the shared one. */
const BULK_BYTES = 16_384;
/** The same for what TLS brings, a record at a time. */
const BULK_RECORD_BYTES = 8_192;

/** Every short read of the thread lands here and is copied before the next: one allocation instead of one a read. */
const shared = Buffer.allocUnsafeSlow(ROOM_BYTES);
const sharedRecord = shared.subarray(0, RECORD_BYTES);

/** Rooms that may wait for the next read of a connection which brought bulk before: 4 MiB, however many connections. */
const MOST_HELD = 64;
let held = 0;

const readers = new WeakMap<Socket, SocketReader>();

/**
 * Takes what a TCP socket receives without the detour through a stream's buffer (`onread` of `node:net`), which costs more
 * than the whole parsing of a short message. Whoever handles the bytes may keep them.
 */
export class SocketReader {
  /** Called with each run of bytes; nobody listens at first. */
  onBytes: (bytes: Buffer) => void = ignore;
  /** For the socket's constructor. */
  readonly onread: { readonly buffer: () => Uint8Array; readonly callback: (count: number) => boolean };
  readonly #roomBytes: typeof ROOM_BYTES | typeof RECORD_BYTES;
  readonly #bulkBytes: number;
  readonly #shared: Buffer;
  #room: Buffer;
  /** The last read was short. */
  #wasShort = false;

  /** @param roomBytes what one read brings at most */
  constructor(roomBytes: typeof ROOM_BYTES | typeof RECORD_BYTES = ROOM_BYTES) {
    this.#roomBytes = roomBytes;
    this.#bulkBytes = roomBytes === ROOM_BYTES ? BULK_BYTES : BULK_RECORD_BYTES;
    this.#shared = roomBytes === ROOM_BYTES ? shared : sharedRecord;
    this.#room = this.#shared;
    this.onread = {
      buffer: () => this.#room,
      callback: (count) => {
        this.onBytes(this.#take(count));
        return true;
      },
    };
  }

  /** Remembers whose reader this is. */
  adopt(socket: Socket): void {
    readers.set(socket, this);
    socket.once('close', () => {
      this.#letGo();
    });
  }

  /** The reader of a socket; null for one that is read as a stream. */
  static of(socket: Socket): SocketReader | null {
    return readers.get(socket) ?? null;
  }

  /**
   * Makes a TLS socket be read so, whose handshake is done, which Node has no option for where the socket below stood before.
   * From then on it is paused. What TLS had read when it was paused still comes.
   *
   * @returns null where Node's inside looks different from what is expected; then it stays a stream
   */
  static within(socket: Socket): SocketReader | null {
    const handle = '_handle' in socket ? (socket._handle as Partial<ReadableHandle> | null) : null;
    if (inside === null || typeof handle?.useUserBuffer !== 'function' || socket.readableLength > 0) return null;
    const reader = new SocketReader(RECORD_BYTES);
    const { buffer, callback } = reader.onread;
    Object.assign(socket, { [inside.buffer]: buffer(), [inside.next]: buffer, [inside.callback]: callback });
    handle.useUserBuffer(buffer());
    socket.pause();
    reader.adopt(socket);
    return reader;
  }

  #take(count: number): Buffer {
    const room = this.#room;
    if (count < this.#bulkBytes) {
      const bytes = Buffer.allocUnsafe(count);
      room.copy(bytes, 0, 0, count);
      // The rest of a bulk message is short, and the next message may be bulk again.
      if (this.#wasShort || held > MOST_HELD) this.#letGo();
      this.#wasShort = true;
      return bytes;
    }
    // Bulk: from now on each read gets a buffer of its own, which leaves with the bytes.
    this.#wasShort = false;
    this.#room = takeRoom(this.#roomBytes);
    if (room !== this.#shared) return fillRoom(room, count);
    held += 1;
    const own = takeRoom(this.#roomBytes);
    room.copy(own, 0, 0, count);
    return fillRoom(own, count);
  }

  #letGo(): void {
    if (this.#room === this.#shared) return;
    spareRoom(this.#room);
    this.#room = this.#shared;
    held -= 1;
  }
}

function ignore(): void {
  // A socket that is still looking for its link.
}

interface ReadableHandle {
  useUserBuffer(buffer: Uint8Array): void;
}

/** Where a socket keeps what `onread` gave it: the buffer, what makes the next one, and the callback. */
const inside = lookInside();

function lookInside(): { readonly buffer: symbol; readonly next: symbol; readonly callback: symbol } | null {
  const { onread } = new SocketReader();
  const symbols = Object.getOwnPropertySymbols(new Socket({ onread }));
  const find = (name: string): symbol | undefined => symbols.find(({ description }) => description === name);
  const buffer = find('kBuffer');
  const next = find('kBufferGen');
  const callback = find('kBufferCb');
  if (buffer === undefined || next === undefined || callback === undefined) return null;
  return { buffer, next, callback };
}

/** What Node hands to a server for each connection: not part of its documented interface, so it is looked at with care. */
interface ConnectionHandle {
  setNoDelay(on: boolean): void;
}

interface ListeningHandle {
  onconnection: (error: number, handle: ConnectionHandle | undefined) => void;
}

/**
 * Makes a listening server's connections be read by a `SocketReader`, which `createServer` has no option for. Where Node's
 * inside looks different from what is expected the server stays as it is, a little slower.
 *
 * @returns whether it could be done; then `onConnection` is called instead of the server's own event
 */
export function readConnections(server: object, onConnection: (socket: Socket) => void): boolean {
  const handle = '_handle' in server ? (server._handle as Partial<ListeningHandle> | null) : null;
  if (typeof handle?.onconnection !== 'function') return false;
  const original = handle.onconnection;
  handle.onconnection = function (this: unknown, error: number, connection: ConnectionHandle | undefined): void {
    if (error !== 0 && error !== undefined) {
      original.call(this as ListeningHandle, error, connection);
      return;
    }
    if (connection === undefined) return;
    connection.setNoDelay(true);
    const reader = new SocketReader();
    const socket = new Socket({
      handle: connection as unknown as BoundSocket,
      allowHalfOpen: true,
      onread: reader.onread,
    });
    reader.adopt(socket);
    onConnection(socket);
  };
  return true;
}
