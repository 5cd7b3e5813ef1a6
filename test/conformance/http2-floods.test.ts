import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connect as connectTcp } from 'node:net';
import { CONNECTION_PREFACE, Http2Error } from '../../proxy-engine/protocol/http2/index.ts';
import { DEFAULT_LIMITS } from '../../proxy-engine/index.ts';
import { startEngine, type EngineUnderTest } from '../support/engine-kit.ts';
import { FLOODS, number, repeat } from '../support/http2-floods.ts';
import { field, frame, requestFields } from '../support/http2-frames.ts';
import { Http2Wire, Http2WireServer } from '../support/http2-wire.ts';
import { writeEvidence, type Evidence } from './evidence.ts';

vi.setConfig({ testTimeout: 20_000 });

const evidence: Evidence[] = [];
let weir: EngineUnderTest;
let origin: Http2WireServer;
const clients: Http2Wire[] = [];

beforeEach(async () => {
  origin = await Http2WireServer.listen();
  weir = await startEngine({
    modes: [{ kind: 'reverse', scheme: 'h2c', host: '127.0.0.1', port: origin.port, basePath: '' }],
  });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await weir.stop();
  origin.close();
});
afterAll(() => {
  writeEvidence('http2-floods', evidence);
});

function connect(): Http2Wire {
  const client = Http2Wire.connect(weir.port);
  clients.push(client);
  return client;
}

interface Goaway {
  readonly code: number;
  readonly debug: string;
}

/** Sends bytes as a client and reads, without judging, until the connection ends: the GOAWAY that came. */
async function flood(bytes: Buffer): Promise<Goaway> {
  const socket = connectTcp(weir.port, '127.0.0.1');
  socket.on('error', () => undefined);
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  socket.write(Buffer.concat([CONNECTION_PREFACE, frame(4, 0, 0), frame(4, 1, 0), bytes]));
  await new Promise((resolve) => socket.once('close', resolve));
  const all = Buffer.concat(parts);
  for (let at = 0; at + 9 <= all.length;) {
    const length = all.readUIntBE(at, 3);
    if (all[at + 3] === 7)
      return { code: all.readUInt32BE(at + 13), debug: all.toString('latin1', at + 17, at + 9 + length) };
    at += 9 + length;
  }
  throw new Error(`no GOAWAY in ${String(all.length)} bytes`);
}

test.each(FLOODS)(
  'rule 22: a flood of %s ends in ENHANCE_YOUR_CALM that names %s, and others keep being served',
  async (what, limit, bytes, most) => {
    const bystander = connect();
    const first = bystander.request(requestFields('GET', '/before'));
    const server = await origin.next();
    server.respond((await server.next('head')).stream, [field(':status', '200')], 'ok');
    expect(await bystander.body(first.id)).toBe('ok');

    const seen = await flood(bytes());
    expect([seen.code, seen.debug]).toEqual([Http2Error.enhanceYourCalm, expect.stringContaining(limit)]);

    const second = bystander.request(requestFields('GET', '/after'));
    let reached = 0;
    for (;;) {
      const { stream, head } = await server.next('head');
      if (head.path === '/after') {
        server.respond(stream, [field(':status', '200')], 'still here');
        break;
      }
      reached += 1;
    }
    expect(await bystander.body(second.id)).toBe('still here');
    // What the flood made the origin work is no more than the limit.
    expect(reached).toBeLessThanOrEqual(most);
    evidence.push({
      test: (expect.getState().currentTestName ?? '').replace(/^.* > /, ''),
      fromClient: what,
      atOrigin: `${String(reached)} requests`,
      fromOrigin: null,
      atClient: `GOAWAY ENHANCE_YOUR_CALM ${seen.debug}`,
      recorded: [],
    });
  },
);

test('rule 22: tiny windows are served a little at a time, up to the limit windowUpdates', async () => {
  weir.configure({ limits: { ...DEFAULT_LIMITS, windowUpdates: 500 } });
  const client = connect();
  client.raw(frame(4, 0, 0, Buffer.from([0, 4, 0, 0, 0, 1])));
  const stream = client.request(requestFields());
  const server = await origin.next();
  const { stream: served } = await server.next('head');
  server.respond(served, [field(':status', '200')], 'x'.repeat(100_000));
  await client.next('head', stream.id);
  for (let octets = 0; octets < 100; octets += 1) {
    expect((await client.next('data', stream.id)).text).toBe('x');
    client.raw(frame(8, 0, stream.id, number(1)));
  }
  client.raw(repeat(600, () => frame(8, 0, stream.id, number(1))));
  const seen = await client.next('goaway');
  expect([seen.code, seen.debug]).toEqual([Http2Error.enhanceYourCalm, expect.stringContaining('windowUpdates')]);
  const row = (await weir.rows.ended(2)).at(-1);
  expect(row?.end?.error?.code).toBe('http2.client-connection');
  evidence.push({
    test: (expect.getState().currentTestName ?? '').replace(/^.* > /, ''),
    fromClient: 'INITIAL_WINDOW_SIZE 1, 600 × WINDOW_UPDATE 1',
    atOrigin: '1 request',
    fromOrigin: '100 KB',
    atClient: `GOAWAY ENHANCE_YOUR_CALM ${seen.debug}`,
    recorded: ['http2.client-connection'],
  });
});
