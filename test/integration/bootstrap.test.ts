import { once } from 'node:events';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { BootstrapClone, endOf } from '../support/bootstrap-clone.ts';

let clone: BootstrapClone;

beforeEach(() => {
  clone = new BootstrapClone();
});

afterEach(() => {
  clone.remove();
});

test('a fresh clone installs, builds and runs the command; standard output is the command’s alone', async () => {
  const { code, stdout, stderr } = await clone.run(['list', '--json']);

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ first: 'list', rest: ['--json'] });
  expect(stderr).toMatch(/Installing packages .*: done in \d+ s/);
  expect(stderr).toMatch(/Building: done in \d+ s/);
  expect(clone.calls()).toEqual(['npm', 'build']);
});

test('a warm start does nothing but run the command', async () => {
  await clone.run(['list']);

  const { stderr } = await clone.run(['list']);

  expect(stderr).toBe('');
  expect(clone.calls()).toEqual(['npm', 'build']);
});

test('a changed source is built again, a touched one is not', async () => {
  await clone.run(['list']);

  clone.write('app/source.ts', 'one');
  await clone.run(['list']);
  expect(clone.calls()).toEqual(['npm', 'build']);

  clone.write('app/source.ts', 'two');
  await clone.run(['list']);
  expect(clone.calls()).toEqual(['npm', 'build', 'build']);
});

test('a changed test is no reason to build', async () => {
  await clone.run(['list']);
  clone.write('app/source.test.ts', 'new');

  await clone.run(['list']);

  expect(clone.calls()).toEqual(['npm', 'build']);
});

test('a changed lock file installs again', async () => {
  await clone.run(['list']);
  clone.lock('2.0.0');

  await clone.run(['list']);

  expect(clone.calls()).toEqual(['npm', 'build', 'npm', 'build']);
});

test('packages that somebody installed by hand are taken as they are', async () => {
  await clone.run(['list']);
  clone.lock('2.0.0');
  clone.write(
    'node_modules/.package-lock.json',
    JSON.stringify({ packages: { 'node_modules/thing': { version: '2.0.0' } } }),
  );

  await clone.run(['list']);

  expect(clone.calls().filter((call) => call === 'npm')).toHaveLength(1);
});

test('two at once prepare the folder once, and both run', async () => {
  const [one, other] = await Promise.all([clone.run(['one']), clone.run(['other'])]);

  expect([one.code, other.code]).toEqual([0, 0]);
  expect(clone.calls()).toEqual(['npm', 'build']);
});

test('a lock that a killed start left behind is taken over', async () => {
  const dead = clone.start(['list']);
  await endOf(dead);
  clone.write('.cache/bootstrap.lock', `${String(dead.pid)} left`);
  clone.write('app/source.ts', 'changed');

  const { code, stderr } = await clone.run(['list']);

  expect(code).toBe(0);
  expect(stderr).not.toContain('Another Weir');
});

test('the command is found through a symbolic link and from any folder', async () => {
  const link = join(clone.folder, 'link-to-weir');
  symlinkSync(join(clone.folder, 'bin/weir.mjs'), link);

  const { code, stdout } = await clone.run(['show'], { script: link, cwd: '/' });

  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ first: 'show', folder: '/' });
});

test('the exit code is the command’s', async () => {
  expect((await clone.run(['fail'])).code).toBe(3);
});

test('signals reach the command', async () => {
  const child = clone.start(['wait']);
  const ended = endOf(child);
  if (child.stdout === null) throw new Error('no output');
  await once(child.stdout, 'data');

  child.kill('SIGTERM');

  expect(await ended).toMatchObject({ code: 7, stdout: 'waiting\nSIGTERM\n' });
});

test.each([
  [
    'a network that is away',
    'npm error code ENOTFOUND',
    'the package registry could not be reached',
    'check the network',
  ],
  ['a full disk', 'npm error code ENOSPC', 'the disk is full', 'free about'],
  ['a folder that npm may not write', 'npm error code EACCES', 'npm may not write here', 'make '],
  ['anything else', 'npm error something odd', 'npm error something odd', 'see '],
])('%s is explained with a next step', async (_what, output, why, next) => {
  clone.npm(`console.error(${JSON.stringify(output)}); process.exitCode = 1;`);

  const { code, stdout, stderr } = await clone.run(['list']);

  expect(code).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).toContain(`Why:  ${why}`);
  expect(stderr).toContain(`Next: ${next}`);
});

test('a machine without npm is told what to install', async () => {
  const { code, stderr } = await clone.run(['list'], { env: { PATH: clone.folder, npm_execpath: '' } });

  expect(code).toBe(1);
  expect(stderr).toContain('Why:  npm was not found');
  expect(stderr).toContain('Next: install Node with npm');
});

test('an install that failed is tried again by the next start', async () => {
  clone.npm('process.exitCode = 1;');
  await clone.run(['list']);
  clone.npm(clone.installing());

  expect((await clone.run(['list'])).code).toBe(0);
});

test('a build that fails leaves the one before in place and says what it said', async () => {
  await clone.run(['list']);
  const tool = join(clone.folder, 'node_modules/electron-vite/bin/electron-vite.js');
  writeFileSync(tool, `console.error('\\u001b[31mUNRESOLVED_IMPORT\\u001b[0m thing'); process.exitCode = 1;`);
  clone.write('app/source.ts', 'broken');

  const failed = await clone.run(['list']);

  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('UNRESOLVED_IMPORT thing');
  clone.write('app/source.ts', 'one');
  expect((await clone.run(['list'])).code).toBe(0);
});

test('an installed package, which has no lock file, is run as it is', async () => {
  await clone.run(['list']);
  rmSync(join(clone.folder, 'package-lock.json'));
  clone.write('app/source.ts', 'changed');

  const { code, stderr } = await clone.run(['list']);

  expect(code).toBe(0);
  expect(stderr).toBe('');
});
