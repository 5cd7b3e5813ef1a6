import { expect, test } from 'vitest';
import { openStoreKit } from '../../../test/support/store-kit.ts';

/** The address that the kit's client connection has. */
const CLIENT = '127.0.0.1:50000';

test('what comes from a connection that is expected to repeat an exchange carries its number', async () => {
  using kit = openStoreKit();
  const original = kit.record({ path: '/original' });
  kit.commit();
  kit.writer.expectReplay(CLIENT, original);
  const replay = kit.record({ path: '/again' });
  kit.commit();
  kit.writer.expectReplay(CLIENT, null);
  const later = kit.record({ path: '/later' });
  kit.commit();

  const reader = kit.reader();
  expect((await reader.get(original)).summary.replayOf).toBeNull();
  expect((await reader.get(replay)).summary.replayOf).toBe(original);
  expect((await reader.get(later)).summary.replayOf).toBeNull();
  expect(reader.replays(original)).toEqual({ ids: [replay] });
  expect(kit.changed.find(({ id }) => id === replay)?.replayOf).toBe(original);
});

test('the filter is:replay finds replays alone, and a deleted one is told of no more', async () => {
  using kit = openStoreKit();
  const original = kit.record({});
  kit.commit();
  kit.writer.expectReplay(CLIENT, original);
  const [first, second] = [kit.record({}), kit.record({})];
  kit.commit();
  const query = { session: 1, sort: 'time', descending: false, after: null, limit: 10 } as const;
  const reader = kit.reader();
  const page = await reader.query({ ...query, filter: 'is:replay' });
  expect(page.rows.map(({ id }) => id)).toEqual([first, second]);
  kit.writer.remove([first]);
  expect(reader.replays(original)).toEqual({ ids: [second] });
});
