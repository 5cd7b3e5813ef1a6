import { expect, test } from 'vitest';
import { Columns } from './columns.svelte.ts';

function memory(): { getItem(key: string): string | null; setItem(key: string, value: string): void } {
  const values = new Map<string, string>();
  return { getItem: (key) => values.get(key) ?? null, setItem: (key, value) => values.set(key, value) };
}

const names = (columns: Columns, width: number) => columns.shown(width).map(({ definition }) => definition.id);

test('a list of usual width shows the eight columns of the specification', () => {
  expect(names(new Columns(memory()), 700)).toEqual([
    'label',
    'status',
    'method',
    'host',
    'path',
    'type',
    'size',
    'duration',
  ]);
});

test('a wide list adds protocol and start', () => {
  expect(names(new Columns(memory()), 980).slice(-2)).toEqual(['protocol', 'started']);
});

test('a list that narrows loses the type, then the size, then the host, which moves into the path', () => {
  const columns = new Columns(memory());
  expect(names(columns, 639)).not.toContain('type');
  expect(names(columns, 639)).toContain('size');
  expect(names(columns, 559)).not.toContain('size');
  expect(names(columns, 559)).toContain('host');
  expect(columns.mergesHost(559)).toBe(false);
  expect(names(columns, 479)).not.toContain('host');
  expect(columns.mergesHost(479)).toBe(true);
});

test('widths and hidden columns last, within bounds', () => {
  const store = memory();
  const columns = new Columns(store);
  columns.resize('host', 5);
  columns.setHidden('type', true);
  const again = new Columns(store);
  expect(again.shown(700).find(({ definition }) => definition.id === 'host')?.width).toBe(64);
  expect(again.isHidden('type')).toBe(true);
  again.reset();
  expect(names(new Columns(store), 700)).toContain('type');
});

test('what an older version stored is checked before it is used', () => {
  const store = memory();
  store.setItem('weir.column-widths', '{"host":"wide"}');
  store.setItem('weir.columns-hidden', 'no json');
  expect(names(new Columns(store), 700)).toHaveLength(8);
});

test('a column takes another place, and keeps it', () => {
  const store = memory();
  const columns = new Columns(store);
  columns.move('size', 'status');
  columns.move('label', null);
  columns.move('method', 'label');
  columns.step('status', 1, columns.shown(700));
  expect(names(new Columns(store), 700)).toEqual([
    'label',
    'size',
    'method',
    'status',
    'host',
    'path',
    'type',
    'duration',
  ]);
});

test('a column that an older version did not know stands where it is delivered', () => {
  const store = memory();
  store.setItem(
    'weir.columns-order',
    '["path","host","status","method","type","size","duration","protocol","started"]',
  );
  const columns = new Columns(store);
  expect(columns.ordered.map(({ id }) => id)).toEqual([
    'label',
    'path',
    'host',
    'status',
    'method',
    'type',
    'size',
    'duration',
    'program',
    'protocol',
    'started',
    'model',
    'tokens',
    'ttft',
    'finish',
    'waterfall',
  ]);
});

test.each(['waterfall', 'model', 'tokens', 'ttft', 'finish'] as const)(
  'the column %s is there for who asks for it',
  (id) => {
    const columns = new Columns(memory());
    expect(names(columns, 1_200)).not.toContain(id);
    columns.setHidden(id, false);
    expect(names(columns, 1_200)).toContain(id);
  },
);

test('columns that do not fit give way, those first that nobody asked for', () => {
  const columns = new Columns(memory());
  for (const id of ['model', 'tokens', 'ttft', 'finish'] as const) columns.setHidden(id, false);
  const shown = (width: number): string[] => names(columns, width).slice(names(columns, width).indexOf('duration') + 1);
  expect(shown(1_300)).toEqual(['program', 'protocol', 'started', 'model', 'tokens', 'ttft', 'finish']);
  expect(shown(1_176)).toEqual(['program', 'model', 'tokens', 'ttft', 'finish']);
  expect(shown(900)).toEqual(['model', 'tokens']);
  expect(shown(700)).toEqual([]);
});
