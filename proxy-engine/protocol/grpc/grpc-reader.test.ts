import { expect, test } from 'vitest';
import { Base64Pieces, GrpcReader, type GrpcDialect, type GrpcSink } from './index.ts';

function message(flags: number, payload: string, claimed = Buffer.byteLength(payload)): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(claimed, 1);
  return Buffer.concat([prefix, Buffer.from(payload)]);
}

function read(wire: Buffer, cuts: readonly number[], dialect: GrpcDialect): string[] {
  const reader = new GrpcReader(dialect);
  const lines: string[] = [];
  let open = '';
  let payload = '';
  const sink: GrpcSink = {
    begin({ kind, compressed, payloadBytes, position }) {
      open = `${kind}${compressed ? ' compressed' : ''} of ${String(payloadBytes)} at ${String(position)}`;
      payload = '';
    },
    payload(bytes) {
      payload += bytes.toString('latin1');
    },
    end(wireBytes, cut) {
      lines.push(`${open} "${payload}" ${String(wireBytes)}${cut ? ', cut' : ''}`);
    },
    broken() {
      lines.push('broken');
    },
  };
  let at = 0;
  for (const end of [...cuts, wire.length]) {
    reader.receive(Buffer.from(wire.subarray(at, end)), sink);
    at = end;
  }
  reader.receiveEof(sink);
  return lines;
}

function told(wire: Buffer, dialect: GrpcDialect = 'grpc'): string[] {
  const whole = read(wire, [], dialect);
  expect(
    read(
      wire,
      [...wire.keys()].map((at) => at + 1),
      dialect,
    ),
  ).toEqual(whole);
  for (let cut = 1; cut < wire.length; cut += 1) expect(read(wire, [cut], dialect)).toEqual(whole);
  return whole;
}

test('messages are split by their lengths, empty and compressed ones too', () => {
  expect(told(Buffer.concat([message(0, 'one'), message(0, ''), message(1, 'packed')]))).toEqual([
    'message of 3 at 5 "one" 8',
    'message of 0 at 13 "" 5',
    'message compressed of 6 at 18 "packed" 11',
  ]);
});

test('the last message of gRPC-Web is the trailer section', () => {
  expect(told(Buffer.concat([message(0, 'x'), message(0x80, 'grpc-status:0\r\n')]))).toEqual([
    'message of 1 at 5 "x" 6',
    'trailers of 15 at 11 "grpc-status:0\r\n" 20',
  ]);
});

test('a message that the stream ends in is cut, half a prefix is none', () => {
  expect(told(message(0, 'par', 10))).toEqual(['message of 10 at 5 "par" 8, cut']);
  expect(told(Buffer.concat([message(0, 'x'), Buffer.from([0, 0])]))).toEqual(['message of 1 at 5 "x" 6']);
});

test('what is no gRPC is given up at its first byte', () => {
  expect(told(Buffer.from('<html>Bad gateway</html>'))).toEqual(['broken']);
});

test('a stream of Connect ends in a message of its own kind, which may be compressed', () => {
  const end = '{"error":{"code":"unavailable"}}';
  expect(told(Buffer.concat([message(0, '{"n":1}'), message(1, 'packed'), message(2, end)]), 'connect')).toEqual([
    'message of 7 at 5 "{"n":1}" 12',
    'message compressed of 6 at 17 "packed" 11',
    `end-stream of 32 at 28 "${end}" 37`,
  ]);
  expect(told(message(3, 'packed'), 'connect')).toEqual(['end-stream compressed of 6 at 5 "packed" 11']);
});

test.each<[GrpcDialect, number]>([
  ['grpc', 0x02],
  ['connect', 0x80],
  ['connect', 0x04],
])('%s has no flag %i', (dialect, flags) => {
  expect(told(Buffer.concat([message(0, 'x'), message(flags, 'y')]), dialect)).toEqual([
    'message of 1 at 5 "x" 6',
    'broken',
  ]);
});

test.each([[1], [2], [3], [4], [5], [7]])('base64 in pieces of %i characters, with padding in between', (size) => {
  const text = `${Buffer.from('first!!').toString('base64')}${Buffer.from('ab').toString('base64')}\r\n${Buffer.from('rest').toString('base64')}`;
  const pieces = new Base64Pieces();
  const out: Buffer[] = [];
  for (let at = 0; at < text.length; at += size) out.push(pieces.decode(Buffer.from(text.slice(at, at + size))));
  expect(Buffer.concat(out).toString()).toBe('first!!abrest');
});
