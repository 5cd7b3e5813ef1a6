import { expect, test } from 'vitest';
import { protoTypesOf } from '../../../test/support/proto-kit.ts';
import { decodeDelimited, isDelimited, protobufJson, protobufTypeOf } from './index.ts';

const types = protoTypesOf(`syntax = "proto3"; package shop.v1;
  message Ask { string sku = 1; } message Told { int32 stock = 1; }
  service Stock { rpc Get (Ask) returns (Told); rpc Put (missing.Thing) returns (Told); }`);

test.each([
  ['/shop.v1.Stock/Get', null, 'shop.v1.Ask', 'shop.v1.Told'],
  ['/api/v2/shop.v1.Stock/Get?connect=v1', 'application/proto', 'shop.v1.Ask', 'shop.v1.Told'],
  ['/twirp/shop.v1.Stock/Get', 'application/protobuf', 'shop.v1.Ask', 'shop.v1.Told'],
  ['/shop.v1.Stock/Put', null, null, 'shop.v1.Told'],
  ['/shop.v1.Stock/Other', null, null, null],
  ['/Get', null, null, null],
  ['/x', 'application/x-protobuf; messageType="shop.v1.Told"', 'shop.v1.Told', 'shop.v1.Told'],
  ['/x', 'application/vnd.google.protobuf; proto=shop.v1.Ask; encoding=delimited', 'shop.v1.Ask', 'shop.v1.Ask'],
  ['/shop.v1.Stock/Get', 'application/x-protobuf; messageType=who.Knows', 'shop.v1.Ask', 'shop.v1.Told'],
])('%s as %s', (path, contentType, request, response) => {
  expect(protobufTypeOf(types, { path, side: 'request', contentType })).toBe(request);
  expect(protobufTypeOf(types, { path, side: 'response', contentType })).toBe(response);
});

test('messages behind their lengths are a list', () => {
  expect(isDelimited('application/x-protobuf; delimited=true; messageType=shop.v1.Told')).toBe(true);
  expect(isDelimited('application/vnd.google.protobuf; proto=a.B; encoding=delimited')).toBe(true);
  expect(isDelimited('application/x-protobuf')).toBe(false);
  const told = decodeDelimited(types, 'shop.v1.Told', Uint8Array.of(2, 8, 5, 0, 2, 8, 6));
  expect('node' in told && JSON.parse(protobufJson(told.node))).toEqual([{ stock: 5 }, {}, { stock: 6 }]);
  expect(decodeDelimited(types, 'shop.v1.Told', Uint8Array.of(9, 8, 5))).toEqual({
    problem: 'its bytes end inside of a message',
  });
});
