import { expect, test } from 'vitest';
import { LiveList, type Placed } from './live-list.ts';

class Named implements Placed {
  place = -1;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

test('members leave from anywhere and only once', () => {
  const list = new LiveList<Named>();
  const [a, b, c] = [new Named('a'), new Named('b'), new Named('c')];
  for (const member of [a, b, c]) list.add(member);
  expect(list.remove(a)).toBe(true);
  expect(list.remove(a)).toBe(false);
  expect(list.members.map(({ name }) => name).sort()).toEqual(['b', 'c']);
  expect(list.remove(c)).toBe(true);
  expect(list.remove(b)).toBe(true);
  expect(list.size).toBe(0);
  list.add(a);
  expect(list.members).toEqual([a]);
});
