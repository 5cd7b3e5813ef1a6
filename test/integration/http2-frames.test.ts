import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PackedFrame } from '../../proxy-engine/capture/packed-frames.ts';
import { http2FrameName } from '../../proxy-engine/model/http2-names.ts';
import { startEngine, type EngineUnderTest } from '../support/engine-kit.ts';
import { field, frame, requestFields } from '../support/http2-frames.ts';
import { Http2Wire, Http2WireServer } from '../support/http2-wire.ts';

let weir: EngineUnderTest;
let origin: Http2WireServer;

beforeEach(async () => {
  origin = await Http2WireServer.listen();
  weir = await startEngine({
    modes: [{ kind: 'reverse', scheme: 'h2c', host: '127.0.0.1', port: origin.port, basePath: '' }],
  });
});
afterEach(async () => {
  await weir.stop();
  origin.close();
});

/** A request that is answered by five octets; resolves once the client has them. */
async function exchange(client: Http2Wire): Promise<void> {
  const stream = client.request(requestFields());
  const server = await origin.next();
  const { stream: served } = await server.next('head');
  server.respond(served, [field(':status', '200'), field('content-length', '5')], 'reply');
  await client.next('data', stream.id);
}

function shown({ sent, type, stream }: PackedFrame): string {
  return `${sent ? 'sent' : 'received'} ${http2FrameName(type)} ${String(stream)}`;
}

function framesOf(connection: number | undefined): string[] {
  return (weir.rows.frameLog.get(connection ?? 0) ?? []).map(shown);
}

test('the frames of both legs are recorded as they pass, and the exchange names its streams', async () => {
  const client = Http2Wire.connect(weir.ports[0] ?? 0);
  await exchange(client);
  const row = await weir.rows.only();
  client.close();

  const atClient = framesOf(row.client?.id);
  const atOrigin = framesOf(row.origin?.id);
  expect(atClient.filter((line) => line.endsWith(' 1'))).toEqual([
    'received HEADERS 1',
    'sent HEADERS 1',
    'sent DATA 1',
  ]);
  expect(atOrigin.filter((line) => line.endsWith(' 1'))).toEqual([
    'sent HEADERS 1',
    'received HEADERS 1',
    'received DATA 1',
  ]);
  for (const frames of [atClient, atOrigin]) {
    expect(frames).toEqual(expect.arrayContaining(['sent SETTINGS 0', 'received SETTINGS 0']));
  }
  expect([row.begin.clientStream, row.originStream]).toEqual([1, 1]);
  const log = weir.rows.frameLog.get(row.client?.id ?? 0) ?? [];
  expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
});

test('the frame by which a peer ends a connection is there, with the answer to it', async () => {
  const client = Http2Wire.connect(weir.ports[0] ?? 0);
  await exchange(client);
  const row = await weir.rows.only();
  // WINDOW_UPDATE of nothing (RFC 9113 §6.9).
  client.raw(frame(0x8, 0, 0, Buffer.alloc(4)));
  await client.next('closed');
  await expect.poll(() => framesOf(row.client?.id).slice(-2)).toEqual(['received WINDOW_UPDATE 0', 'sent GOAWAY 0']);
});

test('with the setting off no frame is recorded, and a connection may begin to be in its midst', async () => {
  weir.configure({ recordFrames: false });
  const client = Http2Wire.connect(weir.ports[0] ?? 0);
  await exchange(client);
  const row = await weir.rows.only();
  expect(weir.rows.frameLog.size).toBe(0);
  weir.configure({ recordFrames: true });
  client.connection.goAway();
  client.flush();
  await client.next('closed');
  const first = (): number => weir.rows.frameLog.get(row.client?.id ?? 0)?.[0]?.sequence ?? 0;
  await expect.poll(first).toBeGreaterThan(4);
});
