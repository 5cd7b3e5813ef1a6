import { describe, expect, test } from 'vitest';
import { formatAuthority, parseAuthority, parseConnectAuthority } from './authority.ts';
import { parseTarget } from './target.ts';

const IDN = Buffer.from('bücher.example').toString('latin1');

describe('an authority', () => {
  test.each([
    ['a.test', { host: 'a.test', port: null }],
    ['A.Test:8080', { host: 'a.test', port: 8080 }],
    ['a.test:', { host: 'a.test', port: null }],
    ['1.2.3.4:80', { host: '1.2.3.4', port: 80 }],
    ['[::1]', { host: '::1', port: null }],
    ['[2001:DB8::1]:443', { host: '2001:db8::1', port: 443 }],
    ['[::ffff:1.2.3.4]', { host: '::ffff:1.2.3.4', port: null }],
    ['[1:2:3:4:5:6:7:8]', { host: '1:2:3:4:5:6:7:8', port: null }],
    [`${IDN}:81`, { host: 'xn--bcher-kva.example', port: 81 }],
    ['under_score.test', { host: 'under_score.test', port: null }],
  ])('%j names a host and perhaps a port', (text, expected) => {
    expect(parseAuthority(text)).toEqual(expected);
  });

  test.each([
    '',
    ':80',
    'u@a',
    'a/b',
    'a,b',
    'a b',
    'a:b',
    'a:80:80',
    'a:123456',
    'a:65536',
    'a:-1',
    'a?b',
    'a#b',
    'a\\b',
    '::1',
    '[::1',
    '[::1]x',
    '[fe80::1%25eth0]',
    '[fe80::1%eth0]',
    '[1:2:3:4:5:6:7]',
    '[1:2:3:4:5:6:7:8:9]',
    '[1::2::3]',
    '[12345::]',
    '[::1.2.3.256]',
    '[1.2.3.4]',
    '[v1.x]',
    '[]',
  ])('%j is none', (text) => {
    expect(parseAuthority(text)).toBeNull();
  });

  test('of CONNECT must have a port; an IPv6 address may lack its brackets', () => {
    expect(parseConnectAuthority('a.test:443')).toEqual({ host: 'a.test', port: 443 });
    expect(parseConnectAuthority('::1:443')).toEqual({ host: '::1', port: 443 });
    expect(parseConnectAuthority('2001:db8::2:8443')).toEqual({ host: '2001:db8::2', port: 8443 });
    expect(parseConnectAuthority('[::1]:443')).toEqual({ host: '::1', port: 443 });
    for (const text of ['a.test', 'a.test:', 'a.test:0', '[::1]', 'a:b:443', 'u@a:443']) {
      expect(parseConnectAuthority(text)).toBeNull();
    }
  });

  test('is written with brackets for IPv6 and without the default port', () => {
    expect(formatAuthority('::1', 80, 'http')).toBe('[::1]');
    expect(formatAuthority('::1', 81, 'http')).toBe('[::1]:81');
    expect(formatAuthority('a.test', 443, 'https')).toBe('a.test');
    expect(formatAuthority('a.test', 443, 'http')).toBe('a.test:443');
  });
});

describe('a request target', () => {
  test('that is a path takes its host from Host', () => {
    expect(parseTarget('GET', '/a//b?c#d', 'A.test:81')).toEqual({
      form: 'origin',
      scheme: null,
      host: 'a.test',
      port: 81,
      path: '/a//b?c#d',
      authority: 'A.test:81',
      differsFromHost: false,
    });
    expect(parseTarget('GET', '/', null)).toMatchObject({ host: '', port: null, authority: '' });
  });

  test.each([
    ['GET', 'http://a.test/p?q', 'http', 'a.test', 80, '/p?q', 'a.test'],
    ['GET', 'HTTPS://A.test:8443', 'https', 'a.test', 8443, '/', 'A.test:8443'],
    ['GET', 'http://a.test?q', 'http', 'a.test', 80, '/?q', 'a.test'],
    ['GET', 'http://a.test:/p', 'http', 'a.test', 80, '/p', 'a.test:'],
    ['GET', 'ws://a.test/', 'http', 'a.test', 80, '/', 'a.test'],
    ['GET', 'wss://a.test/', 'https', 'a.test', 443, '/', 'a.test'],
    ['GET', 'http://[::1]:81/p', 'http', '::1', 81, '/p', '[::1]:81'],
    ['GET', `http://${IDN}:81/`, 'http', 'xn--bcher-kva.example', 81, '/', 'xn--bcher-kva.example:81'],
    ['GET', 'http://a.test/http://b.test@c', 'http', 'a.test', 80, '/http://b.test@c', 'a.test'],
    ['OPTIONS', 'http://a.test', 'http', 'a.test', 80, '*', 'a.test'],
    ['OPTIONS', 'http://a.test/', 'http', 'a.test', 80, '/', 'a.test'],
  ])('%s %s is absolute', (method, target, scheme, host, port, path, authority) => {
    expect(parseTarget(method, target, null)).toEqual({
      form: 'absolute',
      scheme,
      host,
      port,
      path,
      authority,
      differsFromHost: false,
    });
  });

  test('of CONNECT is an authority, of OPTIONS may be an asterisk', () => {
    expect(parseTarget('CONNECT', 'a.test:443', 'a.test')).toMatchObject({
      form: 'authority',
      host: 'a.test',
      port: 443,
      path: '',
      differsFromHost: false,
    });
    expect(parseTarget('CONNECT', 'a.test:443', 'b.test')?.differsFromHost).toBe(true);
    expect(parseTarget('CONNECT', 'a.test:443', 'a.test:80')?.differsFromHost).toBe(true);
    expect(parseTarget('OPTIONS', '*', 'a.test')).toMatchObject({ form: 'asterisk', path: '*', host: 'a.test' });
  });

  test.each([
    ['GET', '*'],
    ['GET', 'a.test'],
    ['GET', 'a.test:80'],
    ['GET', 'http:/a.test'],
    ['GET', 'http://'],
    ['GET', 'http://u@a.test/'],
    ['GET', 'http://a.test:x/'],
    ['GET', 'file:///etc/passwd'],
    ['GET', '__proto__://a.test/'],
    ['CONNECT', '/'],
    ['CONNECT', '*'],
  ])('%s %s is none', (method, target) => {
    expect(parseTarget(method, target, null)).toBeNull();
  });
});
