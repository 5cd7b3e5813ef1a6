import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { openStoreKit, recordExchange } from '../../../test/support/store-kit.ts';

test('a new data folder is private and holds one empty session', () => {
  using kit = openStoreKit();

  expect(kit.opened).toMatchObject({ nextExchangeId: 1, nextConnectionId: 1, recovered: 0 });
  expect(kit.opened.session).toMatchObject({ exchanges: 0, endedAt: null, sample: false });
  for (const file of readdirSync(kit.folder, { recursive: true, encoding: 'utf8' })) {
    const { mode, isDirectory } = modeOf(join(kit.folder, file));
    expect([file, mode.toString(8)]).toEqual([file, isDirectory ? '700' : '600']);
  }
});

test('bodies have files of the user alone', () => {
  using kit = openStoreKit();
  kit.record({ responseBody: randomBytes(50_000) });
  kit.record({ responseBody: randomBytes(50_000), ended: false });
  kit.commit();

  const files = readdirSync(kit.folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /bodies|spool/.test(file),
  );
  expect(files.filter((file) => !modeOf(join(kit.folder, file)).isDirectory)).toHaveLength(2);
  for (const file of files) {
    const { mode, isDirectory } = modeOf(join(kit.folder, file));
    expect([file, mode.toString(8)]).toEqual([file, isDirectory ? '700' : '600']);
  }
});

test('rows are told after their commit, once each, in their latest state', () => {
  using kit = openStoreKit();
  const first = kit.record({ path: '/one' });
  const second = kit.record({ path: '/two', status: null, ended: false });
  expect(kit.changed).toEqual([]);
  kit.commit();

  expect(kit.changed.map(({ id, state, status }) => [id, state, status])).toEqual([
    [first, 'complete', 200],
    [second, 'active', null],
  ]);
});

test('an exchange that goes on over several commits is one row that fills', async () => {
  using kit = openStoreKit();
  const id = kit.record({ status: null, ended: false, requestBody: 'ping' });
  kit.commit();
  kit.tap.response(id, {
    status: 201,
    head: Buffer.from('HTTP/1.1 201 Made\r\nContent-Type: Text/Plain; charset=utf-8\r\n\r\n'),
    sentHead: null,
  });
  kit.commit();
  for (const piece of ['po', 'ng', '!', '!', '!', '!', '!']) {
    kit.tap.payload(id, 'response', Buffer.from(piece), 0, piece.length);
    kit.commit();
  }
  kit.tap.end(id, {
    timing: { dns: null, connect: null, tls: null, sent: 1, firstByte: 2, end: 3 },
    requestBodyBytes: 4,
    responseBodyBytes: 9,
    error: null,
    anomalies: ['early-response'],
    complete: true,
    sentRequestFraming: 'as-received',
    sentResponseFraming: 'as-received',
  });
  kit.commit();
  const reader = kit.reader();

  expect(await reader.get(id)).toMatchObject({
    summary: { state: 'complete', status: 201, mediaType: 'text/plain', duration: 3, anomalies: ['early-response'] },
    response: { charset: 'utf-8', storedBytes: 9 },
  });
  expect(await body(reader, id, 'request')).toBe('ping');
  expect(await body(reader, id, 'response')).toBe('pong!!!!!');
  expect(readdirSync(join(kit.folder, 'spool'))).toEqual([]);
});

test('equal bodies are stored once, and the file goes with the last of them', async () => {
  using kit = openStoreKit();
  const content = randomBytes(40_000);
  const extra = kit.writer.addSession('other', false);
  kit.record({ responseBody: content, requestBody: content });
  const other = kit.tapInto(extra.id);
  recordExchange(other, 900, { responseBody: content });
  other.flush();
  kit.commit();
  const path = segmentPath(kit.folder, content);
  expect(existsSync(path)).toBe(true);
  expect(segments(kit.folder)).toHaveLength(1);

  const first = kit.opened.session.id;
  kit.writer.beginSession(null);
  await kit.writer.removeSession(first);
  expect(existsSync(path)).toBe(true);
  await kit.writer.removeSession(extra.id);
  expect(segments(kit.folder)).toEqual([]);
});

test('a body of any length comes back as it went in', async () => {
  using kit = openStoreKit();
  const sizes = [0, 1, 16_383, 16_384, 16_385, 65_536, 300_000, 5_000_000];
  const bodies = sizes.map((size) => randomBytes(size));
  const ids = bodies.map((content) => kit.record({ responseBody: content }));
  kit.commit();
  const reader = kit.reader();

  for (const [index, id] of ids.entries()) {
    const whole = await collect(reader, id);
    expect([sizes[index], whole.equals(bodies[index] ?? Buffer.alloc(0))]).toEqual([sizes[index], true]);
  }
});

test('ids are never given twice, also after everything was deleted', async () => {
  using folder = temporaryFolder();
  {
    using kit = openStoreKit(folder.path);
    for (let count = 0; count < 5; count += 1) kit.record({});
    kit.tap.connection({ id: 77, side: 'client', address: '127.0.0.1:1', protocol: 'http/1.1', tls: null });
    kit.commit();
    kit.writer.beginSession(null);
    await kit.writer.removeSession(kit.opened.session.id);
  }
  using again = openStoreKit(folder.path);

  expect(again.opened).toMatchObject({ nextExchangeId: 6, nextConnectionId: 78 });
});

test('a clean stop ends the session, an empty one leaves no trace', () => {
  using folder = temporaryFolder();
  const first = recordAndStop(folder.path);
  {
    using kit = openStoreKit(folder.path);
    expect(kit.opened.session.id).not.toBe(first);
  }
  using kit = openStoreKit(folder.path);
  const { sessions } = kit.reader().sessions();

  expect(sessions.map(({ id, exchanges }) => [id, exchanges])).toEqual([
    [kit.opened.session.id, 0],
    [first, 1],
  ]);
  expect(sessions[1]?.endedAt).not.toBeNull();
});

test('after a crash the session goes on, what was active is failed, and bodies are kept as far as they came', async () => {
  using folder = temporaryFolder();
  const long = randomBytes(100_000);
  const crashed = openStoreKit(folder.path);
  const short = crashed.record({ responseBody: 'half an ans', ended: false });
  const large = crashed.record({ responseBody: long, ended: false });
  const whole = crashed.record({ responseBody: 'all' });
  crashed.commit();
  writeFileSync(join(folder.path, 'spool', '999-request-body'), 'nobody knows me');
  writeFileSync(join(folder.path, 'spool', 'probe'), 'nor me');
  copyAside(folder.path);

  using kit = openStoreKit(join(folder.path, 'copy'));
  const reader = kit.reader();

  expect(kit.opened).toMatchObject({ recovered: 2, session: { id: crashed.opened.session.id, exchanges: 3 } });
  for (const id of [short, large]) {
    expect((await reader.get(id)).summary).toMatchObject({
      state: 'failed',
      bodies: 'truncated',
      error: { code: 'weir.stopped', side: 'weir' },
    });
  }
  expect((await reader.get(whole)).summary.state).toBe('complete');
  expect(await body(reader, short, 'response')).toBe('half an ans');
  expect((await collect(reader, large)).equals(long)).toBe(true);
  expect(readdirSync(join(kit.folder, 'spool'))).toEqual([]);
  crashed[Symbol.dispose]();
});

test('files that no row names are removed at the next start after a crash', () => {
  using folder = temporaryFolder();
  const crashed = openStoreKit(folder.path);
  crashed.record({ ended: false, responseBody: randomBytes(30_000) });
  crashed.record({ responseBody: randomBytes(30_000) });
  crashed.commit();
  const orphan = join(folder.path, 'bodies', 'ab');
  mkdirSync(orphan);
  writeFileSync(join(orphan, 'c'.repeat(62)), 'orphan');
  copyAside(folder.path);
  using kit = openStoreKit(join(folder.path, 'copy'));

  expect(segments(kit.folder)).toHaveLength(2);
  expect(existsSync(join(kit.folder, 'bodies', 'ab', 'c'.repeat(62)))).toBe(false);
  crashed[Symbol.dispose]();
});

test('a database that another program holds is waited for: what came is held, and stored in the end', async () => {
  using kit = openStoreKit();
  const before = kit.record({ path: '/before' });
  kit.commit();
  const other = new Database(join(kit.folder, 'weir.db'));
  other.exec('BEGIN IMMEDIATE');
  const during = kit.record({ path: '/during', responseBody: randomBytes(40_000) });
  expect(kit.commit()).toBe(false);
  expect(kit.troubles.at(-1)).toMatchObject({ code: 'failed', lostExchanges: 0 });
  expect(() => {
    kit.writer.beginSession(null);
  }).toThrow(/Nothing is recorded/);
  other.close();
  await troubleOver(kit);
  const reader = kit.reader();

  expect((await reader.count({ session: kit.opened.session.id, filter: '' })).count).toBe(2);
  for (const id of [before, during]) expect((await reader.get(id)).summary.bodies).toBe('whole');
});

test('a folder that cannot be written is told as that, and recording begins once it can', async () => {
  using folder = temporaryFolder();
  // A file where the folder should be: also root cannot write there.
  const place = join(folder.path, 'store');
  writeFileSync(place, '');
  using kit = openStoreKit(place);
  expect(kit.opened.session.id).toBe(0);
  expect(kit.troubles.at(-1)).not.toBeNull();
  const id = kit.record({ path: '/early' });
  expect(kit.commit()).toBe(false);
  rmSync(place);
  await troubleOver(kit);
  const reader = kit.reader();

  expect((await reader.get(id)).summary.path).toBe('/early');
  expect(kit.sessions.at(-1)?.id).toBeGreaterThan(0);
});

test('bodies that cannot be written are cut, rows are not', async () => {
  using kit = openStoreKit();
  rmSync(join(kit.folder, 'spool'), { recursive: true });
  const id = kit.record({ responseBody: randomBytes(100_000) });
  expect(kit.commit()).toBe(true);
  expect(kit.troubles.at(-1)?.message).toMatch(/Bodies over 16 KiB are cut short/);
  const reader = kit.reader();
  expect((await reader.get(id)).summary).toMatchObject({ state: 'complete', bodies: 'truncated' });
  mkdirSync(join(kit.folder, 'spool'));
  await troubleOver(kit);
  const next = kit.record({ responseBody: randomBytes(100_000) });
  kit.commit();

  expect((await reader.get(next)).summary.bodies).toBe('whole');
});

test('a damaged database is set aside and a new one begun', () => {
  using folder = temporaryFolder();
  mkdirSync(folder.path, { recursive: true });
  writeFileSync(join(folder.path, 'weir.db'), randomBytes(8_192));
  using kit = openStoreKit(folder.path);
  kit.record({});

  expect(kit.commit()).toBe(true);
  expect(kit.troubles.at(-1)).toMatchObject({ code: 'damaged' });
  expect(readdirSync(folder.path).filter((name) => name.startsWith('damaged-'))).toHaveLength(1);
});

test('an exchange that no row can hold costs itself alone', async () => {
  using kit = openStoreKit();
  const good = kit.record({ path: '/good' });
  kit.commit();
  recordExchange(kit.tap, good, { path: '/the same id again' });
  const next = kit.record({ path: '/next' });
  expect(kit.commit()).toBe(true);
  const reader = kit.reader();

  expect(kit.troubles.at(-1)).toMatchObject({ code: 'failed', lostExchanges: 1 });
  expect((await reader.get(good)).summary.path).toBe('/good');
  expect((await reader.get(next)).summary.path).toBe('/next');
});

test('the current session cannot be removed, an unknown one is not found', async () => {
  using kit = openStoreKit();

  await expect(kit.writer.removeSession(kit.opened.session.id)).rejects.toMatchObject({ code: 'conflict' });
  await expect(kit.writer.removeSession(12_345)).rejects.toMatchObject({ code: 'not-found' });
});

test('deleting a session gives its disk space back', async () => {
  using kit = openStoreKit();
  for (let count = 0; count < 300; count += 1) kit.record({ responseBody: randomBytes(10_000) });
  kit.commit();
  const database = new Database(join(kit.folder, 'weir.db'), { readonly: true });
  const pages = (): number => database.pragma('page_count', { simple: true }) as number;
  const full = pages();
  kit.writer.beginSession(null);
  await kit.writer.removeSession(kit.opened.session.id);

  expect(full).toBeGreaterThan(700);
  expect(pages()).toBeLessThan(60);
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  database.close();
});

test('a connection that serves two sessions is known in both, also when the first is deleted', async () => {
  using kit = openStoreKit();
  const tls = {
    version: 'TLSv1.3',
    cipher: 'TLS_AES_128_GCM_SHA256',
    alpn: null,
    sni: 'example.test',
    resumed: false,
    chain: [],
    verified: true,
    ja3: null,
    ja4: null,
    offeredAlpn: [],
  };
  kit.tap.connection({ id: 1, side: 'client', address: '127.0.0.1:50000', protocol: 'http/1.1', tls });
  kit.record({});
  kit.commit();
  kit.writer.beginSession(null);
  const id = kit.record({});
  kit.commit();
  await kit.writer.removeSession(kit.opened.session.id);

  expect((await kit.reader().get(id)).clientConnection).toMatchObject({ id: 1, tls: { sni: 'example.test' } });
});

test('hosts are counted with their errors', () => {
  using kit = openStoreKit();
  kit.record({ host: 'b.test' });
  kit.record({ host: 'a.test', status: 503 });
  kit.record({ host: 'a.test', scheme: 'http' });
  kit.record({ host: 'a.test', end: { complete: false } });
  kit.commit();

  expect(kit.reader().hosts(kit.opened.session.id).hosts).toEqual([
    { host: 'a.test', port: 80, exchanges: 1, errors: 0 },
    { host: 'a.test', port: 443, exchanges: 2, errors: 2 },
    { host: 'b.test', port: 443, exchanges: 1, errors: 0 },
  ]);
});

test('a database of a later version is left alone', () => {
  using folder = temporaryFolder();
  openStoreKit(folder.path)[Symbol.dispose]();
  const database = new Database(join(folder.path, 'weir.db'));
  database.pragma('user_version = 9999');
  database.close();
  using kit = openStoreKit(folder.path);

  expect(kit.troubles.at(-1)).toMatchObject({ code: 'failed' });
  expect(kit.troubles.at(-1)?.message).toMatch(/newer Weir/);
  expect(() => kit.reader()).toThrow(/newer Weir/);
});

type Kit = ReturnType<typeof openStoreKit>;
type Reader = ReturnType<Kit['reader']>;

function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'weir-store-'));
  return {
    path,
    [Symbol.dispose]() {
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** One session with one exchange, stopped cleanly; returns its id. */
function recordAndStop(folder: string): number {
  using kit = openStoreKit(folder);
  kit.record({});
  kit.commit();
  return kit.opened.session.id;
}

/** Waits until the writer says that all is well again. */
async function troubleOver(kit: Kit): Promise<void> {
  await vi.waitFor(
    () => {
      expect(kit.troubles.at(-1)).toBeNull();
    },
    { timeout: 8_000, interval: 20 },
  );
}

function modeOf(path: string): { mode: number; isDirectory: boolean } {
  const stat = statSync(path);
  return { mode: stat.mode & 0o777, isDirectory: stat.isDirectory() };
}

/** The folder as a crash leaves it: a copy taken while the writer has it open. */
function copyAside(folder: string): void {
  const copy = join(folder, 'copy');
  mkdirSync(copy);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => !file.startsWith('copy'));
  for (const file of files) {
    const { isDirectory } = modeOf(join(folder, file));
    if (isDirectory) mkdirSync(join(copy, file), { recursive: true });
    else writeFileSync(join(copy, file), readFileSync(join(folder, file)));
  }
}

function segments(folder: string): string[] {
  return readdirSync(join(folder, 'bodies'), { recursive: true, encoding: 'utf8' }).filter((file) => file.length > 2);
}

function segmentPath(folder: string, content: Buffer): string {
  const hex = createHash('sha256').update(content).digest('hex');
  return join(folder, 'bodies', hex.slice(0, 2), hex.slice(2));
}

async function collect(reader: Reader, id: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for (let offset = 0; ;) {
    const { bytes } = await reader.readBody({ id, side: 'response', form: 'stored', offset, length: 262_144 });
    if (bytes.length === 0) return Buffer.concat(pieces);
    pieces.push(bytes);
    offset += bytes.length;
  }
}

async function body(reader: Reader, id: number, side: 'request' | 'response'): Promise<string> {
  const { bytes } = await reader.readBody({ id, side, form: 'stored', offset: 0, length: 262_144 });
  return Buffer.from(bytes).toString();
}
