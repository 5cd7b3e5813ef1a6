import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { openStoreKit, type StoreKit } from '../../../test/support/store-kit.ts';
import { FIRST_SCHEMA } from './migrations/0001-first.ts';

async function listed(kit: StoreKit, filter = '', session = kit.opened.session.id): Promise<number[]> {
  const query = { session, filter, sort: 'time', descending: false, after: null, limit: 500 } as const;
  const { rows } = await kit.reader().query(query);
  return rows.map(({ id }) => id);
}

test('labels, pins and comments stay on their rows, are found by filters and are told', async () => {
  using kit = openStoreKit();
  const ids = [kit.record({}), kit.record({}), kit.record({})];
  kit.commit();
  kit.changed.length = 0;

  kit.writer.mark(ids.slice(0, 2), { label: 3 });
  kit.writer.mark(ids.slice(1), { pinned: true });
  kit.writer.comment(ids[2] ?? 0, 'look here');

  expect(kit.changed.map(({ id, label, pinned, commented }) => [id, label, pinned, commented])).toEqual([
    [ids[0], 3, false, false],
    [ids[1], 3, false, false],
    [ids[1], 3, true, false],
    [ids[2], 0, true, false],
    [ids[2], 0, true, true],
  ]);
  expect(await listed(kit, 'has:label')).toEqual(ids.slice(0, 2));
  expect(await listed(kit, 'is:pinned')).toEqual(ids.slice(1));
  expect(await listed(kit, 'has:comment')).toEqual(ids.slice(2));
  expect(await kit.reader().get(ids[2] ?? 0)).toMatchObject({ comment: 'look here' });
});

test('a mark on a running exchange outlives what comes of it later', async () => {
  using kit = openStoreKit();
  const id = kit.record({ status: null, ended: false });
  kit.commit();
  kit.writer.mark([id], { label: 2, pinned: true });
  kit.tap.response(id, { status: 204, head: Buffer.from('HTTP/1.1 204 No Content\r\n\r\n'), sentHead: null });
  kit.commit();

  expect(kit.changed.at(-1)).toMatchObject({ id, status: 204, label: 2, pinned: true });
  expect((await kit.reader().get(id)).summary).toMatchObject({ status: 204, label: 2, pinned: true });
});

test('a deleted exchange is in no list, no count and no detail, and comes back whole', async () => {
  using kit = openStoreKit();
  const ids = [
    kit.record({ host: 'a.test' }),
    kit.record({ host: 'b.test', status: 503 }),
    kit.record({ host: 'b.test' }),
  ];
  kit.commit();
  const session = kit.opened.session.id;

  expect(kit.writer.remove(ids.slice(1))).toEqual(ids.slice(1));

  expect(await listed(kit)).toEqual(ids.slice(0, 1));
  const reader = kit.reader();
  expect(reader.hosts(session).hosts.map(({ host }) => host)).toEqual(['a.test']);
  expect(reader.sessions().sessions).toMatchObject([{ exchanges: 1 }]);
  expect(reader.space()).toMatchObject({ exchanges: 1, deleted: 2 });
  await expect(reader.get(ids[1] ?? 0)).rejects.toMatchObject({ code: 'not-found' });

  expect(kit.writer.restore(ids)).toEqual(ids.slice(1));

  expect(await listed(kit)).toEqual(ids);
  expect(reader.hosts(session).hosts).toMatchObject([
    { host: 'a.test', exchanges: 1, errors: 0 },
    { host: 'b.test', exchanges: 2, errors: 1 },
  ]);
});

test('deleting for good frees the files of bodies, and ids never come back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-edits-'));
  try {
    let last = 0;
    {
      using kit = openStoreKit(folder);
      kit.record({});
      last = kit.record({ responseBody: randomBytes(60_000) });
      kit.commit();
      kit.writer.remove([last]);
      expect(bodyFiles(folder)).toHaveLength(1);
      await kit.writer.compact();
      expect(bodyFiles(folder)).toEqual([]);
      expect(kit.writer.restore([last])).toEqual([]);
      expect(kit.reader().space()).toMatchObject({ deleted: 0, bodyBytes: 0, exchanges: 1 });
    }
    using again = openStoreKit(folder);
    expect(again.opened.nextExchangeId).toBeGreaterThan(last);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('an exchange that is deleted while it runs is told of no more, and may even be purged', async () => {
  using kit = openStoreKit();
  const id = kit.record({ status: null, ended: false, requestBody: randomBytes(40_000) });
  kit.commit();
  kit.writer.remove([id]);
  kit.changed.length = 0;
  kit.tap.response(id, { status: 200, head: Buffer.from('HTTP/1.1 200 OK\r\n\r\n'), sentHead: null });
  kit.commit();
  expect(kit.changed).toEqual([]);

  await kit.writer.compact();
  kit.tap.payload(id, 'response', Buffer.alloc(40_000, 'x'), 0, 40_000);
  expect(kit.commit()).toBe(true);
  expect(await listed(kit)).toEqual([]);
  expect(bodyFiles(kit.folder)).toEqual([]);
});

test('retention by count deletes the oldest and leaves pinned and running ones', async () => {
  using kit = openStoreKit();
  const ids = Array.from({ length: 20 }, () => kit.record({}));
  const running = kit.record({ status: null, ended: false });
  kit.commit();
  kit.writer.mark(ids.slice(0, 1), { pinned: true });

  kit.writer.retain({ days: 0, bytes: 0, exchanges: 5 });
  await kit.writer.compact();

  expect(await listed(kit)).toEqual([ids[0], ...ids.slice(-3), running]);
});

test('retention by age goes by when an exchange began', async () => {
  using kit = openStoreKit();
  const now = 1_764_000_000_000_000;
  const old = kit.record({ startedAt: now - 3 * 86_400_000_000 });
  const young = kit.record({ startedAt: now });
  kit.commit();

  kit.writer.retain({ days: 2, bytes: 0, exchanges: 0 });
  await kit.writer.compact();

  expect(await listed(kit)).toEqual([young]);
  expect(old).toBeLessThan(young);
});

test('what is imported is as old as its import, also when it is merged into another session', async () => {
  using kit = openStoreKit();
  const now = 1_764_000_000_000_000;
  const old = kit.record({ startedAt: now - 300 * 86_400_000_000 });
  kit.commit();
  const recorded = kit.opened.session.id;
  const current = kit.writer.beginSession(null).id;
  const imported = kit.writer.addSession('a HAR file of last year', false).id;
  await kit.writer.mergeSessions(recorded, imported);
  kit.writer.retain({ days: 2, bytes: 0, exchanges: 0 });
  await kit.writer.compact();
  expect(await listed(kit, '', imported)).toEqual([old]);

  await kit.writer.mergeSessions(imported, current);
  await kit.writer.compact();
  expect(await listed(kit, '', current)).toEqual([old]);
});

test('retention by bytes deletes the oldest until rows and bodies fit', async () => {
  using kit = openStoreKit();
  const ids = Array.from({ length: 30 }, () => kit.record({ responseBody: randomBytes(100_000) }));
  kit.commit();
  const before = kit.reader().space();
  const limit = before.rowBytes + 1_000_000;

  kit.writer.retain({ days: 0, bytes: limit, exchanges: 0 });
  await kit.writer.compact();

  const after = kit.reader().space();
  expect(after.rowBytes + after.bodyBytes).toBeLessThanOrEqual(limit);
  expect(after.bodyBytes).toBeGreaterThan(500_000);
  expect(await listed(kit)).toEqual(ids.slice(-after.exchanges));
});

test('retention leaves a session that an import has only begun, and one whose rows can still be brought back', async () => {
  using kit = openStoreKit();
  const hidden = kit.record({});
  kit.commit();
  const first = kit.opened.session.id;
  kit.writer.beginSession(null);
  const begun = kit.writer.addSession('an import', false).id;
  kit.writer.remove([hidden]);
  for (let number = 0; number < 5; number += 1) kit.record({});
  kit.commit();

  kit.writer.retain({ days: 0, bytes: 0, exchanges: 2 });
  await expect.poll(() => kit.reader().space().exchanges).toBe(2);

  const sessions = kit
    .reader()
    .sessions()
    .sessions.map(({ id }) => id);
  expect(sessions).toContain(begun);
  expect(sessions).toContain(first);
  kit.writer.restore([hidden]);
  expect(await listed(kit, '', first)).toEqual([hidden]);
});

test('other work has its turn while the capture is brought within its limits, and new limits hold at once', async () => {
  using kit = openStoreKit();
  for (let number = 0; number < 24_000; number += 1) kit.record({});
  kit.commit();
  const first = kit.opened.session.id;
  const current = kit.writer.beginSession(null).id;
  kit.writer.retain({ days: 0, bytes: 0, exchanges: 100 });

  await kit.writer.mergeSessions(kit.writer.addSession('other', false).id, current);

  const left = kit.reader().space().exchanges;
  expect(left).toBeGreaterThan(100);
  kit.writer.retain({ days: 0, bytes: 0, exchanges: 0 });
  await kit.writer.compact();
  expect((await listed(kit, '', first)).length).toBeGreaterThan(100);
});

test('a session takes a new name, and another one in', async () => {
  using kit = openStoreKit();
  const first = kit.opened.session.id;
  const early = kit.record({ host: 'a.test' });
  kit.commit();
  const second = kit.writer.beginSession(null);
  const late = kit.record({ host: 'a.test' });
  kit.commit();

  expect(kit.writer.renameSession(first, 'Login')).toMatchObject({ name: 'Login' });
  expect(await kit.writer.mergeSessions(first, second.id)).toMatchObject({
    exchanges: 2,
    startedAt: kit.opened.session.startedAt,
  });

  expect(await listed(kit, '', second.id)).toEqual([early, late]);
  const reader = kit.reader();
  expect(reader.sessions().sessions.map(({ id }) => id)).toEqual([second.id]);
  expect(reader.hosts(second.id).hosts).toMatchObject([{ host: 'a.test', exchanges: 2 }]);
  expect(await reader.get(early)).toMatchObject({ summary: { session: second.id } });
  await expect(kit.writer.mergeSessions(second.id, first)).rejects.toMatchObject({ code: 'conflict' });
});

test('a database of the first version opens with its rows unmarked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-old-'));
  try {
    const old = new Database(join(folder, 'weir.db'));
    old.exec(FIRST_SCHEMA);
    old.exec(`INSERT INTO session VALUES (1, 'old', 5, NULL, 0, 1);
      INSERT INTO exchange VALUES (7, 1, 'http', 'complete', 5, 1, 'GET', 'https', 'a.test', 443, '/', 200, 'text/html',
        '127.0.0.1:5', 'http/1.1', NULL, NULL, 0, 0, NULL, '', 'whole', 0, 0);
      INSERT INTO exchange_detail (exchange_id, client_connection, origin_reused, request_sent_framing,
        response_sent_framing, comment, request_head) VALUES (7, 1, 0, 'as-received', 'as-received', '', x'');`);
    old.pragma('user_version = 1');
    old.close();
    using kit = openStoreKit(folder);

    kit.writer.mark([7], { label: 1 });
    expect((await kit.reader().get(7)).summary).toMatchObject({ label: 1, commented: false, program: null });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function bodyFiles(folder: string): string[] {
  const bodies = join(folder, 'bodies');
  if (!existsSync(bodies)) return [];
  return readdirSync(bodies, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'));
}
