import { expect, test } from 'vitest';
import { openStoreKit, type StoreKit } from '../../../../test/support/store-kit.ts';

const CONNECTION = 2;

/** Tells of an HTTP/2 connection and of frames of it, numbered from `first` on. */
function tellFrames(kit: StoreKit, connection: number, first: number, count: number): void {
  const nothing = Buffer.alloc(0);
  for (let sequence = first; sequence < first + count; sequence += 1) {
    kit.tap.frame(connection, { sequence, sent: false, type: 0, flags: 0, stream: 1, length: 5 }, nothing, 0, 0);
  }
}

function tellConnection(kit: StoreKit, id = CONNECTION): void {
  kit.tap.connection({ id, side: 'origin', address: '192.0.2.7:443', protocol: 'h2', tls: null });
}

/** Numbers of the frames that are kept of a connection. */
function kept(kit: StoreKit, connection = CONNECTION, limit = 2_000): number[] {
  const reader = kit.reader();
  const sequences: number[] = [];
  for (let after: number | null = 0; after !== null;) {
    const page = reader.framePage({ connection, after, limit });
    sequences.push(...page.frames.map(({ sequence }) => sequence));
    after = page.next;
  }
  return sequences;
}

const numbers = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index);

test('frames are kept in order over commits, and what they say can be read', () => {
  using kit = openStoreKit();
  tellConnection(kit);
  tellFrames(kit, CONNECTION, 1, 2);
  kit.commit();
  const settings = Buffer.from('000300000064', 'hex');
  kit.tap.frame(CONNECTION, { sequence: 3, sent: true, type: 4, flags: 0, stream: 0, length: 6 }, settings, 0, 6);
  kit.commit();

  const { frames, next } = kit.reader().framePage({ connection: CONNECTION, after: 1, limit: 10 });
  expect(next).toBeNull();
  expect(frames).toMatchObject([
    { connection: CONNECTION, sequence: 2, sent: false, type: 0, stream: 1, length: 5, facts: [] },
    { sequence: 3, sent: true, type: 4, stream: 0, length: 6, facts: [['MAX_CONCURRENT_STREAMS', '100']] },
  ]);
  expect(frames[1]?.time).toBeGreaterThan(frames[0]?.time ?? Infinity);
  expect(kept(kit, 99)).toEqual([]);
});

test('pages end where they are told to, also within what one commit brought', () => {
  using kit = openStoreKit();
  tellConnection(kit);
  tellFrames(kit, CONNECTION, 1, 10);
  kit.commit();
  tellFrames(kit, CONNECTION, 11, 3);
  kit.commit();

  for (const limit of [1, 3, 10, 13, 14]) expect(kept(kit, CONNECTION, limit)).toEqual(numbers(1, 13));
});

test('of a connection that lives long the newest ten thousand are kept, by whole commits', () => {
  using kit = openStoreKit();
  tellConnection(kit);
  for (let first = 1; first < 16_000; first += 1_000) {
    tellFrames(kit, CONNECTION, first, 1_000);
    kit.commit();
  }
  expect(kept(kit)).toEqual(numbers(6_001, 10_000));
});

test('retention takes frames along with the exchanges of their time, but for connections that still have some', async () => {
  using kit = openStoreKit();
  tellConnection(kit, 7);
  const old = Array.from({ length: 10 }, () => kit.record({}));
  // `record` has its exchanges come on connection 1 and go to connection 2.
  tellConnection(kit);
  tellFrames(kit, 7, 1, 3);
  tellFrames(kit, CONNECTION, 1, 3);
  kit.commit();
  Array.from({ length: 10 }, () => kit.record({}));
  tellConnection(kit, 8);
  tellFrames(kit, 8, 1, 3);
  kit.commit();
  kit.writer.mark(old.slice(0, 1), { pinned: true });

  kit.writer.retain({ days: 0, bytes: 0, exchanges: 8 });
  await kit.writer.compact();
  expect(kept(kit, 7)).toEqual([]);
  expect(kept(kit)).toEqual([1, 2, 3]);
  expect(kept(kit, 8)).toEqual([1, 2, 3]);

  kit.writer.mark(old.slice(0, 1), { pinned: false });
  kit.writer.retain({ days: 0, bytes: 0, exchanges: 5 });
  await kit.writer.compact();
  expect(kept(kit)).toEqual([]);
});

test('a session that is deleted takes the frames of its connections along', async () => {
  using kit = openStoreKit();
  tellConnection(kit);
  tellFrames(kit, CONNECTION, 1, 3);
  kit.record({});
  kit.commit();
  const { id } = kit.opened.session;
  kit.writer.beginSession(null);
  tellConnection(kit, 9);
  tellFrames(kit, 9, 1, 3);
  kit.commit();

  await kit.writer.removeSession(id);
  expect(kept(kit)).toEqual([]);
  expect(kept(kit, 9)).toEqual([1, 2, 3]);
});

test('an exchange knows its streams, that to the origin once it is opened', async () => {
  using kit = openStoreKit();
  tellConnection(kit);
  kit.tap.connection({ id: 1, side: 'client', address: '127.0.0.1:50000', protocol: 'h2c', tls: null });
  const id = kit.record({ ended: false, clientStream: 5 });
  kit.commit();
  const streams = async (): Promise<unknown> => {
    const { clientConnection, originConnection } = await kit.reader().get(id);
    return [clientConnection?.stream, originConnection?.stream];
  };
  expect(await streams()).toEqual([5, null]);
  kit.tap.originStream(id, 3);
  kit.commit();
  expect(await streams()).toEqual([5, 3]);
});
