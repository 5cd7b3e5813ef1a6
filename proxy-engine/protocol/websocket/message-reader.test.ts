import { describe, expect, test } from 'vitest';
import { closePayload, frame, MASK, type FrameSpec } from '../../../test/support/websocket-frames.ts';
import type { MessageSide } from '../../model/exchange.ts';
import { MessageReader, readExtensions, type MessageSink, type NegotiatedExtensions } from './index.ts';

const PLAIN = readExtensions(null);
const DEFLATE = readExtensions('permessage-deflate');

/** What a reader told, one line a message. */
class Transcript implements MessageSink {
  readonly lines: string[] = [];
  #open = '';
  #payload: Buffer[] = [];

  begin(start: Parameters<MessageSink['begin']>[0]): void {
    const facts = [start.compressed ? 'compressed' : '', start.isPlain ? `at ${String(start.position)}` : ''];
    this.#open = [start.kind, ...facts.filter((fact) => fact !== '')].join(' ');
    this.#payload = [];
  }
  payload(bytes: Buffer): void {
    this.#payload.push(Buffer.from(bytes));
  }
  end({ wireBytes, frames, cut, anomalies }: Parameters<MessageSink['end']>[0]): void {
    const facts = [frames > 1 ? `${String(frames)} frames` : '', cut ? 'cut' : '', ...anomalies];
    this.#tell(this.#open, Buffer.concat(this.#payload), wireBytes, facts);
  }
  control({ kind, payload, wireBytes, code, anomalies }: Parameters<MessageSink['control']>[0]): void {
    this.#tell(kind, payload, wireBytes, [code === null ? '' : String(code), ...anomalies]);
  }
  #tell(what: string, payload: Buffer, wireBytes: number, facts: readonly string[]): void {
    const shown = payload.length > 40 ? `${String(payload.length)} bytes` : payload.toString('latin1');
    this.lines.push([`${what} "${shown}" ${String(wireBytes)}`, ...facts.filter((fact) => fact !== '')].join(', '));
  }
}

function read(wire: Buffer, side: MessageSide, extensions: NegotiatedExtensions, cuts: readonly number[]): string[] {
  const reader = new MessageReader(side, extensions);
  const transcript = new Transcript();
  let at = 0;
  for (const cut of [...cuts, wire.length]) {
    // What was received is borrowed: it is gone after the call.
    const piece = Buffer.from(wire.subarray(at, cut));
    reader.receive(piece, transcript);
    piece.fill(0xee);
    at = cut;
  }
  reader.receiveEof(transcript);
  return transcript.lines;
}

/** Reads whole, byte by byte and at every split; all must tell the same. */
function told(frames: readonly FrameSpec[], side: MessageSide = 'response', extensions = PLAIN): string[] {
  const wire = Buffer.concat(frames.map(frame));
  const whole = read(wire, side, extensions, []);
  expect(
    read(
      wire,
      side,
      extensions,
      [...wire.keys()].map((at) => at + 1),
    ),
  ).toEqual(whole);
  for (let cut = 1; cut < Math.min(wire.length, 600); cut += 1) {
    expect(read(wire, side, extensions, [cut])).toEqual(whole);
  }
  return whole;
}

test('text of the origin is a message whose payload stands on the wire as it is', () => {
  expect(told([{ opcode: 1, payload: 'Hello' }])).toEqual(['text at 2 "Hello" 7']);
});

test('text of the client loses its mask', () => {
  expect(told([{ opcode: 1, payload: 'Hello', mask: MASK }], 'request')).toEqual(['text "Hello" 11']);
});

test('the example of RFC 6455 §5.7 is read', () => {
  const wire = Buffer.from('818537fa213d7f9f4d5158', 'hex');
  expect(read(wire, 'request', PLAIN, [])).toEqual(['text "Hello" 11']);
});

test.each([
  [0, 'binary at 2 "" 2'],
  [125, 'binary at 2 "125 bytes" 127'],
  [126, 'binary at 4 "126 bytes" 130'],
  [65_535, 'binary at 4 "65535 bytes" 65539'],
  [65_536, 'binary at 10 "65536 bytes" 65546'],
])('a payload of %i bytes has the length form that it needs', (bytes, line) => {
  const wire = frame({ opcode: 2, payload: Buffer.alloc(bytes, 'x') });
  expect(
    read(
      wire,
      'response',
      PLAIN,
      [1, 2, 3, 5, 9].filter((cut) => cut < wire.length),
    ),
  ).toEqual([line]);
});

test('fragments are one message, with control frames in between told when they come', () => {
  expect(
    told([
      { opcode: 1, payload: 'one ', fin: false },
      { opcode: 9, payload: 'are you there' },
      { opcode: 0, payload: 'two ', fin: false },
      { opcode: 10 },
      { opcode: 0, payload: 'three' },
      { opcode: 2, payload: 'next' },
    ]),
  ).toEqual(['ping "are you there" 15', 'pong "" 2', 'text "one two three" 19, 3 frames', 'binary at 38 "next" 6']);
});

test('a message that the stream ends in is cut', () => {
  expect(told([{ opcode: 2, payload: 'abc', claimedBytes: 10n }])).toEqual(['binary at 2 "abc" 5, cut']);
  expect(told([{ opcode: 1, payload: 'abc', fin: false }])).toEqual(['text "abc" 5, cut']);
});

test('RSV1 marks a compressed message once deflate was agreed on, and only on its first frame', () => {
  expect(
    told(
      [
        { opcode: 1, payload: 'x', reservedBits: 4, fin: false },
        { opcode: 0, payload: 'y', reservedBits: 4 },
        { opcode: 1, payload: 'z' },
      ],
      'response',
      DEFLATE,
    ),
  ).toEqual(['text compressed "xy" 6, 2 frames, websocket-reserved-bits', 'text at 8 "z" 3']);
});

describe('what breaks RFC 6455 is named and read on', () => {
  test.each<[string, readonly FrameSpec[], readonly string[]]>([
    [
      'RSV1 without deflate',
      [{ opcode: 1, payload: 'x', reservedBits: 4 }],
      ['text at 2 "x" 3, websocket-reserved-bits'],
    ],
    ['RSV2 on a ping', [{ opcode: 9, reservedBits: 2 }], ['ping "" 2, websocket-reserved-bits']],
    ['data opcode 3', [{ opcode: 3, payload: 'x' }], ['unknown at 2 "x" 3, websocket-opcode']],
    ['data opcode 7', [{ opcode: 7 }], ['unknown at 2 "" 2, websocket-opcode']],
    ['control opcode 11', [{ opcode: 11, payload: 'x' }], ['unknown "x" 3, websocket-opcode']],
    ['control opcode 15', [{ opcode: 15 }], ['unknown "" 2, websocket-opcode']],
    ['a masked frame of the origin', [{ opcode: 1, payload: 'x', mask: MASK }], ['text "x" 7, websocket-mask']],
    [
      'a fragmented ping',
      [{ opcode: 9, payload: 'x', fin: false }, { opcode: 1 }],
      ['ping "x" 3, websocket-control', 'text at 5 "" 2'],
    ],
    ['a ping of 126 bytes', [{ opcode: 9, payload: 'p'.repeat(126) }], ['ping "125 bytes" 130, websocket-control']],
    ['a continuation of nothing', [{ opcode: 0, payload: 'x' }], ['unknown at 2 "x" 3, websocket-sequence']],
    [
      'a message inside of another',
      [
        { opcode: 1, payload: 'a', fin: false },
        { opcode: 1, payload: 'b' },
      ],
      ['text "a" 3, cut', 'text at 5 "b" 3, websocket-sequence'],
    ],
    [
      'a length in too many bytes',
      [{ opcode: 1, payload: 'x', lengthBytes: 2 }],
      ['text at 4 "x" 5, websocket-length'],
    ],
    ['a length in eight bytes', [{ opcode: 1, payload: 'x', lengthBytes: 8 }], ['text at 10 "x" 11, websocket-length']],
    [
      'a length that no stream can have',
      [{ opcode: 2, payload: 'lost', claimedBytes: 2n ** 63n }, { opcode: 1 }],
      ['binary at 10 "" 10, cut, websocket-length'],
    ],
    ['text that is no UTF-8', [{ opcode: 1, payload: Buffer.from([0xff]) }], ['text at 2 "\xff" 3, websocket-utf-8']],
    [
      'text that ends inside a character',
      [{ opcode: 1, payload: Buffer.from([0xe2, 0x82]) }],
      ['text at 2 "\xe2\x82" 4, websocket-utf-8'],
    ],
    ['half a close code', [{ opcode: 8, payload: 'x' }], ['close "x" 3, websocket-close-code']],
    [
      'a close reason that is no UTF-8',
      [{ opcode: 8, payload: Buffer.concat([closePayload(1_000), Buffer.from([0x80])]) }],
      ['close "\x03\xe8\x80" 5, 1000, websocket-utf-8'],
    ],
    [
      'a frame behind a close',
      [
        { opcode: 8, payload: closePayload(1_000) },
        { opcode: 1, payload: 'x' },
      ],
      ['close "\x03\xe8" 4, 1000', 'text at 6 "x" 3, websocket-after-close'],
    ],
  ])('%s', (_name, frames, lines) => {
    expect(told(frames)).toEqual(lines);
  });

  test('a client frame without a mask', () => {
    expect(told([{ opcode: 1, payload: 'x' }], 'request')).toEqual(['text at 2 "x" 3, websocket-mask']);
  });
});

test('fragments may end inside a character', () => {
  const euro = Buffer.from('€');
  expect(
    told([
      { opcode: 1, payload: euro.subarray(0, 1), fin: false },
      { opcode: 0, payload: euro.subarray(1) },
    ]),
  ).toEqual(['text "\xe2\x82\xac" 7, 2 frames']);
});

test('every close code is told, and those that must not be sent are flagged (RFC 6455 §7.4)', () => {
  const flagged: number[] = [];
  for (let code = 0; code <= 5_000; code += 1) {
    const [line = ''] = read(frame({ opcode: 8, payload: closePayload(code) }), 'response', PLAIN, []);
    expect(line).toContain(`, ${String(code)}`);
    if (line.includes('websocket-close-code')) flagged.push(code);
  }
  const allowed = (code: number): boolean => !flagged.includes(code);
  expect([1_000, 1_001, 1_002, 1_003, 1_007, 1_011, 1_014, 3_000, 4_999].every(allowed)).toBe(true);
  expect([0, 999, 1_004, 1_005, 1_006, 1_015, 1_016, 1_999, 2_999, 5_000].some(allowed)).toBe(false);
});

test('reserved bits and opcodes belong to an extension that we do not know', () => {
  const other = readExtensions('x-own-extension');
  expect(told([{ opcode: 3, payload: 'x', reservedBits: 7 }], 'response', other)).toEqual(['unknown at 2 "x" 3']);
});

test('bytes that are missing cut the message that they belong to; what follows is read from the next frame on', () => {
  const reader = new MessageReader('response', PLAIN);
  const transcript = new Transcript();
  reader.receive(frame({ opcode: 1, payload: 'begun', fin: false }), transcript);
  reader.receive(frame({ opcode: 2, payload: 'never whole' }).subarray(0, 5), transcript);
  reader.skip(transcript);
  reader.receive(frame({ opcode: 0, payload: 'end of something' }), transcript);
  reader.receive(frame({ opcode: 1, payload: 'new' }), transcript);
  reader.receiveEof(transcript);

  expect(transcript.lines).toEqual([
    'text "begun" 7, cut',
    'binary at 9 "nev" 5, cut, websocket-sequence',
    'unknown at 14 "end of something" 18, cut',
    'text at 32 "new" 5',
  ]);
});

describe('what a handshake agreed on', () => {
  test.each([
    [null, null, []],
    ['', null, []],
    ['permessage-deflate', [false, false, 15, 15], []],
    ['permessage-deflate; client_no_context_takeover; server_no_context_takeover', [true, true, 15, 15], []],
    ['PerMessage-Deflate;server_max_window_bits="9" ; client_max_window_bits=8', [false, false, 8, 9], []],
    ['permessage-deflate; server_max_window_bits=77, x-mux; a=b', [false, false, 15, 15], ['x-mux']],
    ['x-webkit-deflate-frame', null, ['x-webkit-deflate-frame']],
  ] as const)('%s', (value, terms, others) => {
    const { deflate, others: found } = readExtensions(value);
    const flat =
      deflate === null
        ? null
        : [deflate.clientForgets, deflate.originForgets, deflate.clientWindowBits, deflate.originWindowBits];
    expect({ flat, found }).toEqual({ flat: terms, found: others });
  });
});
