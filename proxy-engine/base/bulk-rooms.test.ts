import { expect, test } from 'vitest';
import { fillRoom, holdRoom, RECORD_BYTES, returnRoom, ROOM_BYTES, spareRoom, takeRoom } from './bulk-rooms.ts';

/** Takes every room that waits, so that the next one is known to be new. */
function exhaust(): void {
  const taken = new Set<ArrayBufferLike>();
  for (let n = 0; n < 64; n += 1) taken.add(takeRoom(ROOM_BYTES).buffer);
}

test('a room is read into again once the whole of what it brought was sent', () => {
  exhaust();
  const room = takeRoom(ROOM_BYTES);
  const bytes = fillRoom(room, 40_000);

  expect(bytes.length).toBe(40_000);
  expect(room.length).toBe(ROOM_BYTES);
  returnRoom(bytes);

  expect(takeRoom(ROOM_BYTES).buffer).toBe(room.buffer);
});

test('a part of what a room brought does not free the rest', () => {
  exhaust();
  const room = takeRoom(ROOM_BYTES);
  const bytes = fillRoom(room, 40_000);
  returnRoom(bytes.subarray(0, 39_999));
  returnRoom(bytes.subarray(1));

  expect(takeRoom(ROOM_BYTES).buffer).not.toBe(room.buffer);
});

test('nothing is freed twice, and buffers from elsewhere are left alone', () => {
  exhaust();
  const room = takeRoom(ROOM_BYTES);
  const bytes = fillRoom(room, 20_000);
  returnRoom(bytes);
  returnRoom(bytes);
  returnRoom(Buffer.allocUnsafeSlow(ROOM_BYTES));

  expect(takeRoom(ROOM_BYTES).buffer).toBe(room.buffer);
  expect(takeRoom(ROOM_BYTES).buffer).not.toBe(room.buffer);
});

test('a room that nothing was read into is the next one to be taken', () => {
  exhaust();
  const room = takeRoom(ROOM_BYTES);
  spareRoom(room);
  expect(takeRoom(ROOM_BYTES)).toBe(room);
});

test('a room that somebody holds goes round once all of them have returned it', () => {
  exhaust();
  const room = takeRoom(ROOM_BYTES);
  const bytes = fillRoom(room, 40_000);
  holdRoom(bytes);
  holdRoom(bytes);
  returnRoom(bytes);
  returnRoom(bytes);
  expect(takeRoom(ROOM_BYTES).buffer).not.toBe(room.buffer);
  returnRoom(bytes);
  expect(takeRoom(ROOM_BYTES).buffer).toBe(room.buffer);
});

test('rooms of records and of whole reads are not mixed up', () => {
  exhaust();
  const record = takeRoom(RECORD_BYTES);
  returnRoom(fillRoom(record, RECORD_BYTES));
  expect(takeRoom(ROOM_BYTES)).toHaveLength(ROOM_BYTES);
  expect(takeRoom(RECORD_BYTES).buffer).toBe(record.buffer);
});
