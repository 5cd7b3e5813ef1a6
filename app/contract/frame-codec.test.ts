import { describe, expect, test } from 'vitest';
import { decodeFrame, encodeFrame, FrameError } from './frame-codec.ts';

const hostile = (header: unknown, attachments = new Uint8Array()): Uint8Array => {
  const json = new TextEncoder().encode(JSON.stringify(header));
  const message = new Uint8Array(4 + json.length + attachments.length);
  new DataView(message.buffer).setUint32(0, json.length);
  message.set(json, 4);
  message.set(attachments, 4 + json.length);
  return message;
};

describe('the frame codec', () => {
  test('carries a frame without binary values as JSON text', () => {
    const frame = { type: 'call', id: 1, name: 'app.info', input: {} };
    const message = encodeFrame(frame);
    expect(message).toBe(JSON.stringify(frame));
    expect(decodeFrame(message)).toEqual(frame);
  });

  test('carries binary values at any depth, empty ones and views into larger buffers too', () => {
    const backing = Uint8Array.from({ length: 32 }, (_, index) => index);
    const frame = {
      type: 'result',
      id: 7,
      output: { bytes: backing.subarray(5, 9), totalBytes: null, list: [{ empty: new Uint8Array() }, 'text ü'] },
    };
    const message = encodeFrame(frame);
    expect(message).toBeInstanceOf(Uint8Array);
    expect(decodeFrame(message)).toEqual({
      ...frame,
      output: { bytes: Uint8Array.of(5, 6, 7, 8), totalBytes: null, list: [{ empty: new Uint8Array() }, 'text ü'] },
    });
  });

  test('carries a Buffer as bytes and not as its JSON form', () => {
    const decoded = decodeFrame(encodeFrame({ output: { bytes: Buffer.from('abc') } }));
    expect(decoded).toEqual({ output: { bytes: Uint8Array.of(97, 98, 99) } });
  });

  test('does not change the frame that it encodes', () => {
    const frame = { output: { bytes: Uint8Array.of(1), other: [1, 2] } };
    encodeFrame(frame);
    expect(frame).toEqual({ output: { bytes: Uint8Array.of(1), other: [1, 2] } });
  });

  test.each([
    ['text that is no JSON', '{'],
    ['a message shorter than its length field', Uint8Array.of(0, 0)],
    ['a header longer than the message', Uint8Array.of(0, 0, 1, 0, 123)],
    ['a header that is no JSON', Uint8Array.of(0, 0, 0, 1, 123)],
    ['a header that is no UTF-8', Uint8Array.of(0, 0, 0, 1, 0xff)],
    ['a header without attachments', hostile({ frame: {} })],
    ['an attachment past the end', hostile({ frame: { a: null }, binary: [{ path: ['a'], length: 4 }] })],
    ['bytes after the last attachment', hostile({ frame: {}, binary: [] }, Uint8Array.of(1))],
    ['an attachment with a negative length', hostile({ frame: { a: null }, binary: [{ path: ['a'], length: -1 }] })],
    ['an attachment over a value', hostile({ frame: { a: 1 }, binary: [{ path: ['a'], length: 0 }] })],
    ['an attachment nowhere', hostile({ frame: {}, binary: [{ path: ['a'], length: 0 }] })],
    ['an attachment on a prototype', hostile({ frame: {}, binary: [{ path: ['__proto__', 'x'], length: 0 }] })],
    [
      'too many attachments',
      hostile({ frame: {}, binary: Array.from({ length: 65 }, () => ({ path: [], length: 0 })) }),
    ],
  ])('refuses %s', (_, message) => {
    expect(() => decodeFrame(message)).toThrow(FrameError);
  });

  test('refuses to encode a frame that is nested too deeply', () => {
    let value: unknown = Uint8Array.of(1);
    for (let depth = 0; depth < 20; depth += 1) value = { value };
    expect(() => encodeFrame(value)).toThrow(FrameError);
  });
});
