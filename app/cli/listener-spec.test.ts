import { describe, expect, test } from 'vitest';
import { parseAddress, parseListenerSpec, planListeners } from './listener-spec.ts';
import { UsageError } from './usage.ts';

describe('an address', () => {
  test.each([
    ['127.0.0.1:8080', '127.0.0.1', 8080],
    ['localhost:0', 'localhost', 0],
    ['[::1]:443', '::1', 443],
    [':9000', '127.0.0.1', 9000],
    ['9000', '127.0.0.1', 9000],
    ['bücher.example:1', 'xn--bcher-kva.example', 1],
  ])('%s is understood', (text, host, port) => {
    expect(parseAddress('--listen', text)).toEqual({ host, port });
  });

  test.each(['', 'localhost', 'localhost:', 'localhost:65536', '::1:80', '[::1]', '[example]:80', 'a b:80', 'x:-1'])(
    '%j is refused with the option’s name',
    (text) => {
      expect(() => parseAddress('--listen', text)).toThrow(UsageError);
      expect(() => parseAddress('--listen', text)).toThrow(/--listen/);
    },
  );
});

describe('a mode', () => {
  test.each([
    ['proxy', { kind: 'proxy' }, null],
    ['proxy@8080', { kind: 'proxy' }, { host: '127.0.0.1', port: 8080 }],
    ['proxy@0.0.0.0:8080', { kind: 'proxy' }, { host: '0.0.0.0', port: 8080 }],
    [
      'reverse:https://example.com',
      { kind: 'reverse', scheme: 'https', host: 'example.com', port: 443, basePath: '' },
      null,
    ],
    [
      'reverse:http://127.0.0.1:3000/api/@[::1]:0',
      { kind: 'reverse', scheme: 'http', host: '127.0.0.1', port: 3000, basePath: '/api' },
      { host: '::1', port: 0 },
    ],
    [
      'reverse:http://[::1]:3000@9',
      { kind: 'reverse', scheme: 'http', host: '::1', port: 3000, basePath: '' },
      { host: '127.0.0.1', port: 9 },
    ],
    [
      'reverse:h2c://Example.com:8080/api@:7',
      { kind: 'reverse', scheme: 'h2c', host: 'example.com', port: 8080, basePath: '/api' },
      { host: '127.0.0.1', port: 7 },
    ],
    ['tcp:localhost:5432', { kind: 'tcp', host: 'localhost', port: 5432 }, null],
    ['udp:localhost:53', { kind: 'udp', host: 'localhost', port: 53 }, null],
    ['tcp:[::1]:5432@:0', { kind: 'tcp', host: '::1', port: 5432 }, { host: '127.0.0.1', port: 0 }],
  ])('%s is understood', (text, mode, address) => {
    expect(parseListenerSpec(text)).toEqual({ mode, address });
  });

  test.each([
    ['', /unknown/],
    ['prxy', /unknown/],
    ['proxy:x', /no target/],
    ['reverse:', /URL must follow/],
    ['reverse:example.com', /URL must follow/],
    ['reverse:ftp://example.com', /URL must follow/],
    ['reverse:http://user@example.com:80/x', /user name/],
    ['reverse:http://example.com/?q=1', /end with its path/],
    ['reverse:h2c://', /URL must follow/],
    ['tcp:localhost', /HOST:PORT/],
    ['tcp:localhost:0', /1 to 65535/],
    ['udp:localhost', /HOST:PORT must follow/],
    ['invisible', /not in this version/],
    ['proxy@nowhere', /what follows the @/],
    ['proxy@127.0.0.1:99999', /what follows the @/],
  ])('%j is refused, and the message says why', (text, reason) => {
    expect(() => parseListenerSpec(text)).toThrow(UsageError);
    expect(() => parseListenerSpec(text)).toThrow(reason);
  });
});

describe('a plan of listeners', () => {
  const proxy = { kind: 'proxy' };
  const tcp = { kind: 'tcp', host: 'localhost', port: 1 };

  test('is a proxy on the default address when nothing is said', () => {
    expect(planListeners([], [])).toEqual([{ mode: proxy, host: '127.0.0.1', port: 8686 }]);
  });

  test('makes every --listen a proxy', () => {
    expect(planListeners(['127.0.0.1:1', '127.0.0.1:2'], [])).toMatchObject([
      { mode: proxy, port: 1 },
      { mode: proxy, port: 2 },
    ]);
  });

  test('gives a mode without an address the next --listen, in order', () => {
    expect(planListeners([':1', ':2'], ['tcp:localhost:1', 'proxy'])).toMatchObject([
      { mode: tcp, port: 1 },
      { mode: proxy, port: 2 },
    ]);
  });

  test('gives a single mode all of them', () => {
    expect(planListeners([':1', ':2'], ['tcp:localhost:1'])).toMatchObject([
      { mode: tcp, port: 1 },
      { mode: tcp, port: 2 },
    ]);
  });

  test('gives a mode the default address when no --listen stands there', () => {
    expect(planListeners([], ['tcp:localhost:1'])).toMatchObject([{ mode: tcp, port: 8686 }]);
  });

  test('uses one --listen on port 0 for as many modes as need one', () => {
    expect(planListeners([':0'], ['tcp:localhost:1', 'proxy', 'proxy@5'])).toMatchObject([
      { mode: tcp, port: 0 },
      { mode: proxy, port: 0 },
      { mode: proxy, port: 5 },
    ]);
  });

  test('keeps a --listen that no mode took as a proxy', () => {
    expect(planListeners([':1'], ['tcp:localhost:1@2'])).toMatchObject([
      { mode: proxy, port: 1 },
      { mode: tcp, port: 2 },
    ]);
  });

  test('has no default listener when every mode brings its own address', () => {
    expect(planListeners([], ['tcp:localhost:1@2'])).toMatchObject([{ mode: tcp, port: 2 }]);
  });

  test('refuses modes that are left without an address', () => {
    expect(() => planListeners([':1'], ['proxy', 'tcp:localhost:1'])).toThrow(/no address/);
  });
});
