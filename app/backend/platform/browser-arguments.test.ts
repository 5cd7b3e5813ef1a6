import { describe, expect, test } from 'vitest';
import { browserArguments, isHeadless, type BrowserLaunch } from './browser-arguments.ts';

const LAUNCH: BrowserLaunch = {
  profile: '/tmp/profile',
  proxy: { host: '127.0.0.1', port: 8686 },
  authorityKeyHash: 'aGFzaA==',
  url: 'https://example.com/',
  asRoot: false,
  environment: {},
};

describe('a fresh browser', () => {
  test('goes through the proxy, loopback included, and trusts the authority in a profile of its own', () => {
    const args = browserArguments(LAUNCH);
    expect(args).toEqual(
      expect.arrayContaining([
        '--user-data-dir=/tmp/profile',
        '--proxy-server=http://127.0.0.1:8686',
        '--proxy-bypass-list=<-loopback>',
        '--ignore-certificate-errors-spki-list=aGFzaA==',
        '--disable-quic',
      ]),
    );
    expect(args.at(-1)).toBe('https://example.com/');
  });

  test('reaches an IPv6 listener', () => {
    expect(browserArguments({ ...LAUNCH, proxy: { host: '::1', port: 1 } })).toContain('--proxy-server=http://[::1]:1');
  });

  test('leaves its sandbox only as root', () => {
    expect(browserArguments(LAUNCH)).not.toContain('--no-sandbox');
    expect(browserArguments({ ...LAUNCH, asRoot: true })).toContain('--no-sandbox');
  });

  test('begins empty without a page', () => {
    expect(browserArguments({ ...LAUNCH, url: null }).at(-1)).toBe('about:blank');
  });

  test('gets the user’s arguments, quoted parts whole', () => {
    const environment = { WEIR_BROWSER_ARGS: `--headless=new --window-name="a b" '--user-agent=c d'` };
    const args = browserArguments({ ...LAUNCH, environment });
    expect(args.slice(-4, -1)).toEqual(['--headless=new', '--window-name=a b', '--user-agent=c d']);
    expect(isHeadless(environment)).toBe(true);
    expect(isHeadless({ WEIR_BROWSER_ARGS: '--headless-not' })).toBe(false);
    expect(isHeadless({})).toBe(false);
  });
});
