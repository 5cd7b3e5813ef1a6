import { describe, expect, test } from 'vitest';
import { windowsBypass } from './windows-bypass.ts';

describe('hosts without a proxy, as Windows writes them', () => {
  test.each([
    ['127.0.0.0/8', '127.*'],
    ['192.168.0.0/16', '192.168.*'],
    ['10.1.2.0/24', '10.1.2.*'],
    ['10.1.2.3/32', '10.1.2.3'],
    ['10.1.2.2/31', '10.1.2.2;10.1.2.3'],
    ['172.16.0.0/14', '172.16.*;172.17.*;172.18.*;172.19.*'],
    ['::1', '[::1]'],
    ['.corp.example', '*.corp.example'],
    ['localhost', 'localhost'],
  ])('%s becomes %s', (host, written) => {
    expect(windowsBypass([host])).toBe(`${written};<local>`);
  });

  test('ranges that would be endless lists, and ranges of IPv6, are left out', () => {
    expect(windowsBypass(['10.0.0.0/9', 'fe80::/10', '300.1.1.1/99'])).toBe('<local>');
  });

  test('each stands once', () => {
    expect(windowsBypass(['a.example', 'a.example'])).toBe('a.example;<local>');
  });
});
