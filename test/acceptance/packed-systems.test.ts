import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FUSE_MARK } from '../support/fake-electron.ts';

/*
 * The app as electron-builder packs it for Windows and macOS, around a fake Electron of each. What only those systems can
 * show is in docs/desktop-checklist.md; what Linux is packed as, and runs as, in test/integration/packed-app.test.ts.
 */

const run = promisify(execFile);
const PROGRAM = resolve(import.meta.dirname, '../support/pack-app.ts');
const ARCH = process.arch === 'arm64' ? 'arm64' : 'x64';

let folder: string;

async function pack(system: 'mac' | 'win'): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), `weir-packed-${system}-`));
  await run(process.execPath, [PROGRAM, folder, system], { maxBuffer: 10_000_000 });
}

/** Runs as Node, encrypts cookies, no NODE_OPTIONS, no inspector, checks and loads its archive alone. */
function expectFuses(binary: Buffer): void {
  const at = binary.indexOf(FUSE_MARK) + FUSE_MARK.length + 2;
  expect(binary.toString('latin1', at, at + 8)).toBe('11001100');
}

function nativeFiles(resources: string): string[] {
  return globSync('app.asar.unpacked/node_modules/**/*.node', { cwd: resources }).map(
    (path) => path.split('/').at(-1) ?? '',
  );
}

describe('for Windows', () => {
  let app: string;

  beforeAll(async () => {
    await pack('win');
    app = join(folder, 'win-unpacked');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('the program carries its fuses, the check of its archive, its icon and whose it is', () => {
    const program = readFileSync(join(app, 'Weir.exe'));
    expectFuses(program);
    expect(program.includes('resources\\\\app.asar')).toBe(true);
    expect(program.includes(Buffer.from('Copyright © 2026 the Weir authors', 'utf16le'))).toBe(true);
    const icon = readFileSync(resolve(import.meta.dirname, '../../resources/icons/icon.ico'));
    const first = icon.readUInt32LE(6 + 12);
    expect(program.includes(icon.subarray(first, first + icon.readUInt32LE(6 + 8)))).toBe(true);
  });

  test("of native code only this platform's is there", () => {
    expect(nativeFiles(join(app, 'resources'))).toEqual([`win32-${ARCH}.node`]);
  });

  test('the command names the program and the file that it runs by where they are', () => {
    const bin = join(app, 'resources/bin');
    const command = readFileSync(join(bin, 'weir.cmd'), 'latin1');
    const named = [...command.matchAll(/"%~dp0([^"]+)"/g)].map(([, path = '']) => path.replaceAll('\\', '/'));
    expect(named).toHaveLength(2);
    for (const path of named) expect([path, existsSync(join(bin, path))]).toEqual([path, true]);
    expect(
      command
        .split('\n')
        .slice(0, -1)
        .every((line) => line.endsWith('\r')),
    ).toBe(true);
  });
});

describe('for macOS', () => {
  let contents: string;

  beforeAll(async () => {
    await pack('mac');
    contents = join(folder, ARCH === 'arm64' ? 'mac-arm64' : 'mac', 'Weir.app/Contents');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('the bundle says what it is, which files it opens, and how its archive is checked', () => {
    const facts = readFileSync(join(contents, 'Info.plist'), 'utf8').replaceAll(/>\s+</g, '><');
    const type = (extension: string, rank: string): RegExp =>
      new RegExp(
        `<array><string>${extension}</string></array>.*?<key>CFBundleTypeRole</key><string>Viewer</string>` +
          `<key>LSHandlerRank</key><string>${rank}</string>`,
      );
    expect(facts).toMatch(type('weir', 'Owner'));
    expect(facts).toMatch(type('har', 'Alternate'));
    expect(facts).toContain('<key>CFBundleIdentifier</key><string>dev.weir.inspector</string>');
    expect(facts).toContain('<key>LSApplicationCategoryType</key><string>public.app-category.developer-tools</string>');
    expect(facts).toMatch(/<key>ElectronAsarIntegrity<\/key><dict><key>Resources\/app\.asar<\/key>/);
    expect(existsSync(join(contents, 'Resources/icon.icns'))).toBe(true);
  });

  test('the fuses stand in the framework', () => {
    expectFuses(readFileSync(join(contents, 'Frameworks/Electron Framework.framework/Electron Framework')));
  });

  test("of native code only this platform's is there", () => {
    expect(nativeFiles(join(contents, 'Resources'))).toEqual([`darwin-${ARCH}.node`]);
  });

  test('the command finds the program in the bundle', async () => {
    const bin = join(folder, 'fake-bin');
    await mkdir(bin);
    await writeFile(join(bin, 'uname'), '#!/bin/sh\necho Darwin\n');
    await chmod(join(bin, 'uname'), 0o755);
    const env = { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    const { stdout } = await run(join(contents, 'Resources/bin/weir'), ['--version'], { env });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
