import { beforeEach, expect, test } from 'vitest';
import type { ProtoSchema } from '#contract';
import type { Backend } from './connection.svelte.ts';
import type { ImportSource } from './imports.svelte.ts';
import { isProtoFile, Protos } from './protos.svelte.ts';
import type { KeyValueStore } from './remembered.svelte.ts';

const PLACE = { host: 'api.test', path: '/shop.Stock/Get?x=1', side: 'request' } as const;

let kept: Map<string, string>;
let asked: { readonly name: string; readonly input: unknown; answer(output: unknown): Promise<void> }[];
let protos: Protos;

function make(): Protos {
  const store: KeyValueStore = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
  };
  const call = (name: string, input: unknown): Promise<unknown> =>
    new Promise((resolve) => {
      const answer = async (output: unknown): Promise<void> => {
        resolve(output);
        await new Promise((done) => setImmediate(done));
      };
      asked.push({ name, input, answer });
    });
  return new Protos({ call } as unknown as Backend, store);
}

function schemaOf(...names: readonly string[]): ProtoSchema {
  const types = names.map((name) => ({ name, fields: [] }));
  const [request = '', response = request] = names;
  const methods = [{ path: 'shop.Stock/Get', request, response, requestStream: false, responseStream: false }];
  return { types, enums: [], methods };
}

beforeEach(() => {
  kept = new Map();
  asked = [];
  protos = make();
});

test('a schema is read when it is needed, and again for every later change', async () => {
  protos.follow(5);
  expect(asked).toEqual([]);
  protos.need();
  protos.need();
  expect(asked.map(({ name }) => name)).toEqual(['protos.schema']);
  protos.follow(7);
  await asked[0]?.answer({ schema: schemaOf('shop.Old'), revision: 5 });
  expect(protos.typeAt(PLACE, null)).toBe('shop.Old');
  expect(asked).toHaveLength(2);
  await asked[1]?.answer({ schema: schemaOf('shop.New'), revision: 7 });
  expect(protos.typeAt(PLACE, null)).toBe('shop.New');
  protos.follow(7);
  expect(asked).toHaveLength(2);
});

test('what was chosen counts for a host, a path and a direction, and outlives the page', async () => {
  protos.follow(1);
  protos.need();
  await asked[0]?.answer({ schema: schemaOf('shop.Ask', 'shop.Told'), revision: 1 });
  protos.choose(PLACE, { type: 'shop.Told' });
  protos.choose({ ...PLACE, side: 'response' }, 'wire');
  expect(protos.typeAt({ ...PLACE, path: '/shop.Stock/Get?other' }, null)).toBe('shop.Told');
  expect(protos.typeAt({ ...PLACE, side: 'response' }, null)).toBeNull();
  expect(protos.typeAt({ ...PLACE, host: 'other.test' }, null)).toBe('shop.Ask');
  protos.choose(PLACE, null);
  expect(protos.typeAt(PLACE, null)).toBe('shop.Ask');

  const next = make();
  expect(next.choiceAt({ ...PLACE, side: 'response' })).toBe('wire');
  next.choose(PLACE, { type: 'gone.Away' });
  expect(next.choiceAt(PLACE)).toBeNull();
});

test('choices are bounded, and what was stored by another hand is not believed', () => {
  for (let index = 0; index < 300; index += 1) protos.choose({ ...PLACE, path: `/${String(index)}` }, 'wire');
  expect(protos.choiceAt({ ...PLACE, path: '/0' })).toBeNull();
  expect(protos.choiceAt({ ...PLACE, path: '/299' })).toBe('wire');
  kept.set('weir.decode-as', '[["a"],{"__proto__":1}]');
  expect(make().choiceAt(PLACE)).toBeNull();
});

test('a long file goes in pieces, and one over the bound is refused with it', async () => {
  const source = (size: number): ImportSource => ({
    name: 'a.desc',
    size,
    read: (_at, length) => Promise.resolve(new Uint8Array(Math.min(length, 400_000))),
    close: () => undefined,
  });
  const added = protos.add(source(800_000));
  await new Promise((done) => setImmediate(done));
  await asked[0]?.answer({ files: [] });
  await asked[1]?.answer({ files: [{ name: 'a.desc' }] });
  expect(await added).toEqual([{ name: 'a.desc' }]);
  expect(asked.map(({ input }) => (input as { offset: number }).offset)).toEqual([0, 400_000]);
  await expect(protos.add(source(4_194_305))).rejects.toThrow(/a\.desc is longer than .* the most that is taken/);
  await expect(protos.add(source(0))).rejects.toThrow('a.desc is empty.');
});

test('files are schemas by their names', () => {
  expect(['a.proto', 'B.PROTO', 'c.binpb', 'd.desc', 'e.har', 'proto'].filter(isProtoFile)).toEqual([
    'a.proto',
    'B.PROTO',
    'c.binpb',
    'd.desc',
  ]);
});
