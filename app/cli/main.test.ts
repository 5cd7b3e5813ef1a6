import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { main } from './main.ts';

let folder: string;
let stdout: string;
let stderr: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-main-'));
  stdout = '';
  stderr = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += String(text);
    return true;
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

describe('the command line', () => {
  test.each([
    ['an unknown command', ['frobnicate'], 'frobnicate'],
    ['an unknown option', ['list', '--colour'], '--colour'],
    ['an option twice', ['list', '--limit', '1', '--limit', '2'], '--limit'],
    ['an option without its value', ['list', '--limit'], '--limit'],
    ['a number that is none', ['list', '--limit', 'many'], 'many'],
    ['an argument too many', ['show', '1', '2'], '2'],
    ['a missing argument', ['show'], 'number'],
    ['a format that does not exist', ['export', '--format', 'xml'], 'xml'],
    ['two ways of showing', ['show', '1', '--json', '--body', 'request'], '--json'],
    ['a mode that is wrong', ['serve', '--mode', 'reverse:example.com'], 'reverse:example.com'],
    ['a certificate without its key', ['serve', '--cert', 'x.pem'], '--key'],
    ['an inspector that is and is not', ['serve', '--ui', ':1', '--no-ui'], '--no-ui'],
    ['a file of a kind that is not opened', ['open', 'notes.txt'], '.weir and .har'],
    ['a run without a command', ['run', 'curl'], '--'],
    ['a replay of nothing', ['replay'], 'number of an exchange'],
    ['an export without a format', ['export'], 'har, weir or curl'],
    ['an authority from nowhere', ['ca', 'import'], 'file of a certificate'],
  ])('%s is wrong usage: exit code 2 and a message on standard error alone', async (_, args, hint) => {
    expect(await main(args)).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(hint);
  });

  test('a file that cannot be read fails with exit code 1', async () => {
    expect(await main(['serve', '--origin-ca', join(folder, 'missing.pem')])).toBe(1);
    expect(stderr).toContain('missing.pem');
  });

  test.each([
    ['open', ['open', '/nowhere/some.har']],
    ['no command', ['/nowhere/some.HAR', '--browser']],
  ])('a file that is not there is not opened with %s, and nothing is started', async (_, args) => {
    expect(await main([...args, '--data', join(folder, 'untouched')])).toBe(1);
    expect(stderr).toContain('cannot be read: ENOENT');
    expect(existsSync(join(folder, 'untouched'))).toBe(false);
  });

  test.each([['--help'], ['help'], ['serve', '--help'], ['help', 'list'], ['ca', '-h']])(
    'help is printed on standard output: %s %s',
    async (...args) => {
      expect(await main(args)).toBe(0);
      expect(stdout).toMatch(/Usage: weir/);
      expect(stdout).not.toMatch(/not in this version/);
    },
  );

  test('the version is the package’s', async () => {
    const facts = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
      version: string;
    };
    expect(await main(['--version'])).toBe(0);
    expect(stdout).toBe(`${facts.version}\n`);
  });
});
