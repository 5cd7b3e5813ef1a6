import { expect, test } from 'vitest';
import { SeededRandom } from '../../test/support/seeded-random.ts';
import { frame } from '../../test/support/websocket-frames.ts';
import type { BodyCapture, MessageSide } from '../model/exchange.ts';
import { createTap, LONG_BODY_BYTES, type CaptureTap, type TapOptions } from './create-tap.ts';
import { readFrames } from './packed-frames.ts';
import { readBatch, type BatchVisitor, type CapturedBodies } from './read-batch.ts';
import type { BeginRecord, EndRecord } from './tap.ts';

const NOW = 1_764_000_000_999_999;
const UNLIMITED: TapOptions = {
  creditBytes: 1_000_000_000,
  recordedBodyBytes: Number.MAX_SAFE_INTEGER,
  now: () => NOW,
};

const END: EndRecord = {
  timing: { dns: null, connect: 12, tls: null, sent: 40, firstByte: 90, end: 123_456_789_012 },
  requestBodyBytes: 3,
  responseBodyBytes: 5_000_000_000,
  error: null,
  anomalies: [],
  complete: true,
  sentRequestFraming: 'as-received',
  sentResponseFraming: 'as-received',
};

test('an exchange comes out of its batches as it went into the tap', () => {
  const { tap, read } = open();
  const record = begin(7, { sentHead: Buffer.from('sent head'), path: '/ü?q=1', port: 65_535 });
  tap.begin(record);
  tap.origin(7, 9_007_199_254, '192.0.2.1:443', 'h2', true);
  tap.sentRequestHead(7, Buffer.from('known late'));
  tap.informational(7, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'));
  tap.response(7, { status: 599, head: Buffer.from([0xff, 0x00, 0x80]), sentHead: Buffer.alloc(0) });
  tap.trailers(7, 'response', Buffer.from('a: b\r\n'));
  const end: EndRecord = {
    ...END,
    anomalies: ['bare-line-feed', 'early-response'],
    error: { code: 'origin.cut-short', side: 'origin', phase: 'body', message: 'It ended “early”.' },
    complete: false,
    sentRequestFraming: 'chunked',
    sentResponseFraming: 'identity',
  };
  tap.end(7, end);

  expect(read()).toEqual([
    ['begin', record],
    ['origin', 7, 9_007_199_254, '192.0.2.1:443', 'h2', true],
    ['sentRequestHead', 7, 'known late'],
    ['informational', 7, 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['response', 7, { status: 599, head: Buffer.from([0xff, 0x00, 0x80]), sentHead: Buffer.alloc(0) }],
    ['trailers', 7, 'response', 'a: b\r\n'],
    ['end', 7, end, { request: 'whole', response: 'whole' }],
  ]);
});

test('a connection keeps its TLS facts', () => {
  const { tap, read } = open();
  const record = {
    id: 2 ** 40,
    side: 'origin' as const,
    address: '[::1]:443',
    protocol: 'http/1.1' as const,
    tls: {
      version: 'TLSv1.3',
      cipher: 'TLS_AES_128_GCM_SHA256',
      alpn: null,
      sni: 'bücher.test',
      resumed: false,
      chain: [],
      verified: true,
      ja3: null,
      ja4: null,
      offeredAlpn: [],
    },
  };
  tap.connection(record);

  expect(read()).toEqual([['connection', record]]);
});

test('what the tap is told may change its buffers right after the call', () => {
  const { tap, read } = open();
  const bytes = Buffer.from('before');
  tap.begin(begin(1));
  tap.payload(1, 'request', bytes, 1, 4);
  bytes.fill(0x78);

  expect(read()[1]).toEqual(['payload', 1, 'request', 'efo']);
});

test('a body longer than a batch goes over as many batches as it needs', () => {
  const { tap, read, batches } = open({ ...UNLIMITED, slabBytes: 4_096 });
  const body = Buffer.from(Array.from({ length: 20_000 }, (_, index) => index % 251));
  tap.begin(begin(1));
  tap.payload(1, 'response', body, 0, body.length);

  const payload = read().filter(([kind]) => kind === 'payload');
  expect(Buffer.from(payload.map(([, , , text]) => text).join(''), 'latin1').equals(body)).toBe(true);
  expect(batches.length).toBeGreaterThan(4);
});

test('a head larger than a batch still is one record', () => {
  const { tap, read } = open({ ...UNLIMITED, slabBytes: 1_024 });
  const head = Buffer.alloc(300_000, 'h');
  tap.begin(begin(1, { head }));
  tap.end(1, END);

  expect(read().map(([kind]) => kind)).toEqual(['begin', 'end']);
});

test('the host hears of the first record after each hand-over, and flush without records posts nothing', () => {
  let unflushed = 0;
  const { tap, batches } = open({ ...UNLIMITED, onUnflushed: () => (unflushed += 1) });
  tap.flush();
  tap.begin(begin(1));
  tap.informational(1, Buffer.from('x'));
  tap.flush();
  tap.end(1, END);

  expect({ unflushed, posted: batches.length }).toEqual({ unflushed: 2, posted: 1 });
});

test('a flush of little costs little: the batch is as long as its records', () => {
  const { tap, batches } = open();
  tap.begin(begin(1));
  tap.flush();

  expect(batches[0]?.byteLength).toBeLessThan(300);
});

test('exchanges that begin while recording is off leave nothing, those under way go on', () => {
  const { tap, read } = open();
  tap.begin(begin(1));
  tap.setRecording(false);
  tap.begin(begin(2));
  tap.payload(2, 'request', Buffer.from('no'), 0, 2);
  tap.end(2, END);
  tap.end(1, END);

  const ids = read().map((record) => (record[0] === 'begin' ? record[1].id : record[1]));
  expect(ids).toEqual([1, 1]);
  expect(tap.losses).toEqual({ truncatedBodies: 0, droppedBodies: 0, droppedExchanges: 0 });
});

test('a body is recorded up to the set number of bytes, which is no loss', () => {
  const { tap, read } = open({ ...UNLIMITED, recordedBodyBytes: 4 });
  tap.begin(begin(1));
  tap.payload(1, 'request', Buffer.from('abc'), 0, 3);
  tap.payload(1, 'request', Buffer.from('def'), 0, 3);
  tap.payload(1, 'response', Buffer.from('1234'), 0, 4);
  tap.end(1, END);

  expect(bodies(read())).toEqual({ request: 'abcd', response: '1234', captured: ['truncated', 'whole'] });
  expect(tap.losses.truncatedBodies).toBe(0);
});

test('no byte of any body is recorded when the set number is 0', () => {
  const { tap, read } = open({ ...UNLIMITED, recordedBodyBytes: 0 });
  tap.begin(begin(1));
  tap.payload(1, 'response', Buffer.from('1234'), 0, 4);
  tap.end(1, END);

  expect(bodies(read())).toEqual({ request: '', response: '', captured: ['whole', 'none'] });
});

test('a lagging store costs the rest of long bodies first, then bodies, then exchanges, and each is marked', () => {
  const { tap, read } = open({ ...UNLIMITED, creditBytes: 1_000_000 });
  const long = Buffer.alloc(600_000, 'l');
  tap.begin(begin(1));
  tap.payload(1, 'response', long, 0, long.length);
  // Beyond 60 % of the credit: the long body stops, a short one is whole.
  tap.payload(1, 'response', long, 0, 1_000);
  tap.begin(begin(2));
  tap.payload(2, 'response', long, 0, LONG_BODY_BYTES);
  tap.end(1, END);
  tap.end(2, END);
  tap.begin(begin(3));
  tap.payload(3, 'response', long, 0, LONG_BODY_BYTES);
  tap.payload(3, 'request', long, 0, LONG_BODY_BYTES + 10_000);
  // Beyond 80 %: no bytes of bodies.
  tap.begin(begin(4));
  tap.payload(4, 'response', long, 0, 10);
  tap.end(4, END);
  tap.end(3, END);
  const heads = Buffer.alloc(250_000, 'h');
  tap.begin(begin(5, { head: heads }));
  tap.end(5, END);
  // Beyond the credit: no exchanges.
  tap.begin(begin(6));
  tap.end(6, END);

  const ends = read().filter((record) => record[0] === 'end');
  expect(ends.map(([, id, , captured]) => [id, captured.request, captured.response])).toEqual([
    [1, 'whole', 'truncated'],
    [2, 'whole', 'whole'],
    [4, 'whole', 'none'],
    [3, 'whole', 'whole'],
    [5, 'whole', 'whole'],
  ]);
  expect(tap.losses).toEqual({ truncatedBodies: 1, droppedBodies: 1, droppedExchanges: 1 });
});

test('a bulk body is asked to rest while the store is behind, and is cut where it cannot wait', () => {
  const { tap, batches, read } = open({ ...UNLIMITED, creditBytes: 2_000_000 });
  const bulk = Buffer.alloc(1_100_000, 'b');
  tap.begin(begin(1));
  tap.payload(1, 'request', bulk, 0, 1_000);
  expect(tap.congested(1, 'request')).toBe(false);
  tap.payload(1, 'response', bulk, 0, bulk.length);
  expect([tap.congested(1, 'response'), tap.congested(1, 'request'), tap.congested(2, 'request')]).toEqual([
    true,
    false,
    false,
  ]);
  tap.flush();
  tap.returnCredit(batches.reduce((sum, batch) => sum + batch.byteLength, 0));
  expect(tap.congested(1, 'response')).toBe(false);
  tap.cut(1, 'response');
  tap.payload(1, 'response', bulk, 0, 5);
  tap.end(1, END);

  expect(bodies(read()).captured).toEqual(['whole', 'truncated']);
  expect(tap.losses.truncatedBodies).toBe(1);
});

test('a WebSocket goes on being recorded at the next frame once the store has caught up, and the gap is told', () => {
  const { tap, batches, read } = open({ ...UNLIMITED, creditBytes: 100_000, slabBytes: 8_192 });
  const message = (payload: Buffer): Buffer => frame({ opcode: 2, payload });
  const send = (bytes: Buffer): void => {
    tap.payload(1, 'response', bytes, 0, bytes.length);
  };
  tap.begin(begin(1, { kind: 'websocket' }));
  tap.response(1, { status: 101, head: Buffer.from('HTTP/1.1 101 Go\r\n\r\n'), sentHead: null });
  const first = message(Buffer.alloc(90_000, 'a'));
  const unseen = message(Buffer.alloc(500, 'b'));
  const half = message(Buffer.alloc(300, 'c'));
  const next = message(Buffer.from('seen again'));
  send(first);
  send(unseen);
  send(half.subarray(0, 100));
  tap.flush();
  tap.returnCredit(batches.reduce((sum, batch) => sum + batch.byteLength, 0));
  send(Buffer.concat([half.subarray(100), next]));
  tap.end(1, END);

  const heard = read();
  const gap = heard.find(([kind]) => kind === 'gap');
  expect(gap).toEqual([
    'gap',
    1,
    'response',
    { time: NOW, bytes: unseen.length + half.length, messages: 2, rest: false },
  ]);
  const recorded = bodies(heard);
  expect(recorded.response).toBe(Buffer.concat([first, next]).toString('latin1'));
  expect(recorded.captured).toEqual(['whole', 'truncated']);
  expect(tap.losses.truncatedBodies).toBe(1);
});

test('a WebSocket that has waited for the store long enough is asked to wait no more', () => {
  const { tap, batches, read } = open({ ...UNLIMITED, creditBytes: 1_000_000 });
  const bulk = frame({ opcode: 2, payload: Buffer.alloc(500_000) });
  const small = frame({ opcode: 1, payload: 'small' });
  tap.begin(begin(1, { kind: 'websocket', method: 'CONNECT' }));
  tap.response(1, { status: 200, head: Buffer.from(':status: 200\r\n\r\n'), sentHead: null });
  tap.payload(1, 'request', bulk, 0, bulk.length);
  expect(tap.congested(1, 'request')).toBe(true);
  tap.cut(1, 'request');
  expect(tap.congested(1, 'request')).toBe(false);
  tap.payload(1, 'request', small, 0, small.length);
  tap.flush();
  tap.returnCredit(batches.reduce((sum, batch) => sum + batch.byteLength, 0));
  tap.payload(1, 'request', small, 0, small.length);
  tap.end(1, END);

  const heard = read();
  expect(heard.filter(([kind]) => kind === 'gap')).toHaveLength(1);
  expect(bodies(heard).request.length).toBe(bulk.length + small.length);
});

test('datagrams keep their bounds, and those that a lagging store left out are counted', () => {
  const { tap, batches, read } = open({ ...UNLIMITED, creditBytes: 20_000, slabBytes: 4_096 });
  const datagram = (text: string): void => {
    tap.datagram(1, 'request', Buffer.from(text), 0, text.length);
  };
  tap.begin(begin(1, { kind: 'udp', method: '' }));
  datagram('one');
  datagram('');
  datagram('x'.repeat(18_000));
  datagram('lost');
  datagram('lost too');
  tap.flush();
  tap.returnCredit(batches.reduce((sum, batch) => sum + batch.byteLength, 0));
  datagram('two');
  tap.end(1, END);

  const told = read().filter(([kind]) => kind === 'datagram' || kind === 'gap');
  expect(told.map(([kind, , , what]) => (kind === 'gap' ? what : String(what).length))).toEqual([
    3,
    0,
    18_000,
    { time: NOW, bytes: 12, messages: 2, rest: false },
    3,
  ]);
});

test('a stream that reached the set number of bytes says that nothing more is recorded', () => {
  const { tap, read } = open({ ...UNLIMITED, recordedBodyBytes: 4 });
  tap.begin(begin(1, { kind: 'websocket' }));
  tap.response(1, { status: 101, head: Buffer.from('HTTP/1.1 101 Go\r\n\r\n'), sentHead: null });
  const bytes = frame({ opcode: 1, payload: 'long enough' });
  tap.payload(1, 'response', bytes, 0, bytes.length);
  tap.payload(1, 'response', bytes, 0, bytes.length);
  tap.end(1, END);

  const gaps = read().filter(([kind]) => kind === 'gap');
  expect(gaps).toEqual([['gap', 1, 'response', { time: NOW, bytes: 0, messages: 0, rest: true }]]);
});

test('credit that comes back lets capture be whole again', () => {
  const { tap, batches } = open({ ...UNLIMITED, creditBytes: 100_000, slabBytes: 8_192 });
  const body = Buffer.alloc(120_000, 'b');
  tap.begin(begin(1));
  tap.payload(1, 'request', body, 0, 120_000);
  tap.begin(begin(2));
  expect(tap.losses.droppedExchanges).toBe(1);
  tap.flush();
  tap.returnCredit(batches.reduce((sum, batch) => sum + batch.byteLength, 0));
  tap.begin(begin(3));

  expect(tap.losses.droppedExchanges).toBe(1);
});

test('buffers that come back are written again', () => {
  const { tap, batches } = open({ ...UNLIMITED, slabBytes: 1_024 });
  const slab = new ArrayBuffer(1_024);
  tap.returnCredit(0, [slab, new ArrayBuffer(77)]);
  tap.begin(begin(1, { head: Buffer.alloc(600) }));
  tap.begin(begin(2, { head: Buffer.alloc(600) }));
  tap.begin(begin(3, { head: Buffer.alloc(600) }));

  expect(batches[1]).toBe(slab);
});

test('any mix of calls comes out in order (fixed seed)', () => {
  const random = new SeededRandom(20_261_130);
  for (let round = 0; round < 40; round += 1) {
    const { tap, read } = open({ ...UNLIMITED, slabBytes: 512 + random.below(4_000) });
    const told = new Map<string, string>();
    for (let id = 1; id <= 5; id += 1) tap.begin(begin(id, { head: Buffer.from(text(random, 900)) }));
    for (let step = 0; step < 200; step += 1) {
      const id = 1 + random.below(5);
      const side: MessageSide = random.chance(2) ? 'request' : 'response';
      const kind = random.chance(5) ? 'framing' : 'payload';
      const bytes = Buffer.from(text(random, 1_500), 'latin1');
      tap[kind](id, side, bytes, 0, bytes.length);
      const key = `${kind} ${String(id)} ${side}`;
      told.set(key, (told.get(key) ?? '') + bytes.toString('latin1'));
      if (random.chance(10)) tap.flush();
    }
    const heard = new Map<string, string>();
    for (const record of read()) {
      if (record[0] !== 'payload' && record[0] !== 'framing') continue;
      const key = `${record[0]} ${String(record[1])} ${record[2]}`;
      heard.set(key, (heard.get(key) ?? '') + record[3]);
    }
    expect(heard).toEqual(told);
  }
});

test('a damaged batch is refused and never read past its end (fixed seed)', () => {
  const random = new SeededRandom(7);
  const { tap, batches } = open();
  tap.begin(begin(1, { head: Buffer.alloc(300, 'h') }));
  tap.payload(1, 'response', Buffer.alloc(500, 'p'), 0, 500);
  tap.end(1, END);
  tap.flush();
  const good = new Uint8Array(batches[0] ?? new ArrayBuffer(0));
  let refused = 0;
  for (let round = 0; round < 2_000; round += 1) {
    const bad = good.slice(0, round % 3 === 0 ? random.below(good.length) : good.length);
    for (let flips = 0; flips < 3; flips += 1) bad[random.below(bad.length)] = random.below(256);
    try {
      readBatch(bad.buffer, new Listener([]));
    } catch (error: unknown) {
      expect(error).toHaveProperty('code', 'capture.batch-format');
      refused += 1;
    }
  }
  expect(refused).toBeGreaterThan(700);
});

const PING = { sequence: 3, sent: true, type: 6, flags: 1, stream: 0, length: 8 } as const;
const PING_DATA = Buffer.from('0102030405060708', 'hex');

test('frames come out as they went in, with the largest numbers that they may have', () => {
  const { tap, read } = open();
  const large = {
    sequence: 4_294_967_295,
    sent: false,
    type: 255,
    flags: 255,
    stream: 0x7fff_ffff,
    length: 0xff_ffff,
  } as const;
  tap.frame(281_474_976_710_655, PING, PING_DATA, 0, 8);
  tap.frame(9, large, PING_DATA, 3, 3);

  expect(read()).toEqual([
    ['frame', 281_474_976_710_655, { ...PING, time: NOW, detail: PING_DATA }],
    ['frame', 9, { ...large, time: NOW, detail: Buffer.alloc(0) }],
  ]);
});

test('of a long payload of a frame its beginning is kept', () => {
  const { tap, read } = open();
  const payload = Buffer.alloc(300, 'x');
  tap.frame(9, { ...PING, type: 7, length: 300 }, payload, 0, 300);

  expect(read()).toMatchObject([['frame', 9, { length: 300, detail: Buffer.alloc(64, 'x') }]]);
});

test('frames are not recorded while recording is off, and are left out first when the store lags', () => {
  const { tap, read } = open({ ...UNLIMITED, creditBytes: 10_000 });
  tap.setRecording(false);
  tap.frame(9, PING, PING_DATA, 0, 8);
  tap.setRecording(true);
  tap.begin(begin(1, { head: Buffer.alloc(3_500, 'x') }));
  tap.frame(9, { ...PING, sequence: 4 }, PING_DATA, 0, 8);
  tap.payload(1, 'response', Buffer.from('kept all the same'), 0, 17);

  const heard = read();
  expect(heard.map(([kind]) => kind)).toEqual(['begin', 'payload']);
  expect(bodies(heard)).toMatchObject({ response: 'kept all the same' });
  expect(tap.losses).toEqual({ truncatedBodies: 0, droppedBodies: 0, droppedExchanges: 0 });
});

test('frames that are cut off are left out', () => {
  const { tap, batches } = open();
  tap.frame(9, PING, PING_DATA, 0, 8);
  tap.flush();
  // Behind the head of the batch and the record's.
  const packed = Buffer.from(batches[0] ?? new ArrayBuffer(0)).subarray(20);
  const twice = Buffer.concat([packed, packed]);
  for (let cut = 0; cut < packed.length; cut += 1) {
    expect([...readFrames(twice.subarray(0, packed.length + cut))]).toHaveLength(1);
  }
  expect([...readFrames(twice)]).toHaveLength(2);
});

test('the stream of an origin is told of an exchange that is recorded, and of no other', () => {
  const { tap, read } = open();
  tap.begin(begin(1, { clientStream: 7 }));
  tap.originStream(1, 0x7fff_ffff);
  tap.originStream(2, 3);

  expect(read()).toMatchObject([
    ['begin', { clientStream: 7 }],
    ['originStream', 1, 0x7fff_ffff],
  ]);
});

type Heard =
  | readonly ['begin', BeginRecord]
  | readonly ['payload' | 'framing', number, MessageSide, string]
  | readonly ['end', number, EndRecord, CapturedBodies]
  | readonly [
      (
        | 'origin'
        | 'originStream'
        | 'frame'
        | 'sentRequestHead'
        | 'informational'
        | 'response'
        | 'trailers'
        | 'connection'
        | 'datagram'
        | 'gap'
      ),
      ...unknown[],
    ];

function open(options: TapOptions = UNLIMITED): {
  readonly tap: CaptureTap;
  readonly batches: ArrayBuffer[];
  /** Hands over what is left and reads every batch. */
  read(): Heard[];
} {
  const batches: ArrayBuffer[] = [];
  const tap = createTap({ post: (batch) => batches.push(batch) }, options);
  return {
    tap,
    batches,
    read() {
      tap.flush();
      const heard: Heard[] = [];
      for (const batch of batches) readBatch(batch, new Listener(heard));
      return heard;
    },
  };
}

class Listener implements BatchVisitor {
  readonly #heard: Heard[];
  constructor(heard: Heard[]) {
    this.#heard = heard;
  }
  connection(...record: unknown[]): void {
    this.#heard.push(['connection', ...record]);
  }
  frames(connection: number, packed: Buffer): void {
    for (const frame of readFrames(Buffer.from(packed))) this.#heard.push(['frame', connection, frame]);
  }
  begin(record: BeginRecord): void {
    this.#heard.push(['begin', record]);
  }
  origin(...all: unknown[]): void {
    this.#heard.push(['origin', ...all]);
  }
  originStream(...all: unknown[]): void {
    this.#heard.push(['originStream', ...all]);
  }
  sentRequestHead(id: number, head: Buffer): void {
    this.#heard.push(['sentRequestHead', id, head.toString('latin1')]);
  }
  informational(id: number, head: Buffer): void {
    this.#heard.push(['informational', id, head.toString('latin1')]);
  }
  response(...all: unknown[]): void {
    this.#heard.push(['response', ...all]);
  }
  payload(id: number, side: MessageSide, bytes: Buffer): void {
    this.#heard.push(['payload', id, side, bytes.toString('latin1')]);
  }
  datagram(id: number, side: MessageSide, bytes: Buffer, time: number): void {
    this.#heard.push(['datagram', id, side, bytes.toString('latin1'), time]);
  }
  gap(...all: unknown[]): void {
    this.#heard.push(['gap', ...all]);
  }
  framing(id: number, side: MessageSide, bytes: Buffer): void {
    this.#heard.push(['framing', id, side, bytes.toString('latin1')]);
  }
  trailers(id: number, side: MessageSide, bytes: Buffer): void {
    this.#heard.push(['trailers', id, side, bytes.toString('latin1')]);
  }
  end(id: number, record: EndRecord, captured: CapturedBodies): void {
    this.#heard.push(['end', id, record, captured]);
  }
}

function begin(id: number, more: Partial<BeginRecord> = {}): BeginRecord {
  return {
    id,
    kind: 'http',
    startedAt: 1_764_000_000_123_456,
    clientConnection: 3,
    clientStream: 0,
    clientAddress: '127.0.0.1:50000',
    clientProtocol: 'http/1.1',
    scheme: 'https',
    host: 'example.test',
    port: 443,
    method: 'GET',
    path: '/',
    head: Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    sentHead: null,
    ...more,
  };
}

function bodies(heard: readonly Heard[]): { request: string; response: string; captured: BodyCapture[] } {
  const result = { request: '', response: '', captured: [] as BodyCapture[] };
  for (const record of heard) {
    if (record[0] === 'payload') result[record[2]] += record[3];
    if (record[0] === 'end') result.captured = [record[3].request, record[3].response];
  }
  return result;
}

function text(random: SeededRandom, longest: number): string {
  return String.fromCharCode(97 + random.below(26)).repeat(1 + random.below(longest));
}
