import { expect, test } from 'vitest';
import { ClientHelloReader, ja3Text, ja4Text } from '../../proxy-engine/protocol/tls-hello/index.ts';
import { CLIENT_HELLOS } from '../support/client-hellos.ts';
import { SeededRandom } from '../support/seeded-random.ts';

const ROUNDS = 8_000;

test('damaged hellos are answered the same whole and in pieces, and never throw', () => {
  const random = new SeededRandom(41);
  const originals = Object.values(CLIENT_HELLOS);
  const kinds = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const bytes = Buffer.from(random.pick(originals));
    for (let change = random.below(4); change >= 0; change -= 1)
      bytes[random.below(random.chance(2) ? 60 : bytes.length)] = random.below(256);
    const whole = new ClientHelloReader();
    whole.receive(bytes);
    const pieces = new ClientHelloReader();
    for (let at = 0; at < bytes.length;) {
      const length = 1 + random.below(200);
      pieces.receive(bytes.subarray(at, at + length));
      at += length;
    }
    expect(pieces.result).toEqual(whole.result);
    kinds.add(whole.result.kind);
    if (whole.result.kind === 'hello') {
      expect(ja3Text(whole.result.hello)).toMatch(/^\d+,[\d-]*,[\d-]*,[\d-]*,[\d-]*$/);
      expect(ja4Text(whole.result.hello)).toMatch(/^t(?:\d\d|s[23])[di]\d{4}/);
    }
  }
  // The damage must reach every kind of answer, or the test proves little.
  expect([...kinds].sort()).toEqual(['hello', 'incomplete', 'malformed', 'not-tls']);
});
