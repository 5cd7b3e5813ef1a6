import { Socket, type BoundSocket } from 'node:net';
import { fillRoom, ROOM_BYTES, spareRoom, takeRoom } from '../base/bulk-rooms.ts';

/** A read of at least this many bytes is handed over in its own buffer; a shorter one is copied out of the shared one. */
export const BULK_BYTES = 16_384;

/** Every short read of the thread lands here and is copied before the next: one allocation instead of one a read. */
const shared = Buffer.allocUnsafeSlow(ROOM_BYTES);

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
  #room: Buffer = shared;
  /** The last read was short. */
  #wasShort = false;

  constructor() {
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

  #take(count: number): Buffer {
    const room = this.#room;
    if (count < BULK_BYTES) {
      const bytes = Buffer.allocUnsafe(count);
      room.copy(bytes, 0, 0, count);
      // The rest of a bulk message is short, and the next message may be bulk again.
      if (this.#wasShort || held > MOST_HELD) this.#letGo();
      this.#wasShort = true;
      return bytes;
    }
    // Bulk: from now on each read gets a buffer of its own, which leaves with the bytes.
    this.#wasShort = false;
    this.#room = takeRoom();
    if (room !== shared) return fillRoom(room, count);
    held += 1;
    const own = takeRoom();
    room.copy(own, 0, 0, count);
    return fillRoom(own, count);
  }

  #letGo(): void {
    if (this.#room === shared) return;
    spareRoom(this.#room);
    this.#room = shared;
    held -= 1;
  }
}

function ignore(): void {
  // A socket that is still looking for its link.
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
