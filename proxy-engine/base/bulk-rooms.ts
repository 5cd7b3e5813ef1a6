/** Room for one read, bytes: what libuv asks for itself. */
export const ROOM_BYTES = 65_536;

/** Rooms that wait for their next read: one for each of the connections that a busy moment has. */
const MOST_SPARE = 64;

const spare: Buffer[] = [];

/** How many bytes of a room were handed out with its last read. */
const filled = new WeakMap<ArrayBufferLike, number>();

/**
 * Buffers for reads of bulk data, used again once what they carried has been sent. Without this every 64 KiB read is an
 * allocation that only the collector ends, and V8 lets tens of megabytes of those gather before it looks.
 */
export function takeRoom(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(ROOM_BYTES);
}

/** The first `count` bytes of a room, which leave with whoever takes them. */
export function fillRoom(room: Buffer, count: number): Buffer {
  filled.set(room.buffer, count);
  return room.subarray(0, count);
}

/**
 * The bytes were sent and nobody keeps them. Their memory is used again if they are the whole of what one read brought; for
 * anything else this does nothing.
 */
export function returnRoom(bytes: Buffer): void {
  const { buffer } = bytes;
  if (bytes.byteOffset !== 0 || filled.get(buffer) !== bytes.length) return;
  filled.delete(buffer);
  spareRoom(Buffer.from(buffer));
}

/** Gives back a room that nothing was read into, or nothing that is still needed. */
export function spareRoom(room: Buffer): void {
  if (spare.length < MOST_SPARE) spare.push(room);
}
