import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSettingsFile, SettingsError, SettingsKeeper } from './settings-keeper.ts';

let folder: string;
let path: string;
let reports: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-settings-'));
  path = join(folder, 'settings.json');
  reports = [];
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

function open(overrides: ConstructorParameters<typeof SettingsKeeper>[1] = {}): SettingsKeeper {
  return new SettingsKeeper(path, overrides, (message) => reports.push(message));
}

test('the defaults apply where nothing is stored', () => {
  const { current } = open();
  expect(current).toMatchObject({ passthroughHosts: [], forwardedFields: false });
  expect(current.timeouts['connect']).toBe(10_000);
  expect(current.limits['fields']).toBe(1_000);
  expect(reports).toEqual([]);
});

test('a change lasts, privately, and leaves the rest alone', async () => {
  open().change({ passthroughHosts: ['*.bank.example'], timeouts: { connect: 1 } });
  const changed = open().change({ timeouts: { idle: 2 } });
  expect(changed.passthroughHosts).toEqual(['*.bank.example']);
  expect(changed.timeouts).toMatchObject({ connect: 1, idle: 2, tls: 10_000 });
  expect(open().current).toEqual(changed);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('what one run overrides applies and is not stored', async () => {
  const keeper = open({ forwardedFields: true, limits: { fields: 5 } });
  expect(keeper.change({ trustedHosts: ['a.example'] })).toMatchObject({
    forwardedFields: true,
    trustedHosts: ['a.example'],
  });
  expect(keeper.current.limits['fields']).toBe(5);
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ trustedHosts: ['a.example'] });
});

test.each(['{', '7', '{"timeouts":{"connect":-1}}', '{"unknown":1}', '{"passthroughHosts":["a b"]}'])(
  'a stored file that is %s is put aside and reported',
  async (content) => {
    await writeFile(path, content);
    expect(open().current.passthroughHosts).toEqual([]);
    expect(reports).toHaveLength(1);
    expect(await readFile(`${path}.damaged`, 'utf8')).toBe(content);
  },
);

test('a change that cannot be stored fails and changes nothing', async () => {
  const keeper = open();
  await mkdir(path);
  expect(() => keeper.change({ forwardedFields: true })).toThrow(/cannot be stored/);
  expect(keeper.current.forwardedFields).toBe(false);
});

test('a settings file that a user names must be right, and the message says where it is not', async () => {
  await writeFile(path, '{"limits":{"fields":"many"}}');
  expect(() => readSettingsFile(path)).toThrow(SettingsError);
  expect(() => readSettingsFile(path)).toThrow(/limits\.fields/);
  expect(() => readSettingsFile(join(folder, 'missing.json'))).toThrow(SettingsError);
  await writeFile(path, '{"limits":{"fields":7}}');
  expect(readSettingsFile(path)).toEqual({ limits: { fields: 7 } });
});
