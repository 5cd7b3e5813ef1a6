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

const COMMITTED = join(import.meta.dirname, 'icons');

/** Width and height that a PNG says in its header; throws for anything else. */
function pngSize(png: Buffer): [width: number, height: number] {
  if (png.toString('latin1', 1, 4) !== 'PNG' || png.toString('latin1', 12, 16) !== 'IHDR') throw new Error('No PNG.');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

test('the committed icon of Windows holds a PNG of each size that it says', () => {
  const ico = readFileSync(join(COMMITTED, 'icon.ico'));
  expect(ico.subarray(0, 4)).toEqual(Buffer.from([0, 0, 1, 0]));
  const sizes = Array.from({ length: ico.readUInt16LE(4) }, (_unused, index) => {
    const at = 6 + index * 16;
    const offset = ico.readUInt32LE(at + 12);
    expect(offset + ico.readUInt32LE(at + 8)).toBeLessThanOrEqual(ico.length);
    expect(ico.readUInt8(at)).toBe(pngSize(ico.subarray(offset))[0] % 256);
    return pngSize(ico.subarray(offset));
  });
  expect(sizes).toEqual([16, 32, 48, 64, 128, 256].map((pixels) => [pixels, pixels]));
});

test('the committed icon of macOS is whole, up to 1024 pixels', () => {
  const icns = readFileSync(join(COMMITTED, 'icon.icns'));
  expect(icns.toString('latin1', 0, 4)).toBe('icns');
  expect(icns.readUInt32BE(4)).toBe(icns.length);
  const sizes: number[] = [];
  for (let at = 8; at < icns.length; at += icns.readUInt32BE(at + 4)) sizes.push(pngSize(icns.subarray(at + 8))[0]);
  expect(sizes).toEqual([16, 32, 64, 128, 256, 512, 1024]);
});

test('the committed icons of Linux have the size of their names, and the tray has each state in each form', () => {
  for (const pixels of [16, 32, 48, 64, 128, 256, 512]) {
    const name = `${String(pixels)}x${String(pixels)}.png`;
    expect([name, ...pngSize(readFileSync(join(COMMITTED, name)))]).toEqual([name, pixels, pixels]);
  }
  for (const state of ['idle', 'recording', 'system-proxy']) {
    for (const form of ['Template', '-light']) {
      const at = (suffix: string): Buffer =>
        readFileSync(join(import.meta.dirname, 'tray', `${state}${form}${suffix}.png`));
      expect([pngSize(at('')), pngSize(at('@2x'))]).toEqual([
        [18, 18],
        [36, 36],
      ]);
    }
  }
});
