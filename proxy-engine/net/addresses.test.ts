import { describe, expect, test } from 'vitest';
import { canonicalAddress, formatAddress, isLoopback } from './addresses.ts';
import { OwnAddresses } from './own-addresses.ts';

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
  ['0:0:0:0:0:0:0:1', '::1'],
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['::FFFF:7f00:1', '127.0.0.1'],
  ['0:0:0:0:0:ffff:7f00:0001', '127.0.0.1'],
  ['fe80::1%eth0', 'fe80::1'],
])('%s is the same place as %s', (address, canonical) => {
  expect(canonicalAddress(address)).toBe(canonical);
});

test('IPv6 gets brackets beside a port', () => {
  expect(formatAddress('::1', 80)).toBe('[::1]:80');
  expect(formatAddress('10.0.0.1', 80)).toBe('10.0.0.1:80');
});

test('the whole of 127/8 and ::1 are loopback', () => {
  expect(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'].every(isLoopback)).toBe(true);
  expect(['128.0.0.1', '::2', '10.0.0.1'].some(isLoopback)).toBe(false);
});

describe('our own addresses', () => {
  test('are known in every spelling, on their port alone', () => {
    const own = new OwnAddresses();
    own.add('127.0.0.1', 8686);
    own.addText('[::1]:8687');
    expect(own.has('::ffff:127.0.0.1', 8686)).toBe(true);
    expect(own.has('0.0.0.0', 8686)).toBe(true);
    expect(own.has('127.0.0.2', 8686)).toBe(false);
    expect(own.has('127.0.0.1', 8687)).toBe(false);
    expect(own.has('0:0::1', 8687)).toBe(true);
    own.remove('127.0.0.1', 8686);
    expect(own.has('127.0.0.1', 8686)).toBe(false);
  });

  test('of a listener on every address are all of this machine’s', () => {
    const own = new OwnAddresses();
    own.add('0.0.0.0', 8686);
    expect(own.has('127.0.0.5', 8686)).toBe(true);
    expect(own.has('192.0.2.1', 8686)).toBe(false);
  });
});
