import { expect, test } from 'vitest';
import {
  readDatagram,
  SocksClientHandshake,
  SocksServerHandshake,
  writeDatagram,
} from '../../proxy-engine/protocol/socks/index.ts';
import { SeededRandom } from '../support/seeded-random.ts';

const ROUNDS = 20_000;

const REQUESTS = [
  '05010005010001c00002010050',
  '0501000501000304746573740050',
  '05010005010004200000000000000000000000000000010050',
  '05020002010361646102707705010003047465737401bb',
  '05010005030001000000000000',
  '0401005001020304726f6f7400',
  '0401005000000001006578616d706c6500',
].map((hex) => Buffer.from(hex, 'hex'));

/** What a server's handshake makes of segments, as text. */
function serve(segments: readonly Buffer[], asks: boolean): string {
  const lines: string[] = [];
  const handshake = new SocksServerHandshake(asks ? (user, password) => user === 'ada' && password === 'pw' : null);
  let isOver = false;
  for (const segment of segments) {
    handshake.receive(segment, {
      send: (bytes) => lines.push(bytes.toString('hex')),
      onRequest: ({ version, command, host, port }) => {
        expect(isOver).toBe(false);
        isOver = true;
        expect(host).toMatch(/^[^\s/@]+$/);
        lines.push(`${command} ${String(version)} ${host} ${String(port)}`);
      },
      onRefused: ({ code, message }) => {
        expect(isOver).toBe(false);
        isOver = true;
        expect(message).toMatch(/\.$/);
        lines.push(code);
      },
    });
  }
  return `${handshake.phase} ${lines.join(' ')} ${handshake.phase === 'done' ? handshake.rest.toString('hex') : ''}`;
}

test('damaged requests come to one end, the same whole and in pieces', () => {
  const random = new SeededRandom(43);
  const phases = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const original = random.pick(REQUESTS);
    const bytes = Buffer.concat([original, Buffer.from('rest')]).subarray(0, random.below(original.length + 5));
    for (let change = random.below(3); change > 0; change -= 1) {
      if (bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256);
    }
    const asks = random.chance(3);
    const copy = Buffer.from(bytes);
    const whole = serve([copy], asks);
    expect(serve(random.segments(Buffer.from(bytes)), asks)).toBe(whole);
    phases.add(whole.slice(0, whole.indexOf(' ')));
  }
  expect([...phases].sort()).toEqual(['done', 'failed', 'methods', 'password', 'request']);
});

test('damaged answers of a proxy end the handshake or wait for more, and never throw', () => {
  const random = new SeededRandom(44);
  const kinds = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const handshake = new SocksClientHandshake(
      { host: 'test', port: 80 },
      random.chance(2) ? null : { user: 'ada', password: 'pw' },
    );
    const answers = [Buffer.from('0502', 'hex'), Buffer.from('0500', 'hex'), Buffer.from('0100', 'hex'), REQUESTS[0]];
    for (let step = 0; step < 4; step += 1) {
      const bytes = Buffer.from(random.pick(answers) ?? '');
      if (random.chance(2)) bytes[random.below(bytes.length)] = random.below(256);
      const { kind } = handshake.receive(bytes);
      kinds.add(kind);
      if (kind === 'done' || kind === 'failed') break;
    }
  }
  expect([...kinds].sort()).toEqual(['done', 'failed', 'incomplete', 'send']);
});

test('datagrams are read as they were written, and damaged ones are none or other ones', () => {
  const random = new SeededRandom(45);
  for (let round = 0; round < ROUNDS; round += 1) {
    const host = random.pick(['192.0.2.1', '2001:db8::1', 'example.test']);
    const port = 1 + random.below(65_535);
    const payload = Buffer.alloc(random.below(50), random.below(256));
    const bytes = writeDatagram({ address: { host, port }, payload });
    expect(readDatagram(bytes)).toEqual({ address: { host, port }, payload });
    bytes[random.below(bytes.length)] = random.below(256);
    const damaged = readDatagram(bytes.subarray(0, random.below(bytes.length + 1)));
    if (damaged !== null) expect(damaged.address.port).toBeGreaterThan(0);
  }
});
