import { beforeEach, expect, test } from 'vitest';
import type { App } from './app.svelte.ts';
import type { ImportSource } from './imports.svelte.ts';
import { Imports } from './imports.svelte.ts';

/** What the backend was asked and the person told, in order. */
let heard: string[];
let imports: Imports;

beforeEach(() => {
  heard = [];
  let last = 0;
  const call = (name: string, input: { fileName?: string }): Promise<unknown> => {
    heard.push(input.fileName === undefined ? name : `${name} ${input.fileName}`);
    if (name === 'import.begin') return Promise.resolve({ import: (last += 1) });
    if (name === 'import.end') {
      return Promise.resolve({ session: { id: last }, imported: 1, skipped: 0, named: [], problem: null });
    }
    return Promise.resolve({ imported: 1, skipped: 0 });
  };
  imports = new Imports({
    backend: { call },
    sessions: { refresh: () => Promise.resolve() },
    navigation: { open: () => undefined },
    toasts: { fail: (error: Error) => heard.push(`told: ${error.message}`) },
    showSession: ({ id }: { id: number }) => heard.push(`shown ${String(id)}`),
  } as unknown as App);
});

/** A file of two pieces; `beforeSecond` happens while it is read. */
function sourceOf(name: string, beforeSecond: () => void = () => undefined): ImportSource {
  return {
    name,
    size: 2,
    read: (at) => {
      if (at === 1) beforeSecond();
      return Promise.resolve(new Uint8Array(1));
    },
    close: () => heard.push(`closed ${name}`),
  };
}

test('a file that comes while another is read waits for it', async () => {
  await imports.take([
    sourceOf('first', () => {
      heard.push('second comes');
      void imports.take([sourceOf('second')]);
    }),
  ]);

  expect(heard).toEqual([
    ...['import.begin first', 'import.write', 'second comes', 'import.write', 'import.end', 'shown 1', 'closed first'],
    ...['import.begin second', 'import.write', 'import.write', 'import.end', 'shown 2', 'closed second'],
  ]);
  expect(imports.running).toBeNull();
});

test('cancelling gives up the file that is read and those that wait, and takes the next one', async () => {
  const first = sourceOf('first', () => {
    expect(imports.running).toMatchObject({ name: 'first', read: 1, size: 2 });
    imports.cancel();
  });
  await imports.take([first, sourceOf('second')]);
  expect(heard).toEqual([
    ...['import.begin first', 'import.write', 'closed second', 'import.write', 'import.cancel', 'closed first'],
  ]);

  heard = [];
  await imports.take([sourceOf('third')]);
  expect(heard).toContain('shown 2');
});

test('a file that cannot be read to its end leaves nothing behind, is told, and the next one comes', async () => {
  const broken = sourceOf('broken', () => {
    throw new Error('it has gone');
  });
  await imports.take([broken, sourceOf('whole')]);

  expect(heard.slice(0, 5)).toEqual([
    ...['import.begin broken', 'import.write', 'import.cancel', 'told: it has gone', 'closed broken'],
  ]);
  expect(heard).toContain('shown 2');
});
