import { expect, test } from 'vitest';
import { EventReader, type StreamEvent } from './index.ts';

function read(wire: Buffer, cuts: readonly number[]): string[] {
  const reader = new EventReader();
  const lines: string[] = [];
  const tell = ({ kind, data, name, id, retry, wireBytes, cut, isUtf8 }: StreamEvent): void => {
    const facts = [
      name === null ? '' : `event ${name}`,
      id === null ? '' : `id ${id}`,
      retry === null ? '' : `retry ${String(retry)}`,
      cut ? 'cut' : '',
      isUtf8 ? '' : 'no UTF-8',
    ];
    lines.push(
      [`${kind} ${JSON.stringify(data.toString())} ${String(wireBytes)}`, ...facts].filter(Boolean).join(', '),
    );
  };
  let at = 0;
  for (const end of [...cuts, wire.length]) {
    const piece = Buffer.from(wire.subarray(at, end));
    reader.receive(piece, tell);
    piece.fill(0xee);
    at = end;
  }
  reader.receiveEof(tell);
  return lines;
}

/** Reads whole, byte by byte and at every split; all must tell the same. */
function told(stream: string | Buffer): string[] {
  const wire = Buffer.from(stream);
  const whole = read(wire, []);
  expect(
    read(
      wire,
      [...wire.keys()].map((at) => at + 1),
    ),
  ).toEqual(whole);
  for (let cut = 1; cut < wire.length; cut += 1) expect(read(wire, [cut])).toEqual(whole);
  return whole;
}

test.each([
  ['line feeds', 'data: one\n\ndata: two\n\n', [11, 11]],
  ['carriage returns', 'data: one\r\rdata: two\r\r', [11, 11]],
  ['both', 'data: one\r\n\r\ndata: two\r\n\r\n', [12, 13]],
  ['a mixture', 'data: one\n\r\ndata: two\r\n\n', [11, 13]],
])('events are separated by %s', (_name, wire, [first = 0, second = 0]) => {
  expect(told(wire)).toEqual([`event "one" ${String(first)}`, `event "two" ${String(second)}`]);
});

test('several data lines are joined, and the one space behind a colon is no content', () => {
  expect(told('data:a\ndata: b\ndata:  c\ndata\n\n')).toEqual(['event "a\\nb\\n c\\n" 30']);
});

test('name, id and retry belong to their event', () => {
  expect(told('event: price\nid: 42\nretry: 3000\ndata: 1\n\ndata: 2\n\n')).toEqual([
    'event "1" 41, event price, id 42, retry 3000',
    'event "2" 9',
  ]);
});

test('an id with NUL and a retry that is no number are ignored, as are unknown fields', () => {
  expect(told('id: a\0b\nretry: soon\nfoo: bar\ndata: x\n\n')).toEqual(['event "x" 38']);
});

test('comments alone keep a connection open and are no event', () => {
  expect(told(': ping\n\n:\n\nid: 7\n\n')).toEqual(['comment "ping" 8', 'comment "" 3', 'comment "" 7, id 7']);
});

test('empty data is an event, empty lines are nothing', () => {
  expect(told('\n\n\ndata\n\n\n\ndata:\n\n')).toEqual(['event "" 6', 'event "" 7']);
});

test('a byte order mark is no content, half of one is', () => {
  expect(told('\ufeffdata: x\n\n')).toEqual(['event "x" 12']);
  expect(told(Buffer.concat([Buffer.from([0xef, 0xbb]), Buffer.from('data: x\n\ndata: y\n\n')]))).toEqual([
    'comment "" 11',
    'event "y" 9',
  ]);
});

test('characters may be split over pieces; what is no UTF-8 is said', () => {
  expect(told('data: €uro 🎈\n\n')).toEqual(['event "€uro 🎈" 19']);
  expect(told(Buffer.from('data: \xff\n\n', 'latin1'))).toEqual(['event "\ufffd" 9, no UTF-8']);
});

test('an event without its empty line at the end of the stream is cut', () => {
  expect(told('data: whole\n\ndata: part')).toEqual(['event "whole" 13', 'event "part" 10, cut']);
});

test('an event of 20 MiB is kept up to 16 MiB and does not disturb the next one', () => {
  const reader = new EventReader();
  const events: StreamEvent[] = [];
  const tell = (event: StreamEvent): void => {
    events.push(event);
  };
  reader.receive(Buffer.from('data: '), tell);
  for (let count = 0; count < 20; count += 1) reader.receive(Buffer.alloc(1_048_576, 'x'), tell);
  reader.receive(Buffer.from('\n\ndata: next\n\n'), tell);

  expect(
    events.map(({ data, cut, wireBytes }) => [data.length > 100 ? 'long' : data.toString(), cut, wireBytes]),
  ).toEqual([
    ['long', true, 20 * 1_048_576 + 8],
    ['next', false, 12],
  ]);
  expect(events[0]?.data.length).toBeLessThanOrEqual(16_777_216);
});
