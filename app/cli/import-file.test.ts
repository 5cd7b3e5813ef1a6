import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ContractClient } from '#contract';
import { openReadable } from './import-file.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-import-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A backend that notes what it is asked for. @param onWrite happens at each piece */
function noting(onWrite: () => void): { readonly client: ContractClient; readonly calls: string[] } {
  const calls: string[] = [];
  const call = (name: string): Promise<unknown> => {
    calls.push(name);
    if (name === 'import.write') onWrite();
    return Promise.resolve({ import: 1 });
  };
  return { client: { call } as unknown as ContractClient, calls };
}

test('an import that is stopped between two pieces leaves nothing behind', async () => {
  const path = join(folder, 'long.har');
  await writeFile(path, Buffer.alloc(1_000_000));
  const stop = new AbortController();
  const { client, calls } = noting(() => {
    stop.abort();
  });
  const file = await openReadable(path);
  await expect(file.importTo(client, stop.signal)).rejects.toThrow('nothing of it is kept');
  await file.close();
  expect(calls).toEqual(['import.begin', 'import.write', 'import.cancel']);
});

test('an import that the backend breaks off is given up there too', async () => {
  const path = join(folder, 'short.har');
  await writeFile(path, 'x');
  const { client, calls } = noting(() => {
    throw new Error('the disk is full');
  });
  const file = await openReadable(path);
  await expect(file.importTo(client, new AbortController().signal)).rejects.toThrow('the disk is full');
  await file.close();
  expect(calls).toEqual(['import.begin', 'import.write', 'import.cancel']);
});
