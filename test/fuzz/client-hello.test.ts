import { expect, test } from 'vitest';
import { ClientHelloReader, ja3Text, ja4Text } from '../../proxy-engine/protocol/tls-hello/index.ts';
import { CLIENT_HELLOS } from '../support/client-hellos.ts';

const ROUNDS = 8_000;

/** Small linear generator: the same numbers in each run, so that a failure can be repeated. */
function generator(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('damaged hellos are answered the same whole and in pieces, and never throw', () => {
  const random = generator(41);
  const originals = Object.values(CLIENT_HELLOS);
  const kinds = new Set<string>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const bytes = Buffer.from(originals[random(originals.length)] ?? Buffer.alloc(0));
    for (let change = random(4); change >= 0; change -= 1)
      bytes[random(random(2) === 0 ? 60 : bytes.length)] = random(256);
    const whole = new ClientHelloReader();
    whole.receive(bytes);
    const pieces = new ClientHelloReader();
    for (let at = 0; at < bytes.length;) {
      const length = 1 + random(200);
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
