import { expect, test } from 'vitest';
import { FramingEncoder, readSplices } from './framing-codec.ts';

test('a chunked body is taken apart and put together again', () => {
  const run = encode(['4\r\n', 4, '\r\n3;name=value\r\n', 3, '\r\n0\r\nA: b\r\n\r\n']);

  expect(splices(run)).toEqual([
    [1, 0, '4\r\n'],
    [1, 4, '\r\n3;name=value\r\n'],
    [1, 3, '\r\n0\r\nA: b\r\n\r\n'],
  ]);
});

test('pieces of framing with no payload between them are one splice', () => {
  expect(splices(encode(['1', '0\r', '\n', 16, '\r\n', '0\r\n\r\n']))).toEqual([
    [1, 0, '10\r\n'],
    [1, 16, '\r\n0\r\n\r\n'],
  ]);
});

test('a hundred thousand equal chunks take a few bytes', () => {
  const emitted: Buffer[] = [];
  const encoder = new FramingEncoder((bytes) => emitted.push(bytes));
  encoder.framing(Buffer.from('400\r\n'));
  for (let chunk = 0; chunk < 100_000; chunk += 1) {
    encoder.payload(1_024);
    encoder.framing(Buffer.from('\r\n400\r\n'));
  }
  encoder.finish();
  const run = Buffer.concat(emitted);

  expect(run.length).toBeLessThan(40);
  expect(splices(run)[1]).toEqual([100_000, 1_024, '\r\n400\r\n']);
});

test('payload sizes beyond 32 bits are kept', () => {
  expect(splices(encode(['x', 5_000_000_000_000, 'y']))[1]).toEqual([1, 5_000_000_000_000, 'y']);
});

test('a run that a crash cut is read up to there', () => {
  const run = encode(['4\r\n', 4, '\r\n5\r\n', 5, '\r\n0\r\n\r\n']);

  expect(splices(run.subarray(0, run.length - 3))).toEqual([
    [1, 0, '4\r\n'],
    [1, 4, '\r\n5\r\n'],
  ]);
});

function encode(section: readonly (string | number)[]): Buffer {
  const emitted: Buffer[] = [];
  const encoder = new FramingEncoder((bytes) => emitted.push(bytes));
  for (const part of section) {
    if (typeof part === 'number') encoder.payload(part);
    else encoder.framing(Buffer.from(part));
  }
  encoder.finish();
  return Buffer.concat(emitted);
}

function splices(run: Buffer): (readonly [number, number, string])[] {
  return [...readSplices(run)].map(({ times, gap, bytes }) => [times, gap, bytes.toString()] as const);
}
