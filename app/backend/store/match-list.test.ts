import { expect, test } from 'vitest';
import { MatchCollector, MatchLists, type Cancellation } from './match-list.ts';

const WAITS: Cancellation = { cancelled: false };

test('values of any size are sorted, equal ones stay in the order in which they came', () => {
  const collector = new MatchCollector();
  const values = [5, -1, 1_000_000_000_000, 5, 0, 255, 256, 257, 65_536, 2 ** 45, 2 ** 50, 5, -1];
  for (const [index, value] of values.entries()) collector.add(1_000 + index, value);
  const expected = values
    .map((value, index) => ({ value: Math.min(value, 2 ** 40 - 2), id: 1_000 + index }))
    .sort((left, right) => left.value - right.value || left.id - right.id)
    .map(({ id }) => id);

  expect([...collector.sorted()]).toEqual(expected);
  expect([...collector.asCollected()]).toEqual(values.map((_, index) => 1_000 + index));
});

test('a hundred thousand rows are collected and sorted', () => {
  const collector = new MatchCollector();
  for (let id = 0; id < 100_000; id += 1) collector.add(id, (id * 7_919) % 100_003);
  const sorted = collector.sorted();

  expect(sorted).toHaveLength(100_000);
  for (let at = 1; at < sorted.length; at += 997) {
    const before = ((sorted[at - 1] ?? 0) * 7_919) % 100_003;
    expect(((sorted[at] ?? 0) * 7_919) % 100_003).toBeGreaterThan(before);
  }
});

test('questions about one query share the work; another version makes it anew', async () => {
  const lists = new MatchLists();
  let made = 0;
  const make = (): Promise<Float64Array> => {
    made += 1;
    return Promise.resolve(Float64Array.of(made));
  };
  const [first, second] = await Promise.all([lists.get('q', 1, WAITS, make), lists.get('q', 1, WAITS, make)]);
  await lists.get('q', null, WAITS, make);

  expect(first).toBe(second);
  expect(made).toBe(2);
});

test('work goes on while one still waits for it, and is given up when nobody does', async () => {
  const lists = new MatchLists();
  const one = { cancelled: false };
  const other = { cancelled: false };
  let all: Cancellation = WAITS;
  let resolve: (list: Float64Array) => void = () => undefined;
  const make = (cancellation: Cancellation): Promise<Float64Array> => {
    all = cancellation;
    return new Promise((done) => (resolve = done));
  };
  const asked = [lists.get('q', null, one, make), lists.get('q', null, other, make)];
  one.cancelled = true;
  expect(all.cancelled).toBe(false);
  other.cancelled = true;
  expect(all.cancelled).toBe(true);
  resolve(new Float64Array());
  await Promise.all(asked);
});

test('a failure is not kept', async () => {
  const lists = new MatchLists();
  await expect(lists.get('q', null, WAITS, () => Promise.reject(new Error('no')))).rejects.toThrow('no');

  expect(await lists.get('q', null, WAITS, () => Promise.resolve(Float64Array.of(1)))).toEqual(Float64Array.of(1));
});

test('only the last few lists are kept', async () => {
  const lists = new MatchLists();
  let made = 0;
  const ask = (key: string): Promise<Float64Array> =>
    lists.get(key, null, WAITS, () => {
      made += 1;
      return Promise.resolve(new Float64Array());
    });
  for (const key of ['a', 'b', 'c', 'd', 'e', 'e', 'a']) await ask(key);

  expect(made).toBe(6);
});
