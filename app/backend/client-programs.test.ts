import { expect, test } from 'vitest';
import { ClientPrograms } from './client-programs.ts';
import type { ClientProgram } from './platform/client-program.ts';
import type { NamedClient } from './store/exchange-edits.ts';

const CURL: ClientProgram = { name: 'curl', pid: 7, path: '/usr/bin/curl' };

test('connections that come while a search runs share the next one', async () => {
  const searches: number[][] = [];
  const named: NamedClient[] = [];
  const all = Promise.withResolvers<undefined>();
  const programs = new ClientPrograms(
    (ports) => {
      searches.push([...ports]);
      return Promise.resolve(new Map([...ports].map((port) => [port, CURL])));
    },
    (clients) => {
      named.push(...clients);
      if (named.length === 3) all.resolve(undefined);
    },
  );
  programs.add({ connection: 1, port: 5_001 });
  programs.add({ connection: 2, port: 5_002 });
  programs.add({ connection: 3, port: 5_003 });
  await all.promise;
  programs.close();

  expect(searches).toEqual([[5_001], [5_002, 5_003]]);
  expect(named.map(({ connection, name }) => [connection, name])).toEqual([
    [1, 'curl'],
    [2, 'curl'],
    [3, 'curl'],
  ]);
});

test('a search that fails names nobody, and the next one is made all the same', async () => {
  let fails = true;
  const named = Promise.withResolvers<readonly NamedClient[]>();
  const failed = Promise.withResolvers<undefined>();
  const programs = new ClientPrograms((ports) => {
    if (!fails) return Promise.resolve(new Map([...ports].map((port) => [port, CURL])));
    fails = false;
    failed.resolve(undefined);
    return Promise.reject(new Error('denied'));
  }, named.resolve);
  programs.add({ connection: 1, port: 5_001 });
  await failed.promise;
  programs.add({ connection: 2, port: 5_002 });

  expect(await named.promise).toEqual([{ connection: 2, ...CURL }]);
  programs.close();
});
