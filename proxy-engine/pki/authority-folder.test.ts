import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAuthorityFolder } from './authority-folder.ts';

let data: string;
let folder: string;

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'weir-ca-'));
  folder = join(data, 'ca');
});

afterEach(async () => {
  await rm(data, { recursive: true, force: true });
});

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test('an authority is made at the first time and found again', async () => {
  const first = await openAuthorityFolder(folder);
  const second = await openAuthorityFolder(folder);
  expect(first.created).toBe(true);
  expect(second).toEqual({ ...first, created: false });
  expect(await readFile(first.certificateFile, 'utf8')).toBe(first.pem.certificate);
  expect(first.certificateFile).toBe(join(folder, 'weir-ca.pem'));
});

test('its key is 0600 in a 0700 folder', async () => {
  const { keyFile } = await openAuthorityFolder(folder);
  expect(await modeOf(folder)).toBe(0o700);
  expect(await modeOf(keyFile)).toBe(0o600);
});

test('twenty that begin at once agree on one, and leave nothing behind', async () => {
  const all = await Promise.all(Array.from({ length: 20 }, () => openAuthorityFolder(folder)));
  expect(new Set(all.map(({ pem }) => pem.certificate)).size).toBe(1);
  expect(new Set(all.map(({ pem }) => pem.key)).size).toBe(1);
  expect(all.filter(({ created }) => created)).toHaveLength(1);
  expect(await readdir(data)).toEqual(['ca']);
});

test('an empty folder is filled', async () => {
  await mkdir(folder);
  expect((await openAuthorityFolder(folder)).created).toBe(true);
  expect(await modeOf(folder)).toBe(0o700);
});

describe('loose modes', () => {
  test('are mended and said', async () => {
    const { keyFile } = await openAuthorityFolder(folder);
    await chmod(keyFile, 0o644);
    await chmod(folder, 0o755);
    const { notices } = await openAuthorityFolder(folder);
    expect(notices).toEqual([
      expect.stringContaining(`${folder} was open to other users (mode 0755); it is 0700 now`),
      expect.stringContaining(`${keyFile} was open to other users (mode 0644); it is 0600 now`),
    ]);
    expect(await modeOf(keyFile)).toBe(0o600);
    expect((await openAuthorityFolder(folder)).notices).toEqual([]);
  });

  test('do not exist on Windows', async () => {
    const { keyFile } = await openAuthorityFolder(folder);
    await chmod(keyFile, 0o644);
    expect((await openAuthorityFolder(folder, { platform: 'win32' })).notices).toEqual([]);
  });
});

describe('what cannot be used is refused with what to do', () => {
  test('one of two files missing', async () => {
    const { keyFile } = await openAuthorityFolder(folder);
    await rm(keyFile);
    await expect(openAuthorityFolder(folder)).rejects.toMatchObject({
      code: 'pki.files',
      message: expect.stringContaining(`${keyFile} is missing. Put it back`) as string,
    });
  });

  test('a damaged certificate', async () => {
    const { certificateFile } = await openAuthorityFolder(folder);
    await writeFile(certificateFile, 'garbage');
    await expect(openAuthorityFolder(folder)).rejects.toMatchObject({ code: 'pki.unreadable' });
  });

  test('a folder with other things in it', async () => {
    await mkdir(folder);
    await writeFile(join(folder, 'notes.txt'), 'mine');
    await expect(openAuthorityFolder(folder)).rejects.toMatchObject({ code: 'pki.files' });
    expect(await readdir(data)).toEqual(['ca']);
  });

  test('a data folder that is a file', async () => {
    await writeFile(folder, '');
    await expect(openAuthorityFolder(folder)).rejects.toMatchObject({ code: 'pki.files' });
  });
});
