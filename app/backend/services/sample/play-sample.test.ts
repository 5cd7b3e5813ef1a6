import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type {
  BeginRecord,
  ConnectionRecord,
  EndRecord,
  FrameRecord,
  ResponseRecord,
  Tap,
} from '../../../../proxy-engine/capture/tap.ts';
import type { MessageSide } from '../../../../proxy-engine/model/exchange.ts';
import { playSample } from './play-sample.ts';

interface Recorded {
  readonly begin: BeginRecord;
  response: ResponseRecord | null;
  end: EndRecord | null;
  readonly payload: Record<MessageSide, Buffer[]>;
  originConnection: number | null;
  originStream: number | null;
}

/** Keeps what a tap is told, and fails on calls out of order as a store would. */
class RecordingTap implements Tap {
  readonly recording = true;
  readonly exchanges = new Map<number, Recorded>();
  readonly connections = new Map<number, ConnectionRecord>();
  readonly frames: (FrameRecord & { readonly connection: number })[] = [];
  readonly digest = createHash('sha256');

  connection(record: ConnectionRecord): void {
    this.digest.update(JSON.stringify(record));
    this.connections.set(record.id, record);
  }
  frame(connection: number, record: FrameRecord, bytes: Buffer, start: number, end: number): void {
    if (!this.connections.has(connection)) throw new Error('Frames of a connection that was not told.');
    this.digest.update(JSON.stringify(record)).update(bytes.subarray(start, end));
    this.frames.push({ connection, ...record });
  }
  begin(record: BeginRecord): void {
    this.digest.update(record.head).update(String(record.startedAt));
    this.exchanges.set(record.id, {
      begin: record,
      response: null,
      end: null,
      payload: { request: [], response: [] },
      originConnection: null,
      originStream: null,
    });
  }
  origin(id: number, connection: number): void {
    this.of(id).originConnection = connection;
  }
  originStream(id: number, stream: number): void {
    this.of(id).originStream = stream;
  }
  sentRequestHead(): void {
    throw new Error('The sample knows every head at its beginning.');
  }
  informational(id: number, head: Buffer): void {
    this.of(id);
    this.digest.update(head);
  }
  response(id: number, record: ResponseRecord): void {
    this.digest.update(record.head);
    this.of(id).response = record;
  }
  payload(id: number, side: MessageSide, bytes: Buffer, start: number, end: number): void {
    const part = Buffer.from(bytes.subarray(start, end));
    this.digest.update(part);
    this.of(id).payload[side].push(part);
  }
  datagram(): void {
    throw new Error('The sample has no datagrams.');
  }
  framing(id: number, _side: MessageSide, bytes: Buffer, start: number, end: number): void {
    this.of(id);
    this.digest.update(bytes.subarray(start, end));
  }
  trailers(id: number, _side: MessageSide, bytes: Buffer): void {
    this.of(id);
    this.digest.update(bytes);
  }
  congested(): boolean {
    return false;
  }
  cut(): void {
    throw new Error('Nothing is ever congested here.');
  }
  end(id: number, record: EndRecord): void {
    this.digest.update(JSON.stringify(record));
    this.of(id).end = record;
  }

  of(id: number): Recorded {
    const found = this.exchanges.get(id);
    if (found === undefined) throw new Error(`Exchange ${String(id)} has not begun.`);
    if (found.end !== null) throw new Error(`Exchange ${String(id)} has ended.`);
    return found;
  }
}

function played(): RecordingTap {
  const tap = new RecordingTap();
  playSample(tap, 500, 90);
  return tap;
}

test('the sample is the same to the byte on every run', () => {
  expect(played().digest.digest('hex')).toBe(played().digest.digest('hex'));
});

test('about 120 exchanges grow from the given id without a gap', () => {
  const ids = [...played().exchanges.keys()];
  expect(ids.length).toBeGreaterThanOrEqual(110);
  expect(ids.length).toBeLessThanOrEqual(140);
  expect(ids).toEqual(ids.map((_, index) => 500 + index));
});

test('all but one exchange end, each with a complete response or a reason, and instants grow', () => {
  const all = [...played().exchanges.values()];
  expect(all.filter(({ end }) => end === null)).toHaveLength(1);
  for (const { begin, end, response } of all) {
    if (end === null) continue;
    expect(end.complete, begin.path).toBe(end.error === null);
    if (begin.kind === 'http' && end.complete) expect(response, begin.path).not.toBeNull();
    const instants = [
      end.timing.dns,
      end.timing.connect,
      end.timing.tls,
      end.timing.sent,
      end.timing.firstByte,
      end.timing.end,
    ];
    const known = instants.filter((instant) => instant !== null);
    expect(known, begin.path).toEqual([...known].sort((a, b) => a - b));
  }
});

test('the story shows every kind of status, coding and failure that the inspector explains', () => {
  const all = [...played().exchanges.values()];
  const statuses = new Set(all.map(({ response }) => response?.status));
  for (const status of [200, 201, 204, 206, 301, 302, 304, 404, 429, 500]) expect(statuses).toContain(status);
  const codes = new Set(all.map(({ end }) => end?.error?.code));
  for (const code of [
    'tls.client-untrusted',
    'dns.not-found',
    'connect.refused',
    'tls.origin-expired',
    'origin.cut-short',
    'client.cancelled',
  ]) {
    expect(codes).toContain(code);
  }
  const heads = all.map(({ response }) => response?.head.toString('latin1') ?? '').join('');
  for (const coding of ['gzip', 'br', 'zstd', 'deflate']) expect(heads).toContain(`Content-Encoding: ${coding}`);
});

test('a body that says brotli decodes to the JSON that the shop answered', () => {
  const all = [...played().exchanges.values()];
  const added = all.find(({ begin }) => begin.method === 'POST' && begin.path === '/v2/cart/items');
  const decoded = brotliDecompressSync(Buffer.concat(added?.payload.response ?? []));
  expect(JSON.parse(decoded.toString())).toMatchObject({ id: 'crt_8Q2ZK', totals: { net: 58.66 } });
});

test('byte counts of ended exchanges equal the payload that passed', () => {
  for (const { begin, end, payload } of played().exchanges.values()) {
    if (end === null || begin.kind !== 'http') continue;
    expect(end.responseBodyBytes, begin.path).toBe(Buffer.concat(payload.response).length);
    expect(end.requestBodyBytes, begin.path).toBe(Buffer.concat(payload.request).length);
  }
});

test('the year report is large enough to need windows', () => {
  const report = [...played().exchanges.values()].find(({ begin }) => begin.path === '/v2/reports/year.csv');
  expect(gunzipSync(Buffer.concat(report?.payload.response ?? [])).length).toBeGreaterThan(1_500_000);
});
