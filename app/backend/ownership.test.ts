import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DataFolder } from './data-folder.ts';
import { prepareDataFolder } from './data-folder.ts';
import type { Ownership } from './ownership.ts';
import { claimDataFolder, findRunningBackend, isOwnership } from './ownership.ts';

let folder: DataFolder;

beforeEach(async () => {
  folder = prepareDataFolder(await mkdtemp(join(tmpdir(), 'weir-owner-')));
});

afterEach(async () => {
  await rm(folder.path, { recursive: true });
});

const running = { pid: 4_711, url: 'http://127.0.0.1:8687/', token: 'abcdefghijklmnopqrstuvwxyz' };

async function own(): Promise<Ownership> {
  const claim = await claimDataFolder(folder);
  if (!isOwnership(claim)) throw new Error('somebody else owns the folder');
  return claim;
}

/** Runs a program that owns the folder until it is killed. */
async function ownInAnotherProcess(announce: boolean): Promise<{ kill(): Promise<void> }> {
  const program = `
    import { claimDataFolder } from ${JSON.stringify(new URL('./ownership.ts', import.meta.url).href)};
    import { describeDataFolder } from ${JSON.stringify(new URL('./data-folder.ts', import.meta.url).href)};
    const owner = await claimDataFolder(describeDataFolder(${JSON.stringify(folder.path)}));
    if (${String(announce)}) owner.announce(${JSON.stringify(running)});
    console.log('owned');
    setInterval(() => owner, 1000);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    async kill() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

test('the first to ask owns the folder, and others learn how to reach it', async () => {
  const owner = await own();
  owner.announce(running);
  await expect(claimDataFolder(folder)).resolves.toEqual(running);
  expect(findRunningBackend(folder)).toEqual(running);
  owner.release();
});

test('the files of an owner are readable by its user alone', async () => {
  const owner = await own();
  owner.announce(running);
  for (const file of [folder.lockFile, folder.ownerFile]) expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(folder.path)).mode & 0o777).toBe(0o700);
  owner.release();
});

test('a folder that was given up can be owned again, and nobody is announced in it', async () => {
  const first = await own();
  first.announce(running);
  first.release();
  expect(findRunningBackend(folder)).toBeNull();
  const second = await own();
  second.release();
});

test('an owner that is just starting is waited for', async () => {
  const owner = await own();
  const claim = claimDataFolder(folder);
  owner.announce(running);
  await expect(claim).resolves.toEqual(running);
  owner.release();
});

test('a folder whose owner ends before it is ready is taken over by who waited', async () => {
  const first = await own();
  const claim = claimDataFolder(folder);
  first.release();
  const second = await claim;
  expect(isOwnership(second)).toBe(true);
  if (isOwnership(second)) second.release();
});

test('an owner that stays silent is an error that says what to do', async () => {
  const owner = await own();
  await expect(claimDataFolder(folder, 100)).rejects.toThrow(/--data/);
  owner.release();
});

test('the announcement of a process that was killed means nothing, and its folder is free', async () => {
  const other = await ownInAnotherProcess(true);
  expect(findRunningBackend(folder)).toEqual(running);
  await other.kill();
  expect(JSON.parse(await readFile(folder.lockFile, 'utf8'))).toEqual(running);
  expect(findRunningBackend(folder)).toBeNull();
  const owner = await own();
  await expect(stat(folder.lockFile)).rejects.toMatchObject({ code: 'ENOENT' });
  owner.release();
});

test('a lock file with nonsense in it, or of a living process that is no Weir, does not keep anybody out', async () => {
  for (const content of ['', 'nonsense', '{"pid":1}', JSON.stringify({ ...running, pid: process.pid })]) {
    await writeFile(folder.lockFile, content);
    const owner = await own();
    owner.release();
  }
});

test('of many that ask at once exactly one owns the folder', async () => {
  const claims = Array.from({ length: 20 }, () => claimDataFolder(folder));
  const first = await Promise.any(
    claims.map(async (claim) => {
      const result = await claim;
      if (isOwnership(result)) return result;
      throw new Error('not the owner');
    }),
  );
  first.announce(running);
  const results = await Promise.all(claims);
  expect(results.filter(isOwnership)).toHaveLength(1);
  first.release();
});
