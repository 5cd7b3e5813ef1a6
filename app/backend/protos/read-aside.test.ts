import { expect, test } from 'vitest';
import { readAside } from './read-aside.ts';

test('a file is read in a thread of its own, and what is wrong with it comes back', async () => {
  const described = await readAside('a.proto', Buffer.from('syntax = "proto3"; message A { int32 x = 1; }'));
  expect(described.types).toEqual([{ name: 'A', fields: [{ number: 1, name: 'x', type: 'int32' }] }]);
  await expect(readAside('a.proto', Buffer.from('message A {'))).rejects.toThrow('illegal token');
});

test('a file that takes too long is given up', async () => {
  const fields = Array.from({ length: 20_000 }, (_, n) => `int32 a${String(n)} = ${String(n + 1)};`).join('');
  const bytes = Buffer.from(`syntax = "proto3"; message A { ${fields} }`);
  await expect(readAside('a.proto', bytes, 500)).rejects.toThrow('It is too large to be read in');
});
