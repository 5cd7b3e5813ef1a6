import { expect, test } from 'vitest';
import { compareBodies, type ComparedBody } from './compare-bodies.ts';

const body = (text: string | Uint8Array, mediaType: string | null = null): ComparedBody => ({
  bytes: typeof text === 'string' ? new TextEncoder().encode(text) : text,
  mediaType,
  charset: null,
});

test('JSON is compared by its values: another layout is no difference', () => {
  expect(compareBodies(body('{"a":1,"b":[1]}'), body('{ "b": [1], "a": 2 }'))).toEqual({
    kind: 'json',
    changes: [{ path: 'a', left: '1', right: '2' }],
  });
  expect(compareBodies(body('{"a":1}'), body('{ "a": 1 }'))).toEqual({ kind: 'json', changes: [] });
  expect(compareBodies(body('{"a":1}'), body('{"a":1}'))).toEqual({ kind: 'same' });
});

test('text is compared line by line, bytes by their first difference', () => {
  expect(compareBodies(body('a\nb\nc'), body('a\nx\nc'))).toMatchObject({
    kind: 'text',
    blocks: [{ lines: [{ text: 'a' }, { kind: 'removed', text: 'b' }, { kind: 'added', text: 'x' }, { text: 'c' }] }],
  });
  expect(compareBodies(body(Uint8Array.of(1, 0, 3)), body(Uint8Array.of(1, 0, 4)))).toEqual({ kind: 'binary', at: 2 });
});
