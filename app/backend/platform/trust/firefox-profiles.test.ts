import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFirefoxProfiles } from './firefox-profiles.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'weir-profiles-'));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const folders = async (): Promise<string[]> => (await findFirefoxProfiles(root)).map(({ folder }) => folder).sort();

test('profiles in the folder and those that profiles.ini names elsewhere are found, each once', async () => {
  await mkdir(join(root, 'a.default'));
  await writeFile(
    join(root, 'profiles.ini'),
    [
      ...['[Install4F96]', 'Default=a.default', ''],
      ...['[Profile1]', 'Name=far', 'IsRelative=0', 'Path=/mnt/disk/b.far', ''],
      ...['[Profile0]', 'Name=a', 'IsRelative=1', 'Path=a.default', ''],
      ...['[Profile2]', 'Name=odd', 'IsRelative=0', 'Path=not/absolute', ''],
      ...['[Profile3]', 'Name=none', ''],
    ].join('\r\n'),
  );
  expect(await folders()).toEqual(['/mnt/disk/b.far', join(root, 'a.default'), join(root, 'profiles.ini')].sort());
});

test('no folder, no profiles', async () => {
  await rm(root, { recursive: true });
  expect(await folders()).toEqual([]);
});
