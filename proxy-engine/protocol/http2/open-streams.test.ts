import { expect, test } from 'vitest';
import { OpenStreams } from './open-streams.ts';
import { Http2Stream } from './stream.ts';

test('finds what is open and nothing else, whatever the order in which streams end', () => {
  const open = new OpenStreams<null>();
  const model = new Map<number, Http2Stream<null>>();
  // A fixed sequence that looks random (Park and Miller).
  let seed = 1;
  const below = (limit: number): number => (seed = (seed * 48_271) % 0x7fff_ffff) % limit;
  let id = 1;
  for (let step = 0; step < 20_000; step += 1) {
    if (model.size < 200 && below(2) === 0) {
      const stream = new Http2Stream<null>(id, 0, 0);
      id += 2 * (1 + below(40));
      open.add(stream);
      model.set(stream.id, stream);
    } else {
      const victim = [...model.values()][below(Math.max(1, model.size))];
      if (victim === undefined) continue;
      expect(open.remove(victim)).toBe(true);
      expect(open.remove(victim)).toBe(false);
      model.delete(victim.id);
      expect(open.get(victim.id)).toBeUndefined();
    }
    const [first] = model.values();
    if (first !== undefined) expect(open.get(first.id)).toBe(first);
  }
  expect(open.size).toBe(model.size);
  expect(new Set(open.all())).toEqual(new Set(model.values()));
});
