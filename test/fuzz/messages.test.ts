import { expect, test } from 'vitest';
import { EventReader } from '../../proxy-engine/protocol/event-stream/index.ts';
import { GrpcReader } from '../../proxy-engine/protocol/grpc/index.ts';
import { FrameBoundaries, MessageReader, readExtensions } from '../../proxy-engine/protocol/websocket/index.ts';
import { SeededRandom } from '../support/seeded-random.ts';
import { frame, MASK } from '../support/websocket-frames.ts';

const ROUNDS = 4_000;
const EXTENSIONS = [readExtensions(null), readExtensions('permessage-deflate'), readExtensions('x-other')];

/** What a reader of one side of a WebSocket tells, as text. */
function frames(pieces: readonly Buffer[], side: 'request' | 'response', which: number): string[] {
  const reader = new MessageReader(side, EXTENSIONS[which] ?? readExtensions(null));
  const lines: string[] = [];
  let open = '';
  let payload = '';
  const sink = {
    begin: (start: object) => {
      open = JSON.stringify(start);
      payload = '';
    },
    payload: (bytes: Buffer) => (payload += bytes.toString('latin1')),
    end: (end: object) => lines.push(`${open} ${payload} ${JSON.stringify(end)}`),
    control: (control: object) => lines.push(JSON.stringify(control)),
  };
  for (const piece of pieces) reader.receive(piece, sink);
  reader.receiveEof(sink);
  return lines;
}

test('WebSocket bytes of any kind tell the same whole and in pieces, and never throw (fixed seed)', () => {
  const random = new SeededRandom(61_155);
  let anomalies = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const parts = Array.from({ length: 1 + random.below(6) }, () =>
      frame({
        opcode: random.below(16),
        payload: Buffer.from(
          Array.from({ length: random.below(random.chance(9) ? 400 : 12) }, () => random.below(256)),
        ),
        fin: !random.chance(3),
        reservedBits: random.chance(3) ? random.below(8) : 0,
        ...(random.chance(2) ? { mask: MASK } : {}),
      }),
    );
    const wire = Buffer.concat(parts);
    for (let change = random.below(3); change > 0; change -= 1) wire[random.below(wire.length)] = random.below(256);
    const side = random.chance(2) ? 'request' : 'response';
    const which = random.below(EXTENSIONS.length);
    const whole = frames([wire], side, which);
    expect(frames(random.segments(wire), side, which)).toEqual(whole);
    if (whole.some((line) => line.includes('websocket-'))) anomalies += 1;
  }
  expect(anomalies).toBeGreaterThan(ROUNDS / 4);
});

test('boundaries of frames are found wherever they are looked for (fixed seed)', () => {
  const random = new SeededRandom(7_692);
  for (let round = 0; round < ROUNDS; round += 1) {
    const parts = Array.from({ length: 2 + random.below(5) }, () =>
      frame({ opcode: 2, payload: Buffer.alloc(random.below(300)), ...(random.chance(2) ? { mask: MASK } : {}) }),
    );
    const wire = Buffer.concat(parts);
    const ends = parts.map((_, index) => Buffer.concat(parts.slice(0, index + 1)).length);
    const from = random.below(wire.length);
    const boundaries = new FrameBoundaries();
    for (const piece of random.segments(wire.subarray(0, from))) boundaries.pass(piece, 0, piece.length);
    const expected = boundaries.isBetween ? from : (ends.find((end) => end > from) ?? -1);
    const found = boundaries.isBetween ? from : boundaries.passFrame(wire, from, wire.length);
    expect(found).toBe(expected);
  }
});

test('event streams of any bytes tell the same whole and in pieces (fixed seed)', () => {
  const random = new SeededRandom(32);
  const words = ['data', ':', ' ', '\n', '\r', '\r\n', 'id', 'event', 'retry', '7', '\ufeff', '€', '\0', 'x'];
  const read = (pieces: readonly Buffer[]): string[] => {
    const reader = new EventReader();
    const lines: string[] = [];
    const tell = (event: object & { readonly data: Buffer }): void => {
      lines.push(`${event.data.toString('latin1')} ${JSON.stringify({ ...event, data: null })}`);
    };
    for (const piece of pieces) reader.receive(piece, tell);
    reader.receiveEof(tell);
    return lines;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const wire = Buffer.from(Array.from({ length: random.below(60) }, () => random.pick(words)).join(''));
    expect(read(random.segments(wire))).toEqual(read([wire]));
  }
});

test.each(['grpc', 'connect'] as const)(
  '%s bytes of any kind tell the same whole and in pieces (fixed seed)',
  (dialect) => {
    const random = new SeededRandom(27);
    const read = (pieces: readonly Buffer[]): string[] => {
      const reader = new GrpcReader(dialect);
      const lines: string[] = [];
      let payload = '';
      const sink = {
        begin: (start: object) => {
          lines.push(JSON.stringify(start));
          payload = '';
        },
        payload: (bytes: Buffer) => (payload += bytes.toString('latin1')),
        end: (wireBytes: number, cut: boolean) => lines.push(`${payload} ${String(wireBytes)} ${String(cut)}`),
        broken: () => lines.push('broken'),
      };
      for (const piece of pieces) reader.receive(piece, sink);
      reader.receiveEof(sink);
      return lines;
    };
    for (let round = 0; round < ROUNDS; round += 1) {
      const wire = Buffer.concat(
        Array.from({ length: 1 + random.below(5) }, () => {
          const payload = Buffer.alloc(random.below(40), 'p');
          const prefix = Buffer.from([random.pick([0, 0, 0, 1, 2, 0x80, 0x42]), 0, 0, 0, payload.length]);
          return Buffer.concat([prefix, payload]);
        }),
      );
      expect(read(random.segments(wire))).toEqual(read([wire]));
    }
  },
);
