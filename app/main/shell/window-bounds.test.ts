import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepWindowBounds, readWindowBounds } from './window-bounds.ts';

const SCREEN = { x: 0, y: 0, width: 1920, height: 1080 };
const BOUNDS = { x: 100, y: 80, width: 1280, height: 800, maximized: false };

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-bounds-'));
  file = join(folder, 'below', 'window.json');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('a window comes back where it stood', () => {
  keepWindowBounds(file, BOUNDS);
  expect(readWindowBounds(file, [SCREEN])).toEqual(BOUNDS);
});

test('a window whose screen is gone is not put out of reach', () => {
  keepWindowBounds(file, { ...BOUNDS, x: 2500 });
  expect(readWindowBounds(file, [SCREEN])).toBeNull();
  expect(readWindowBounds(file, [SCREEN, { ...SCREEN, x: 1920 }])).toMatchObject({ x: 2500 });
});

test('a window of which only a sliver would show is not restored', () => {
  keepWindowBounds(file, { ...BOUNDS, y: 1070 });
  expect(readWindowBounds(file, [SCREEN])).toBeNull();
});

test('a damaged or absent file is no bounds', () => {
  expect(readWindowBounds(file, [SCREEN])).toBeNull();
  keepWindowBounds(file, BOUNDS);
  for (const text of [
    '',
    '[]',
    'null',
    '{"x":1}',
    JSON.stringify({ ...BOUNDS, width: 10 }),
    JSON.stringify({ ...BOUNDS, x: 'a' }),
  ]) {
    writeFileSync(file, text);
    expect(readWindowBounds(file, [SCREEN])).toBeNull();
  }
});

test('a folder that cannot be written does no harm', () => {
  writeFileSync(join(folder, 'below'), 'a file where a folder should be');
  expect(() => {
    keepWindowBounds(file, BOUNDS);
  }).not.toThrow();
});
