import { expect, test } from 'vitest';
import { ProtoTypes } from '#contract';
import { decodedText, encodeProto } from '../../../test/support/proto-kit.ts';
import { SeededRandom } from '../../../test/support/seeded-random.ts';
import { combineFiles } from './combine-files.ts';
import { ProtoFileError } from './described-file.ts';
import { readDescriptorSet } from './read-descriptor-set.ts';
import { readProto } from './read-proto.ts';

/** The part of google/protobuf/descriptor.proto that protoc fills, for an encoder that is not ours. */
const DESCRIPTOR = `syntax = "proto2"; package g;
  message Set { repeated File file = 1; }
  message File { optional string name = 1; optional string package = 2; repeated string dependency = 3; repeated Message message_type = 4;
    repeated Enum enum_type = 5; repeated Service service = 6; repeated Field extension = 7; optional SourceInfo source_code_info = 9; optional string syntax = 12; }
  message SourceInfo { repeated Location location = 1; } message Location { repeated int32 path = 1 [packed = true]; }
  message Message { optional string name = 1; repeated Field field = 2; repeated Message nested_type = 3; repeated Enum enum_type = 4;
    optional Options options = 7; repeated Oneof oneof_decl = 8; }
  message Options { optional bool map_entry = 7; } message Oneof { optional string name = 1; }
  message Field { optional string name = 1; optional string extendee = 2; optional int32 number = 3; optional int32 label = 4;
    optional int32 type = 5; optional string type_name = 6; optional int32 oneof_index = 9; optional bool proto3_optional = 17; }
  message Enum { optional string name = 1; repeated Value value = 2; } message Value { optional string name = 1; optional int32 number = 2; }
  message Service { optional string name = 1; repeated Method method = 2; }
  message Method { optional string name = 1; optional string input_type = 2; optional string output_type = 3;
    optional bool client_streaming = 5; optional bool server_streaming = 6; }`;

const ONE = 1;
const MANY = 3;
const SET = encodeProto(DESCRIPTOR, 'g.Set', {
  file: [
    {
      name: 'shop/shop.proto',
      package: 'shop',
      dependency: ['shop/price.proto', 'google/protobuf/timestamp.proto', 'other.proto'],
      syntax: 'proto3',
      source_code_info: { location: [{ path: [4, 0] }, { path: [4, 0, 2, 1] }] },
      message_type: [
        {
          name: 'Item',
          field: [
            { name: 'sku', number: 1, label: ONE, type: 9 },
            { name: 'prices', number: 2, label: MANY, type: 11, type_name: '.shop.Item.PricesEntry' },
            { name: 'sizes', number: 3, label: MANY, type: 17 },
            { name: 'by_sea', number: 4, label: ONE, type: 8, oneof_index: 0 },
            {
              name: 'state',
              number: 5,
              label: ONE,
              type: 14,
              type_name: '.shop.Item.State',
              oneof_index: 1,
              proto3_optional: true,
            },
            { name: 'at', number: 6, label: ONE, type: 11, type_name: '.google.protobuf.Timestamp' },
          ],
          oneof_decl: [{ name: 'way' }, { name: '_state' }],
          nested_type: [
            {
              name: 'PricesEntry',
              options: { map_entry: true },
              field: [
                { name: 'key', number: 1, label: ONE, type: 9 },
                { name: 'value', number: 2, label: ONE, type: 11, type_name: '.shop.Price' },
              ],
            },
          ],
          enum_type: [
            {
              name: 'State',
              value: [
                { name: 'NEW', number: 0 },
                { name: 'FRESH', number: 0 },
                { name: 'OLD', number: 1 },
              ],
            },
          ],
        },
      ],
      service: [
        {
          name: 'Stock',
          method: [{ name: 'Watch', input_type: '.shop.Item', output_type: '.shop.Price', server_streaming: true }],
        },
      ],
      extension: [{ name: 'note', number: 100, label: ONE, type: 9, extendee: '.shop.Price' }],
    },
    {
      name: 'shop/price.proto',
      package: 'shop',
      message_type: [{ name: 'Price', field: [{ name: 'cents', number: 1, label: ONE, type: 3 }] }],
    },
  ],
});

test('a set of descriptors describes what its sources describe', () => {
  const described = readDescriptorSet(SET);
  const source =
    readProto(`syntax = "proto3"; package shop; message Item { string sku = 1; map<string, Price> prices = 2; repeated sint32 sizes = 3;
    oneof way { bool by_sea = 4; } optional State state = 5; google.protobuf.Timestamp at = 6; enum State { option allow_alias = true; NEW = 0; FRESH = 0; OLD = 1; } }
    message Price { int64 cents = 1; } service Stock { rpc Watch (Item) returns (stream Price); } extend Price { string note = 100; }`);
  const schemas = [described, source].map((one) => combineFiles([{ name: 'x', described: one }]).schema);
  expect(schemas[0]).toEqual(schemas[1]);
  expect([described.provides, described.imports]).toEqual([
    ['shop/shop.proto', 'shop/price.proto'],
    ['google/protobuf/timestamp.proto', 'other.proto'],
  ]);
});

test('it decodes', () => {
  const types = new ProtoTypes(combineFiles([{ name: 'x', described: readDescriptorSet(SET) }]).schema);
  expect(decodedText(types, 'shop.Item', Uint8Array.of(10, 1, 49))).toBe('{ "sku": "1" }');
  expect(decodedText(types, 'shop.Item', Uint8Array.of(18, 9, 10, 3, 101, 117, 114, 18, 2, 8, 5, 40, 1))).toBe(
    '{ "prices": { "eur": { "cents": 5 } }, "state": "OLD" }',
  );
});

test('a set that was damaged is refused or read, and never anything else', () => {
  const random = new SeededRandom(7);
  for (let round = 0; round < 1_500; round += 1) {
    const bytes = Uint8Array.from(SET.subarray(0, random.chance(2) ? SET.length : random.below(SET.length)));
    for (let times = random.below(5); times > 0 && bytes.length > 0; times -= 1)
      bytes[random.below(bytes.length)] = random.below(256);
    try {
      combineFiles([{ name: 'x', described: readDescriptorSet(bytes) }]);
    } catch (error: unknown) {
      expect(error).toBeInstanceOf(ProtoFileError);
    }
  }
});
