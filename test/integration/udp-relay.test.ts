import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy-engine/index.ts';
import { startEngine, timeouts, type EngineUnderTest } from '../support/engine-kit.ts';
import { Datagrams } from '../support/datagrams.ts';

let weir: EngineUnderTest;
let origin: Datagrams;
let client: Datagrams;

beforeEach(async () => {
  origin = await Datagrams.bind();
  client = await Datagrams.bind();
  weir = await startEngine({ modes: [{ kind: 'udp', host: 'localhost', port: origin.port }] });
});

afterEach(async () => {
  await weir.stop();
  origin.close();
  client.close();
});

describe('a udp: listener', () => {
  test('relays datagrams both ways, as they are and one by one, and records each as a message', async () => {
    client.send('one', weir.port);
    const first = await origin.next();
    client.send('', weir.port);
    client.send(Buffer.alloc(60_000, 7), weir.port);
    expect(first.bytes.toString()).toBe('one');
    expect((await origin.next()).bytes).toHaveLength(0);
    expect((await origin.next()).bytes).toEqual(Buffer.alloc(60_000, 7));
    origin.send('answer', first.from.port);
    expect((await client.next()).bytes.toString()).toBe('answer');
    await weir.stop();
    const row = await weir.rows.only();
    expect(row.begin).toMatchObject({ kind: 'udp', scheme: 'udp', host: 'localhost', port: origin.port });
    expect(row.origin).toMatchObject({ protocol: 'udp', address: `127.0.0.1:${String(origin.port)}` });
    expect(row.end).toMatchObject({ complete: true, requestBodyBytes: 60_003, responseBodyBytes: 6 });
    expect(row.datagrams.map(({ side, bytes }) => `${side} ${String(bytes.length)}`)).toEqual([
      'request 3',
      'request 0',
      'request 60000',
      'response 6',
    ]);
  });

  test('keeps 10,000 datagrams of ten clients apart, in order and whole', { timeout: 60_000 }, async () => {
    const clients = await Promise.all(Array.from({ length: 10 }, () => Datagrams.bind()));
    let echoed = 0;
    origin.socket.on('message', (bytes, from) => {
      echoed += 1;
      origin.send(bytes, from.port);
    });
    await Promise.all(
      clients.map(async (sender, number) => {
        for (let index = 0; index < 1_000; index += 1) {
          const text = `${String(number)}:${String(index)}`;
          sender.send(text, weir.port);
          // One is under way at a time for each client: nothing may be lost or turned round then.
          expect((await sender.next()).bytes.toString()).toBe(text);
        }
      }),
    );
    expect(echoed).toBe(10_000);
    await weir.stop();
    const rows = await weir.rows.ended(10);
    expect(rows).toHaveLength(10);
    for (const row of rows) {
      const { side, bytes } = row.datagrams[0] ?? { side: 'response', bytes: Buffer.alloc(0) };
      const number = bytes.toString().split(':')[0] ?? '';
      expect(side).toBe('request');
      const expected = Array.from({ length: 2_000 }, (_unused, index) => `${number}:${String(index >> 1)}`);
      expect(row.datagrams.map((datagram) => datagram.bytes.toString())).toEqual(expected);
    }
    for (const each of clients) each.close();
  });

  test('ends a session that rests for too long, and begins another', async () => {
    weir.configure({ timeouts: timeouts({ udpIdle: 50 }) });
    client.send('one', weir.port);
    const first = await origin.next();
    expect((await weir.rows.only()).end).toMatchObject({ complete: true, error: null });
    client.send('two', weir.port);
    const second = await origin.next();
    expect(second.from.port).not.toBe(first.from.port);
  });

  test('has so many sessions as its limit allows; one more is a row that names the setting', async () => {
    weir.configure({ limits: { ...DEFAULT_LIMITS, udpSessions: 1 } });
    client.send('one', weir.port);
    await origin.next();
    const other = await Datagrams.bind();
    other.send('two', weir.port);
    const [row] = (await weir.rows.ended(1)).filter(({ end }) => end !== null);
    expect(row?.end?.error).toMatchObject({ code: 'udp.session-limit' });
    expect(row?.end?.error?.message).toContain('limits.udpSessions');
    expect(origin.pending).toBe(0);
    other.close();
  });

  test('says when nobody listens', async () => {
    const gone = await Datagrams.bind();
    const { port } = gone;
    gone.close();
    const other = await startEngine({ modes: [{ kind: 'udp', host: '127.0.0.1', port }] });
    client.send('one', other.port);
    expect((await other.rows.only()).end.error).toMatchObject({ code: 'connect.refused', side: 'origin' });
    await other.stop();
  });

  test('never relays to itself', async () => {
    const [listener] = await weir.engine.addListeners([
      { mode: { kind: 'udp', host: '127.0.0.1', port: weir.port }, host: '127.0.0.1', port: 0 },
    ]);
    client.send('round', listener?.port ?? 0);
    expect((await weir.rows.only()).end.error).toMatchObject({ code: 'loop.self' });
  });
});
