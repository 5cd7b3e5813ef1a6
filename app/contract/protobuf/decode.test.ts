import { describe, expect, test } from 'vitest';
import { decodedText, encodeProto, protoTypesOf } from '../../../test/support/proto-kit.ts';
import { SeededRandom } from '../../../test/support/seeded-random.ts';
import { decodeProtobuf, protobufJson, protobufLine, readProtobuf } from './index.ts';

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

const SCALARS = `syntax = "proto3"; package t;
message All {
  double d = 1; float f = 2; int32 i32 = 3; int64 i64 = 4; uint32 u32 = 5; uint64 u64 = 6; sint32 s32 = 7; sint64 s64 = 8;
  fixed32 f32 = 9; fixed64 f64 = 10; sfixed32 sf32 = 11; sfixed64 sf64 = 12; bool b = 13; string s = 14; bytes by = 15;
  Colour c = 16;
}
enum Colour { NONE = 0; RED = 1; NEGATIVE = -7; }`;

describe('a scalar', () => {
  test.each([
    ['d', 0.1, '0.1'],
    ['d', -1e300, '-1e+300'],
    ['d', 5e-324, '5e-324'],
    ['f', 0.1, '0.1'],
    ['f', -3.4028234663852886e38, '-3.4028235e+38'],
    ['f', 16_777_216, '16777216'],
    ['i32', -1, '-1'],
    ['i32', 2_147_483_647, '2147483647'],
    ['i32', -2_147_483_648, '-2147483648'],
    ['i64', '-9223372036854775808', '-9223372036854775808'],
    ['i64', '9223372036854775807', '9223372036854775807'],
    ['u32', 4_294_967_295, '4294967295'],
    ['u64', '18446744073709551615', '18446744073709551615'],
    ['u64', '9007199254740993', '9007199254740993'],
    ['s32', -2_147_483_648, '-2147483648'],
    ['s32', 2_147_483_647, '2147483647'],
    ['s64', '-9223372036854775808', '-9223372036854775808'],
    ['s64', '9223372036854775807', '9223372036854775807'],
    ['f32', 4_294_967_295, '4294967295'],
    ['f64', '18446744073709551615', '18446744073709551615'],
    ['sf32', -2_147_483_648, '-2147483648'],
    ['sf64', '-9223372036854775808', '-9223372036854775808'],
    ['b', true, 'true'],
    ['s', 'Grüße, "Weir"\n', '"Grüße, \\"Weir\\"\\n"'],
    ['s', '\ufeffx', '"\ufeffx"'],
    ['by', Buffer.from([0, 255, 254]), '"AP/+"'],
    ['by', Buffer.from('weir'), '"d2Vpcg=="'],
    ['c', 'RED', '"RED"'],
    ['c', 'NEGATIVE', '"NEGATIVE"'],
    ['c', 99, '99'],
  ])('%s of %j is %s', (name, value, text) => {
    const bytes = encodeProto(SCALARS, 't.All', { [name]: value });
    expect(decodedText(protoTypesOf(SCALARS), 't.All', bytes)).toBe(`{ "${name}": ${text} }`);
  });

  test.each([
    ['NaN', '09 00 00 00 00 00 00 f8 7f', '"NaN"'],
    ['minus infinity', '15 00 00 80 ff', '"-Infinity"'],
    ['minus zero', '09 00 00 00 00 00 00 00 80', '-0'],
  ])('%s has a form that JSON allows', (_, bytes, text) => {
    expect(decodedText(protoTypesOf(SCALARS), 't.All', hex(bytes))).toContain(`: ${text} }`);
  });

  test('text that is no UTF-8 stays bytes', () => {
    expect(decodedText(protoTypesOf(SCALARS), 't.All', hex('72 02 ff fe'))).toBe('{ "s": "//4=" }');
  });
});

test.each([
  ['packed', ''],
  ['unpacked', ' [packed = false]'],
])('repeated fields are read %s', (_, option) => {
  const source = `syntax = "proto3"; message M {
    repeated sint32 a = 1${option}; repeated fixed64 b = 2${option}; repeated bool c = 3${option}; repeated E e = 4${option};
    repeated double d = 5${option}; repeated string s = 6; repeated M m = 7; }
    enum E { A = 0; B = 1; }`;
  const value = {
    a: [1, -1, 300],
    b: ['5', '6'],
    c: [true, false],
    e: [1, 0, 9],
    d: [1.5],
    s: ['x', ''],
    m: [{}, { s: ['y'] }],
  };
  expect(decodedText(protoTypesOf(source), 'M', encodeProto(source, 'M', value))).toBe(
    '{ "a": [ 1, -1, 300 ], "b": [ 5, 6 ], "c": [ true, false ], "e": [ "B", "A", 9 ], "d": [ 1.5 ], "s": [ "x", "" ], ' +
      '"m": [ {}, { "s": [ "y" ] } ] }',
  );
});

test('a list in two packed runs and a single value is one list', () => {
  const types = protoTypesOf('syntax = "proto3"; message M { repeated int32 a = 1; }');
  expect(decodedText(types, 'M', hex('0a 02 01 02 08 03 0a 01 04'))).toBe('{ "a": [ 1, 2, 3, 4 ] }');
});

test('maps have their keys as names, and the last entry of a key counts', () => {
  const source = `syntax = "proto3"; message M { map<string, int32> a = 1; map<int64, M> b = 2; map<bool, bytes> c = 3; map<int32, E> e = 4; }
    enum E { A = 0; B = 1; }`;
  const value = {
    a: { one: 1, 'two "2"': -2 },
    b: { '-5': { a: { x: 1 } } },
    c: { true: Buffer.from('a') },
    e: { 7: 'B' },
  };
  const types = protoTypesOf(source);
  expect(decodedText(types, 'M', encodeProto(source, 'M', value))).toBe(
    '{ "a": { "one": 1, "two \\"2\\"": -2 }, "b": { "-5": { "a": { "x": 1 } } }, "c": { "true": "YQ==" }, "e": { "7": "B" } }',
  );
  expect(decodedText(types, 'M', hex('0a 03 0a 01 78 0a 05 0a 01 78 10 05'))).toBe('{ "a": { "x": 5 } }');
});

test('keys and fields that are names of every object are data like any other', () => {
  const source = `syntax = "proto3"; message M { map<string, string> m = 1; string constructor = 2; string hasOwnProperty = 3; }
    message toString { string valueOf = 1; }`;
  const bytes = encodeProto(source, 'M', { m: { constructor: 'a' }, constructor: 'b', hasOwnProperty: 'c' });
  const types = protoTypesOf(source);
  expect(decodedText(types, 'M', bytes)).toBe(
    '{ "m": { "constructor": "a" }, "constructor": "b", "hasOwnProperty": "c" }',
  );
  expect(decodedText(types, 'M', hex('0a 11 0a 09 5f 5f 70 72 6f 74 6f 5f 5f 12 04 65 76 69 6c'))).toBe(
    '{ "m": { "__proto__": "evil" } }',
  );
  expect(decodedText(types, 'toString', hex('0a 01 78'))).toBe('{ "valueOf": "x" }');
  expect(decodeProtobuf(types, '__proto__', hex('0a 01 78'))).toEqual({
    problem: expect.stringContaining('__proto__'),
  });
  expect({}).not.toHaveProperty('evil');
});

test('of a oneof and of a single field the last one counts, and a message in pieces is one', () => {
  const types = protoTypesOf(
    'syntax = "proto3"; message M { oneof k { int32 a = 1; string b = 2; } int32 c = 3; M m = 4; }',
  );
  expect(decodedText(types, 'M', hex('08 05 12 01 78 18 01 18 02'))).toBe('{ "b": "x", "c": 2 }');
  expect(decodedText(types, 'M', hex('22 02 18 01 22 03 12 01 79'))).toBe('{ "m": { "c": 1, "b": "y" } }');
});

test('groups, extensions and closed enums of proto2 are read', () => {
  const source = `syntax = "proto2"; package p;
    message M { required int32 a = 1; repeated group Item = 2 { optional string name = 3; optional M more = 4; } extensions 100 to 200; }
    extend M { optional string note = 100; optional E e = 101; } enum E { Y = 1; }`;
  const types = protoTypesOf(source);
  const bytes = hex('08 01 13 1a 01 78 14 13 22 02 08 07 14 a2 06 02 68 69 a8 06 01');
  expect(decodedText(types, 'p.M', bytes)).toBe(
    '{ "a": 1, "item": [ { "name": "x" }, { "more": { "a": 7 } } ], "[p.note]": "hi", "[p.e]": "Y" }',
  );
});

test('what the schema does not know keeps its number, as the wire format reads it', () => {
  const old = 'syntax = "proto3"; message M { int32 a = 1; }';
  const now =
    'syntax = "proto3"; message M { int32 a = 1; string b = 2; M m = 3; repeated fixed32 f = 4 [packed = false]; bytes by = 5; }';
  const value = { a: 1, b: 'text', m: { a: 4, by: Buffer.from([255, 7]) }, f: [1, 2] };
  expect(decodedText(protoTypesOf(old), 'M', encodeProto(now, 'M', value))).toMatch(
    /^\{ "a": 1, "2": "text", "3": \{ "1": 4, "5": "\/wc=" \}, "4": \[ .+, .+ \] \}$/,
  );
});

test.each([
  ['a wire type of another kind', '0a 01 78', 'field 1 is of a length, and a of type int32 cannot be'],
  ['bytes that end inside of a field', '08 01 12 05 61', 'its bytes end inside of a field'],
  ['a field without a number', '00 01', 'its bytes are not in the wire format'],
  ['a group that is never ended', '2b 08 01', 'its bytes end inside of a field'],
  ['a wire type that there is not', '0f', 'its bytes are not in the wire format'],
])('%s is no message of the type, and a few words say so', (_, bytes, words) => {
  const types = protoTypesOf('syntax = "proto3"; message M { int32 a = 1; string b = 2; }');
  expect(decodeProtobuf(types, 'M', hex(bytes))).toEqual({ problem: words });
});

describe('well-known types are shown as people write them', () => {
  const source = `syntax = "proto3"; package w;
    import "google/protobuf/any.proto"; import "google/protobuf/duration.proto"; import "google/protobuf/field_mask.proto";
    import "google/protobuf/struct.proto"; import "google/protobuf/timestamp.proto"; import "google/protobuf/wrappers.proto";
    message M { google.protobuf.Timestamp t = 1; google.protobuf.Duration d = 2; google.protobuf.StringValue s = 3;
      google.protobuf.Int64Value i = 4; google.protobuf.BoolValue b = 5; google.protobuf.Struct st = 6; google.protobuf.Any any = 7;
      google.protobuf.FieldMask mask = 8; google.protobuf.Value v = 9; google.protobuf.ListValue l = 10; google.protobuf.NullValue n = 11; }
    message Inner { string name = 1; }`;
  const types = protoTypesOf(source);

  test.each([
    ['a time', { t: { seconds: 1_781_515_800, nanos: 120_000_000 } }, '{ "t": "2026-06-15T09:30:00.12Z" }'],
    ['the first time', { t: { seconds: '-62135596800' } }, '{ "t": "0001-01-01T00:00:00Z" }'],
    ['a time beyond all', { t: { seconds: '999999999999' } }, '{ "t": { "seconds": 999999999999 } }'],
    ['a duration', { d: { seconds: -3, nanos: -5_000_000 } }, '{ "d": "-3.005s" }'],
    ['a duration of two minds', { d: { seconds: 3, nanos: -5 } }, '{ "d": { "seconds": 3, "nanos": -5 } }'],
    [
      'wrappers',
      { s: { value: 'x' }, i: { value: '9007199254740993' }, b: {} },
      '{ "s": "x", "i": 9007199254740993, "b": false }',
    ],
    ['a mask', { mask: { paths: ['a.b', 'c'] } }, '{ "mask": "a.b,c" }'],
    [
      'a struct',
      {
        st: {
          fields: { a: { numberValue: 1.5 }, b: { listValue: { values: [{ boolValue: true }, { nullValue: 0 }] } } },
        },
      },
      '{ "st": { "a": 1.5, "b": [ true, null ] } }',
    ],
    ['an empty list and an empty struct', { l: {}, v: { structValue: {} } }, '{ "v": {}, "l": [] }'],
  ])('%s', (_, value, text) => {
    expect(decodedText(types, 'w.M', encodeProto(source, 'w.M', value))).toBe(text);
  });

  test('an Any by the type that it names, or as bytes where nobody knows that', () => {
    const inner = Buffer.from(encodeProto(source, 'w.Inner', { name: 'x' }));
    const any = (url: string): Uint8Array => encodeProto(source, 'w.M', { any: { type_url: url, value: inner } });
    expect(decodedText(types, 'w.M', any('type.googleapis.com/w.Inner'))).toBe(
      '{ "any": { "@type": "type.googleapis.com/w.Inner", "name": "x" } }',
    );
    expect(decodedText(types, 'w.M', any('example.test/w.Other'))).toBe(
      '{ "any": { "@type": "example.test/w.Other", "value": "CgF4" } }',
    );
    expect(decodedText(types, 'w.M', any('t/google.protobuf.StringValue'))).toBe(
      '{ "any": { "@type": "t/google.protobuf.StringValue", "value": "x" } }',
    );
  });
});

describe('hostile bytes', () => {
  const source = `syntax = "proto3"; import "google/protobuf/any.proto"; import "google/protobuf/struct.proto";
    message M { int32 a = 1; string b = 2; M m = 3; repeated M r = 4; map<string, M> p = 5; repeated sint64 n = 6; double d = 7;
      google.protobuf.Any any = 8; google.protobuf.Value v = 9; oneof o { E e = 10; bytes y = 11; } } enum E { A = 0; }`;
  const types = protoTypesOf(source);
  const whole = encodeProto(source, 'M', {
    a: -5,
    b: 'Grüße',
    m: { a: 1, r: [{ b: 'x' }], p: { k: { d: 0.5 } } },
    n: [1, -2, '9007199254740993'],
    d: 2.5,
    y: Buffer.from([1, 2, 3]),
  });

  test('a message that ends anywhere is told, and its beginning is shown', () => {
    for (let length = 0; length < whole.length; length += 1) {
      const part = whole.subarray(0, length);
      const strict = decodeProtobuf(types, 'M', part);
      const lenient = decodeProtobuf(types, 'M', part, true);
      expect('problem' in strict || length === 0 || protobufJson(strict.node).length > 2, String(length)).toBe(true);
      expect('node' in lenient, String(length)).toBe(true);
      readProtobuf(part);
    }
    const beginning = decodeProtobuf(types, 'M', whole.subarray(0, 18), true);
    expect('node' in beginning && protobufLine(beginning.node)).toMatch(/^a: -5, b: "Gr/);
  });

  test('nesting is followed to a bound, in messages, in groups, in Any and in values', () => {
    const nest = (tag: number[], depth: number): Uint8Array => {
      let bytes: number[] = [];
      for (let level = 0; level < depth; level += 1) {
        const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
        bytes = [...tag, ...length, ...bytes];
      }
      return Uint8Array.from(bytes);
    };
    expect(decodeProtobuf(types, 'M', nest([0x1a], 90))).toHaveProperty('node');
    expect(decodeProtobuf(types, 'M', nest([0x1a], 2_000))).toEqual({
      problem: 'it is nested deeper than 100 messages',
    });
    expect(decodeProtobuf(types, 'google.protobuf.ListValue', nest([0x0a], 1_000))).toHaveProperty('problem');
    const groups = new Uint8Array(2_000_000).fill(0x33);
    expect(decodeProtobuf(types, 'M', groups)).toHaveProperty('problem');
    expect(readProtobuf(groups)).toBeNull();
  });

  test('more values than are shown of one message are told', () => {
    const many = new Uint8Array(250_000).fill(0);
    expect(decodeProtobuf(types, 'M', Uint8Array.from([0x32, 0x90, 0xa1, 0x0f, ...many]))).toEqual({
      problem: 'it has more than 200000 values',
    });
  });

  test('whatever the bytes are, it answers', () => {
    const random = new SeededRandom(20_261_201);
    for (let round = 0; round < 4_000; round += 1) {
      const bytes = Uint8Array.from(whole);
      for (let times = 1 + random.below(6); times > 0; times -= 1)
        bytes[random.below(bytes.length)] = random.below(256);
      const given = random.chance(3) ? Uint8Array.from({ length: random.below(80) }, () => random.below(256)) : bytes;
      for (const name of ['M', 'google.protobuf.Any', 'google.protobuf.Value', 'google.rpc.Status']) {
        const decoded = decodeProtobuf(types, name, given, random.chance(2));
        if ('node' in decoded) JSON.parse(protobufJson(decoded.node));
        else expect(decoded.problem).not.toBe('');
      }
    }
  });
});
