import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { encodeIcns, encodeIco } from './icon-files.ts';

/** Stand-ins for pictures, each of its own content. */
const IMAGES = new Map(
  [16, 32, 48, 64, 128, 256, 512, 1024].map((pixels) => [pixels, Buffer.from(`png ${String(pixels)}`)]),
);

test('an .ico points at each picture', () => {
  const ico = encodeIco(IMAGES);
  const count = ico.readUInt16LE(4);
  const found = Array.from({ length: count }, (_unused, index) => {
    const at = 6 + index * 16;
    const offset = ico.readUInt32LE(at + 12);
    return [ico.readUInt8(at), ico.subarray(offset, offset + ico.readUInt32LE(at + 8)).toString()];
  });
  expect(found).toEqual([
    [16, 'png 16'],
    [32, 'png 32'],
    [48, 'png 48'],
    [64, 'png 64'],
    [128, 'png 128'],
    [0, 'png 256'],
  ]);
});

test('an .icns holds each picture under its type', () => {
  const icns = encodeIcns(IMAGES);
  expect(icns.toString('latin1', 0, 4)).toBe('icns');
  expect(icns.readUInt32BE(4)).toBe(icns.length);
  const found: string[] = [];
  for (let at = 8; at < icns.length; at += icns.readUInt32BE(at + 4)) {
    found.push(
      `${icns.toString('latin1', at, at + 4)}: ${icns.toString('latin1', at + 8, at + icns.readUInt32BE(at + 4))}`,
    );
  }
  expect(found).toEqual([
    'icp4: png 16',
    'icp5: png 32',
    'icp6: png 64',
    'ic07: png 128',
    'ic08: png 256',
    'ic09: png 512',
    'ic10: png 1024',
  ]);
});

test('a missing size is an error and not a broken file', () => {
  expect(() => encodeIco(new Map())).toThrow('There is no image of 16 pixels.');
});

test('the committed icons are of the kinds that they say', () => {
  const start = (name: string): Buffer => readFileSync(join(import.meta.dirname, 'icons', name)).subarray(0, 4);
  expect(start('icon.icns').toString()).toBe('icns');
  expect(start('icon.ico')).toEqual(Buffer.from([0, 0, 1, 0]));
  expect(start('512x512.png').toString('latin1')).toBe('\x89PNG');
});
