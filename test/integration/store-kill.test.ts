import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { StoreReader } from '../../app/backend/store/store-reader.ts';
import { StoreWriter } from '../../app/backend/store/store-writer.ts';

/** `WEIR_FULL=1` runs all twenty rounds. */
const ROUNDS = process.env['WEIR_FULL'] === '1' ? 20 : 6;
/** What may be missing after a kill is younger than this, on a machine that gives each thread its turn. */
const SAFE_AFTER_MS = 300;
const CHILD = join(import.meta.dirname, '../support/store-writer-child.ts');

interface Ended {
  readonly id: number;
  readonly endedAt: number;
  readonly hash: string;
}

test(
  `a store that is killed ${String(ROUNDS)} times opens without repair and lacks at most the last ${String(SAFE_AFTER_MS)} ms`,
  { timeout: 600_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-kill-'));
    try {
      let checked = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const slownessBefore = slowness();
        const { ended, killedAt } = await runAndKill(
          folder,
          500 + ((round * 37) % 200),
          2 * SAFE_AFTER_MS * slownessBefore,
        );
        const safeAfterMs = SAFE_AFTER_MS * Math.max(slownessBefore, slowness());
        recoverStore(folder);
        checked += await checkRound(
          folder,
          ended.filter(({ endedAt }) => endedAt < killedAt - safeAfterMs),
        );
      }
      expect(checked).toBeGreaterThan(ROUNDS * 20);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

test(
  `a store that is killed ${String(ROUNDS)} times while it deletes and compacts keeps its rows, segments and files in step`,
  { timeout: 600_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-kill-'));
    try {
      for (let round = 0; round < ROUNDS; round += 1) {
        await runAndKill(folder, 500 + ((round * 53) % 400), 0, 'delete');
        recoverStore(folder);
        await checkRound(folder, []);
        checkReferences(folder);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

/** Every segment counts exactly the columns that name it; every row has its detail; numbers beside the rows are theirs. */
function checkReferences(folder: string): void {
  const database = new Database(join(folder, 'weir.db'), { readonly: true });
  const wrong = (sql: string): unknown[] => database.prepare(sql).all();
  expect(
    wrong(`SELECT id, refs FROM segment WHERE refs <> (SELECT count(*) FROM exchange_detail WHERE request_body_segment = segment.id)
      + (SELECT count(*) FROM exchange_detail WHERE response_body_segment = segment.id)`),
  ).toEqual([]);
  expect(wrong('SELECT id FROM exchange WHERE id NOT IN (SELECT exchange_id FROM exchange_detail)')).toEqual([]);
  expect(wrong('SELECT exchange_id FROM exchange_detail WHERE exchange_id NOT IN (SELECT id FROM exchange)')).toEqual(
    [],
  );
  expect(
    wrong(`SELECT id, exchanges FROM session
      WHERE exchanges <> (SELECT count(*) FROM exchange WHERE session_id = session.id)`),
  ).toEqual([]);
  database.close();
}

/** How many times longer than its share of a core a piece of work takes here and now; 1 on an idle machine. */
function slowness(): number {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  let usedMs = 0;
  while (usedMs < 30) {
    const { user, system } = process.cpuUsage(before);
    usedMs = (user + system) / 1_000;
  }
  return Math.max(1, (performance.now() - startedAt) / usedMs);
}

/** Lets the child record so many exchanges and so long, then kills it. */
async function runAndKill(
  folder: string,
  exchanges: number,
  leastMs: number,
  mode: 'record' | 'delete' = 'record',
): Promise<{ ended: Ended[]; killedAt: number }> {
  const child = spawn(process.execPath, [CHILD, folder, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  const ended: Ended[] = [];
  let killedAt = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [id, endedAt, hash] = line.split(' ');
    // The last line may be cut by the kill.
    if (hash?.length === 64) ended.push({ id: Number(id), endedAt: Number(endedAt), hash });
    const isEnough = ended.length >= exchanges && Date.now() - (ended[0]?.endedAt ?? Infinity) >= leastMs;
    if (isEnough && killedAt === 0 && child.kill('SIGKILL')) killedAt = Date.now();
  }
  await exit;
  return { ended, killedAt };
}

/** What the next start does. */
function recoverStore(folder: string): void {
  const troubles: unknown[] = [];
  const writer = new StoreWriter(folder, {
    now: () => Date.now() * 1_000,
    changed: () => undefined,
    messages: () => undefined,
    session: () => undefined,
    trouble: (trouble) => troubles.push(trouble),
  });
  writer.open();
  writer.close();
  expect(troubles).toEqual([]);
}

async function checkRound(folder: string, safe: readonly Ended[]): Promise<number> {
  const database = new Database(join(folder, 'weir.db'), { readonly: true });
  expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
  const states = database.prepare('SELECT DISTINCT state FROM exchange').pluck().all();
  expect(states).not.toContain('active');
  const segments = database.prepare('SELECT lower(hex(hash)) FROM segment').pluck().all() as string[];
  database.close();
  const files = readdirSync(join(folder, 'bodies'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.length > 2,
  );
  expect(files.map((name) => name.replace('/', '')).sort()).toEqual(segments.sort());
  expect(readdirSync(join(folder, 'spool'))).toEqual([]);

  const reader = new StoreReader(folder);
  for (const { id, hash } of safe) {
    const { summary } = await reader.get(id);
    expect([id, summary.state, summary.bodies]).toEqual([id, 'complete', 'whole']);
    const body = await reader.readBody({ id, side: 'response', form: 'stored', offset: 0, length: 262_144 });
    expect([id, createHash('sha256').update(body.bytes).digest('hex')]).toEqual([id, hash]);
  }
  reader.close();
  return safe.length;
}
