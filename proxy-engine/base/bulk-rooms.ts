/** Room for one read of TCP, bytes: what libuv asks for itself. */
export const ROOM_BYTES = 65_536;
/** Room for one read of TLS: a record brings no more (RFC 8446 §5.1). */
export const RECORD_BYTES = 16_384;

/** Rooms of each size that wait for their next read: one for each of the connections that a busy moment has. */
const MOST_SPARE = 64;

const spareRooms: Buffer[] = [];
const spareRecords: Buffer[] = [];

/** How many bytes of a room were handed out with its last read. */
const filled = new WeakMap<ArrayBufferLike, number>();
/** Who has to return a room beyond the first. */
const holders = new WeakMap<ArrayBufferLike, number>();

/**
 * Buffers for reads of bulk data, used again once what they carried has been sent. Without this every 64 KiB read is an
 * allocation that only the collector ends, and V8 lets tens of megabytes of those gather before it looks.
 */
export function takeRoom(bytes: typeof ROOM_BYTES | typeof RECORD_BYTES): Buffer {
  return spares(bytes).pop() ?? Buffer.allocUnsafeSlow(bytes);
}

/** The first `count` bytes of a room, which leave with whoever takes them. */
export function fillRoom(room: Buffer, count: number): Buffer {
  filled.set(room.buffer, count);
  return room.subarray(0, count);
}

/** Somebody keeps a part of a read: it takes one more call of `returnRoom` until its memory is used again. */
export function holdRoom(bytes: Buffer): void {
  const { buffer } = bytes;
  if (isWhole(bytes)) holders.set(buffer, (holders.get(buffer) ?? 0) + 1);
}

/**
 * The bytes were sent and nobody keeps them. Their memory is used again if they are the whole of what one read brought and nobody
 * else holds it; for anything else this does nothing.
 */
export function returnRoom(bytes: Buffer): void {
  if (!isWhole(bytes)) return;
  const { buffer } = bytes;
  const others = holders.get(buffer) ?? 0;
  if (others > 0) {
    holders.set(buffer, others - 1);
    return;
  }
  filled.delete(buffer);
  spareRoom(Buffer.from(buffer));
}

/** Gives back a room that nothing was read into, or nothing that is still needed. */
export function spareRoom(room: Buffer): void {
  const spare = spares(room.length);
  if (spare.length < MOST_SPARE) spare.push(room);
}

function isWhole(bytes: Buffer): boolean {
  return bytes.byteOffset === 0 && filled.get(bytes.buffer) === bytes.length;
}

function spares(bytes: number): Buffer[] {
  return bytes === ROOM_BYTES ? spareRooms : spareRecords;
}
