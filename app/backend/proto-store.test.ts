import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ProtoTypes } from '#contract';
import { decodedText, encodeProto } from '../../test/support/proto-kit.ts';
import { ProtoStore } from './proto-store.ts';
import { checkDescribed } from './protos/described-file.ts';
import type { DescribedFile } from './protos/described-file.ts';
import { readProtoFile } from './protos/read-file.ts';

let folder: string;
let reports: string[];
let store: ProtoStore;

beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'weir-protos-')), 'protos');
  reports = [];
  store = open();
});

afterEach(() => {
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

function open(): ProtoStore {
  return new ProtoStore(
    folder,
    (name, bytes) => Promise.resolve().then(() => readProtoFile(name, bytes)),
    (message) => reports.push(message),
  );
}

function add(name: string, source: string): Promise<void> {
  return store.add(name, Buffer.from(source));
}

const typeOf = (name: string) => store.schema.types.find((type) => type.name === name);

test('what was added is there after a restart, in files that only the user can read', async () => {
  expect([store.list(), existsSync(folder)]).toEqual([[], false]);
  await add(
    'shop/v1/a.proto',
    'syntax = "proto3"; package a; message A { int32 x = 1; } service S { rpc Get (A) returns (A); }',
  );
  store = open();
  expect(store.list()).toEqual([
    { name: 'shop/v1/a.proto', bytes: 95, messages: 1, services: 1, missing: [], unresolved: [], conflicts: [] },
  ]);
  expect(store.schema.methods).toMatchObject([{ path: 'a.S/Get', request: 'a.A', response: 'a.A' }]);
  const [file = ''] = readdirSync(folder);
  expect(file).toMatch(/^[0-9a-f]{32}\.json$/);
  if (process.platform !== 'win32') expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600);
});

test('a stored file that is damaged is told and left out', async () => {
  await add('a.proto', 'message A {}');
  writeFileSync(join(folder, 'other.json'), '{"version":1}');
  expect(open().list()).toHaveLength(1);
  expect(reports).toEqual([expect.stringContaining('other.json is not usable')]);
});

test.each([
  [
    'a.proto',
    'syntax = "proto3";\nmessage M {\n  int32 a 1;\n}',
    /^a\.proto, line 3: illegal token '1', '=' expected\.$/,
  ],
  ['a.proto', 'syntax = "proto3"; message M { int32 a = 1; int32 b = 1; }', /^a\.proto: duplicate id 1 in Type M\.$/],
  ['a.proto', `syntax = "proto3"; ${'message a{'.repeat(50_000)}`, /^a\.proto(, line 1)?: max depth exceeded/],
  ['a.proto', `syntax = "proto3"; message ${'a'.repeat(600)} {}`, /^a\.proto: A name in it is empty or longer/],
  ['a.proto', 'hello', /^a\.proto, line 1: illegal token 'hello'/],
  ['a.desc', 'hello', /^a\.desc: It is no set of descriptors as protoc writes it/],
  ['a.desc', '', /^a\.desc: It is no set of descriptors\. Make one/],
])('%s with %.40j… is refused with what is wrong', async (name, source, words) => {
  await expect(add(name, source)).rejects.toThrow(words);
  expect(store.list()).toEqual([]);
});

test('bytes that are no text are refused', async () => {
  await expect(store.add('a.proto', Buffer.from([0xff, 0xfe, 0]))).rejects.toThrow('a.proto: It is no text in UTF-8.');
});

test('a missing import is named, and the file is whole as soon as it is added', async () => {
  await add(
    'shop.proto',
    'syntax = "proto3"; package shop; import "shop/common/price.proto"; import "google/api/annotations.proto"; message Item { common.Price price = 1; string sku = 2; }',
  );
  expect(store.list()).toMatchObject([
    { missing: ['shop/common/price.proto', 'google/api/annotations.proto'], unresolved: ['common.Price'] },
  ]);
  const bytes = Uint8Array.of(10, 2, 8, 5, 18, 1, 120);
  expect(decodedText(new ProtoTypes(store.schema), 'shop.Item', bytes)).toBe('{ "price": { "1": 5 }, "sku": "x" }');
  await add('price.proto', 'syntax = "proto3"; package shop.common; message Price { int32 cents = 1; }');
  expect(store.list()[1]).toMatchObject({ name: 'shop.proto', missing: [], unresolved: [] });
  expect(decodedText(new ProtoTypes(store.schema), 'shop.Item', bytes)).toBe('{ "price": { "cents": 5 }, "sku": "x" }');
});

test('files that import each other, and messages that hold each other, are no matter', async () => {
  await add('a.proto', 'syntax = "proto3"; import "b.proto"; message A { B b = 1; repeated A more = 2; }');
  await add('b.proto', 'syntax = "proto3"; import "a.proto"; message B { A a = 1; }');
  expect(store.list().flatMap(({ missing, unresolved }) => [...missing, ...unresolved])).toEqual([]);
  expect(typeOf('A')?.fields).toEqual([
    { number: 1, name: 'b', type: 'message', ref: 'B' },
    { number: 2, name: 'more', type: 'message', ref: 'A', repeated: true },
  ]);
});

test('of two definitions the first one counts and the other file says so; the same one twice is no matter', async () => {
  await add('a.proto', 'syntax = "proto3"; message A { int32 x = 1; } message Same { int32 y = 1; }');
  await add('b.proto', 'syntax = "proto3"; message A { string x = 1; } message Same { int32 y = 1; }');
  expect(store.list().map(({ conflicts }) => conflicts)).toEqual([[], [{ type: 'A', file: 'a.proto' }]]);
  expect(typeOf('A')?.fields[0]?.type).toBe('int32');
  store.remove('a.proto');
  expect(store.list().map(({ conflicts }) => conflicts)).toEqual([[]]);
  expect(typeOf('A')?.fields[0]?.type).toBe('string');
});

test('well-known types mean what they mean, whatever a file says', async () => {
  await add(
    'google/protobuf/timestamp.proto',
    'syntax = "proto3"; package google.protobuf; message Timestamp { string lie = 1; }',
  );
  expect(store.schema.types).toEqual([]);
  await add('a.proto', 'syntax = "proto3"; message A { google.protobuf.Timestamp at = 1; }');
  const bytes = encodeProto('syntax = "proto3"; message A { google.protobuf.Timestamp at = 1; }', 'A', {
    at: { seconds: 1 },
  });
  expect(decodedText(new ProtoTypes(store.schema), 'A', bytes)).toBe('{ "at": "1970-01-01T00:00:01Z" }');
});

test('a name is looked for in its message first and then outwards', async () => {
  await add(
    'a.proto',
    `syntax = "proto3"; package p.q; message E {} message M { enum E { Z = 0; } E near = 1; .p.q.E far = 2; q.E outer = 3; }`,
  );
  expect(typeOf('p.q.M')?.fields.map(({ type, ref }) => [type, ref])).toEqual([
    ['enum', 'p.q.M.E'],
    ['message', 'p.q.E'],
    ['message', 'p.q.E'],
  ]);
});

test('a file is removed, comes back, and is replaced by one of its name', async () => {
  await add('a.proto', 'message A { optional int32 x = 1; }');
  const before = store.revision;
  store.remove('a.proto');
  expect([store.list(), store.schema.types, readdirSync(folder), open().list()]).toEqual([[], [], [], []]);
  expect(() => {
    store.remove('a.proto');
  }).toThrow('There is no schema file a.proto.');
  store.restore('a.proto');
  expect([typeOf('A')?.name, open().list().length, store.revision > before]).toEqual(['A', 1, true]);
  await add('a.proto', 'message B { optional int32 x = 1; }');
  expect(store.schema.types.map(({ name }) => name)).toEqual(['B']);
  expect(() => {
    store.restore('a.proto');
  }).toThrow('Add it again');
});

test('names of every object are names like any other', async () => {
  await add(
    'a.proto',
    'syntax = "proto3"; message constructor { toString valueOf = 1; } message toString { int32 hasOwnProperty = 1; }',
  );
  await add(
    'b.proto',
    'syntax = "proto3"; package __proto__; message X { int32 a = 1; } message __proto__ { int32 b = 1; }',
  );
  expect(typeOf('constructor')?.fields).toEqual([{ number: 1, name: 'valueOf', type: 'message', ref: 'toString' }]);
  expect(Object.hasOwn(Object.prototype, 'X')).toBe(false);
});

test('more than the bounds is refused with the bound, of one file and of all together', async () => {
  const nothing = { imports: [], provides: [], types: [], methods: [], extensions: [] };
  const many = (count: number): DescribedFile => {
    const values = Array.from({ length: count }, (_, number): [number, string] => [number, `V${String(number)}`]);
    return { ...nothing, enums: [{ name: 'E', values }] };
  };
  expect(() => checkDescribed(many(100_001))).toThrow('It describes more than 20,000 types or 100,000 fields.');

  const full = new ProtoStore(
    folder,
    () => Promise.resolve(many(90_000)),
    () => undefined,
  );
  await full.add('a.proto', Buffer.from('x'));
  await full.add('b.proto', Buffer.from('x'));
  await full.add('b.proto', Buffer.from('x'));
  await expect(full.add('c.proto', Buffer.from('x'))).rejects.toThrow('At most 200,000 fields are described by all');
  await expect(full.add('c.proto', Buffer.alloc(33_554_432))).rejects.toThrow(
    'At most 32 MiB of schema files are kept.',
  );
});
