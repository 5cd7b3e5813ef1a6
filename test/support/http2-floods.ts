import { DEFAULT_LIMITS } from '../../proxy-engine/index.ts';
import { Http2Error } from '../../proxy-engine/protocol/http2/index.ts';
import { frame, headersFrame, requestFields } from './http2-frames.ts';

/* Bytes of HTTP/2 that a client sends to wear a server out (RFC 9113 §10.5, RFC 7541 §7.3). */

export const repeat = (times: number, make: (index: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: times }, (_, index) => make(index)));
const streamOf = (index: number): number => index * 2 + 1;
/** Four bytes, as frames hold numbers. */
export const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** A block that puts 4 KB into the table and then refers to it for as long as the frame allows (RFC 7541 §7.3). */
function bomb(index: number): Buffer {
  const literal = Buffer.concat([Buffer.from([0x40, 1, 0x78, 0x7f, 0xa1, 0x1e]), Buffer.alloc(4_000, 'x')]);
  const block = Buffer.concat([literal, Buffer.alloc(12_000, 0x80 | 62)]);
  return frame(1, 5, streamOf(index), block);
}

/** What is sent, the limit that ends it, the bytes, and the most requests of it that may reach the origin. */
export const FLOODS: readonly (readonly [what: string, limit: string, bytes: () => Buffer, most: number])[] = [
  ['SETTINGS', 'settingsFrames', () => repeat(400, () => frame(4, 0, 0)), 0],
  ['PING', 'pings', () => repeat(4_000, () => frame(6, 0, 0, Buffer.alloc(8))), 0],
  ['PRIORITY', 'ignoredFrames', () => repeat(10_500, () => frame(2, 0, 1, Buffer.from([0, 0, 0, 3, 1]))), 0],
  ['unknown frames', 'ignoredFrames', () => repeat(10_500, () => frame(0xee, 0, 0, Buffer.alloc(16))), 0],
  [
    'rapid resets',
    'resets',
    () =>
      repeat(2_000, (index) =>
        Buffer.concat([
          headersFrame(streamOf(index), requestFields()),
          frame(3, 0, streamOf(index), number(Http2Error.cancel)),
        ]),
      ),
    DEFAULT_LIMITS.resets,
  ],
  [
    'resets that the client provokes by malformed requests',
    'malformedStreams',
    () => repeat(2_000, (index) => headersFrame(streamOf(index), requestFields('GET', ''))),
    0,
  ],
  [
    'resets that the client provokes by overrunning windows',
    'malformedStreams',
    () =>
      repeat(2_000, (index) =>
        Buffer.concat([
          headersFrame(streamOf(index), requestFields('POST'), 4),
          frame(8, 0, streamOf(index), number(0x7fff_ffff)),
        ]),
      ),
    DEFAULT_LIMITS.malformedStreams,
  ],
  [
    'CONTINUATION',
    'continuations',
    () => Buffer.concat([headersFrame(1, requestFields(), 1), repeat(1_000, () => frame(9, 0, 1))]),
    0,
  ],
  [
    'a header block without an end',
    'headBytes',
    () =>
      Buffer.concat([
        headersFrame(1, requestFields(), 1),
        repeat(40, () => frame(9, 0, 1, Buffer.alloc(16_000, 0x82))),
      ]),
    0,
  ],
  ['HPACK bombs', 'malformedStreams', () => repeat(300, bomb), 0],
  [
    'empty DATA',
    'emptyFrames',
    () => Buffer.concat([headersFrame(1, requestFields('POST'), 4), repeat(4_000, () => frame(0, 0, 1))]),
    1,
  ],
  [
    'empty DATA with padding',
    'emptyFrames',
    () =>
      Buffer.concat([
        headersFrame(1, requestFields('POST'), 4),
        repeat(4_000, () => frame(0, 8, 1, Buffer.from([3, 0, 0, 0]))),
      ]),
    1,
  ],
  [
    'streams past those that may be open',
    'resets',
    () => repeat(2_000, (index) => headersFrame(streamOf(index), requestFields())),
    DEFAULT_LIMITS.concurrentStreams,
  ],
];
