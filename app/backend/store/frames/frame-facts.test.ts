import { expect, test } from 'vitest';
import { frameFacts } from './frame-facts.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

test.each<[string, number, Buffer, readonly (readonly [string, string])[]]>([
  [
    'SETTINGS',
    0x4,
    hex('0003 00000064 0008 00000001 00ff ffffffff'),
    [
      ['MAX_CONCURRENT_STREAMS', '100'],
      ['ENABLE_CONNECT_PROTOCOL', '1'],
      ['0x00ff', '4294967295'],
    ],
  ],
  ['SETTINGS that acknowledge', 0x4, hex(''), []],
  ['RST_STREAM', 0x3, hex('00000008'), [['error', 'CANCEL']]],
  ['RST_STREAM with a code of its own', 0x3, hex('000000ff'), [['error', 'code 255']]],
  ['WINDOW_UPDATE, whose first bit is reserved', 0x8, hex('8000ffff'), [['increment', '65535']]],
  ['PING', 0x6, hex('0001020304050607'), [['data', '0001020304050607']]],
  [
    'GOAWAY',
    0x7,
    Buffer.concat([hex('00000005 0000000b'), Buffer.from('too many pings')]),
    [
      ['last stream', '5'],
      ['error', 'ENHANCE_YOUR_CALM'],
      ['debug data', 'too many pings'],
    ],
  ],
  [
    'PRIORITY',
    0x2,
    hex('80000003 0f'),
    [
      ['depends on', '3'],
      ['weight', '16'],
      ['exclusive', 'yes'],
    ],
  ],
  ['ALTSVC', 0xa, Buffer.concat([hex('0001'), Buffer.from('ah3=":443"')]), [['alternatives', 'h3=":443"']]],
  [
    'PRIORITY_UPDATE',
    0x10,
    Buffer.concat([hex('00000003'), Buffer.from('u=1, i')]),
    [
      ['stream', '3'],
      ['priority', 'u=1, i'],
    ],
  ],
  ['a frame that nobody knows', 0xee, hex('c0ffee'), [['payload', 'c0ffee']]],
  ['DATA', 0x0, hex(''), []],
])('%s is said in the terms of the RFC', (_, type, detail, facts) => {
  expect(frameFacts({ type, detail })).toEqual(facts);
});

test('a payload that is too short says nothing, and never fails', () => {
  for (let type = 0; type < 256; type += 1) {
    for (let length = 0; length < 10; length += 1) {
      expect(() => frameFacts({ type, detail: Buffer.alloc(length, 0xff) })).not.toThrow();
    }
  }
  for (const type of [0x2, 0x3, 0x4, 0x6, 0x7, 0x8, 0xa, 0x10]) {
    expect(frameFacts({ type, detail: hex('00') })).toEqual([]);
  }
});
