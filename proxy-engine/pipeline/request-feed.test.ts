import { describe, expect, test } from 'vitest';
import { fillRoom, RECORD_BYTES, takeRoom } from '../base/bulk-rooms.ts';
import { DEAF, type Link } from './link.ts';
import { RequestFeed } from './request-feed.ts';

/** A link that remembers what was written on it. */
class Paper implements Link {
  handler = DEAF;
  readonly full = false;
  readonly secure = false;
  readonly ended = false;
  readonly writes: string[] = [];

  write(bytes: Buffer): void {
    this.writes.push(bytes.toString('latin1'));
  }
  writeAll(parts: readonly Buffer[]): void {
    this.write(Buffer.concat(parts));
  }
  pause(): void {
    throw new Error('The feed never reads.');
  }
  resume(): void {
    throw new Error('The feed never reads.');
  }
  finish(): void {
    throw new Error('The feed never ends a link.');
  }
  close(): void {
    throw new Error('The feed never ends a link.');
  }
  cut(): void {
    throw new Error('The feed never ends a link.');
  }
  reset(): void {
    throw new Error('The feed never ends a link.');
  }
}

function feedOf(keepBytes: number, ...parts: string[]): RequestFeed {
  const feed = new RequestFeed(keepBytes);
  feed.begin(Buffer.from('HEAD|'));
  for (const part of parts) feed.add(Buffer.from(part), null);
  return feed;
}

describe('a request feed', () => {
  test('sends head and waiting body in one write', () => {
    const link = new Paper();
    expect(feedOf(10, 'ab', 'cd').flush(link)).toBe(9);
    expect(link.writes).toEqual(['HEAD|abcd']);
  });

  test('sends head and body of one read in one write, and what is longer apart from the head, uncopied', () => {
    const link = new Paper();
    feedOf(10, 'x'.repeat(40_000)).flush(link);
    feedOf(10, 'x'.repeat(200_000), 'y'.repeat(70_000)).flush(link);
    expect(link.writes.map(({ length }) => length)).toEqual([40_005, 5, 200_000, 70_000]);
  });

  test('knows when a write of its own is due', () => {
    const feed = feedOf(10, 'ab');
    expect([feed.isEmpty, feed.isBulk]).toEqual([false, false]);
    feed.add(Buffer.alloc(131_072), null);
    expect(feed.isBulk).toBe(true);
    feed.flush(new Paper());
    expect([feed.isEmpty, feed.isBulk]).toEqual([true, false]);
  });

  test('sends everything once more after a rewind, and what waits behind it', () => {
    const link = new Paper();
    const feed = feedOf(10, 'ab');
    feed.mayRepeat = true;
    feed.flush(link);
    feed.add(Buffer.from('cd'), null);
    expect(feed.isWhollyHeld).toBe(true);
    feed.rewind();
    feed.flush(link);
    expect(link.writes).toEqual(['HEAD|ab', 'HEAD|abcd']);
  });

  test('holds no more than it may', () => {
    const feed = feedOf(3, 'ab');
    feed.mayRepeat = true;
    feed.flush(new Paper());
    expect(feed.isWhollyHeld).toBe(true);
    feed.add(Buffer.from('cd'), null);
    expect(feed.isWhollyHeld).toBe(false);
  });

  test('is full when much waits for a connection', () => {
    const feed = feedOf(10);
    feed.add(Buffer.alloc(262_145), null);
    expect(feed.isFull).toBe(true);
    feed.flush(new Paper());
    expect(feed.isFull).toBe(false);
  });

  test('gives a read back once what it brought was copied for its write, and what is kept once it is forgotten', () => {
    const feed = feedOf(100_000);
    const [first, second] = [room(), room()];
    feed.add(first.subarray(5), first);
    feed.add(second, second);
    feed.flush(new Paper());
    expect(goRound(first, second)).toEqual([true, true]);

    const careful = feedOf(100_000);
    careful.mayRepeat = true;
    const [third, fourth] = [room(), room()];
    careful.add(third, third);
    careful.add(fourth, fourth);
    careful.flush(new Paper());
    expect(goRound(third, fourth)).toEqual([false, false]);
    careful.forget();
    expect(goRound(third, fourth)).toEqual([true, true]);
  });
});

/** A read that filled a new room. */
function room(): Buffer {
  return fillRoom(Buffer.allocUnsafeSlow(RECORD_BYTES), RECORD_BYTES);
}

/** Which of the reads have had their memory given back; it is taken. */
function goRound(...reads: readonly Buffer[]): boolean[] {
  const taken = Array.from({ length: 64 }, () => takeRoom(RECORD_BYTES).buffer);
  return reads.map(({ buffer }) => taken.includes(buffer));
}
