import { delimiter } from 'node:path';
import { describe, expect, test } from 'vitest';
import { terminalEnvironment } from './terminal-environment.ts';

const TRUST = {
  authority: '/data/trust/authority.pem',
  bundle: '/data/trust/bundle.pem',
  javaTrustStore: '/data/trust/java.p12',
  wgetConfiguration: '/data/trust/wgetrc',
  phpConfiguration: '/data/trust/php',
};
const PROXY = { host: '127.0.0.1', port: 8686 };
const variables = (present: Record<string, string> = {}) => terminalEnvironment(PROXY, TRUST, present);

test('every variable that users expect is set', () => {
  const names = [
    ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'WS_PROXY', 'WSS_PROXY', 'NO_PROXY', 'NODE_EXTRA_CA_CERTS'],
    ...['NODE_USE_ENV_PROXY', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'GIT_SSL_CAINFO'],
    ...['CARGO_HTTP_CAINFO', 'DENO_CERT', 'AWS_CA_BUNDLE', 'PERL_LWP_SSL_CA_FILE', 'GLOBAL_AGENT_HTTP_PROXY', 'WGETRC'],
    ...[
      'JAVA_TOOL_OPTIONS',
      'PHP_INI_SCAN_DIR',
      'http_proxy',
      'https_proxy',
      'all_proxy',
      'ws_proxy',
      'wss_proxy',
      'no_proxy',
    ],
  ];
  expect(Object.keys(variables()).sort()).toEqual(names.sort());
});

test('loopback goes through the proxy as well', () => {
  expect(variables()).toMatchObject({ NO_PROXY: '', no_proxy: '' });
});

test('variables that replace a trust store name the bundle, those that add to one name our authority', () => {
  expect(variables()).toMatchObject({
    SSL_CERT_FILE: TRUST.bundle,
    REQUESTS_CA_BUNDLE: TRUST.bundle,
    NODE_EXTRA_CA_CERTS: TRUST.authority,
    DENO_CERT: TRUST.authority,
  });
});

test('an IPv6 listener stands in brackets', () => {
  expect(terminalEnvironment({ host: '::1', port: 1 }, TRUST, {})['HTTPS_PROXY']).toBe('http://[::1]:1');
});

test('credentials of the proxy stand in its URL, written so that it stays one', () => {
  const credentials = { user: 'ada', password: 'p:w@/' };
  expect(terminalEnvironment({ ...PROXY, credentials }, TRUST, {})['HTTP_PROXY']).toBe(
    'http://ada:p%3Aw%40%2F@127.0.0.1:8686',
  );
});

test('PHP reads its own settings, those of the user, and ours', () => {
  expect(variables()['PHP_INI_SCAN_DIR']).toBe(`${delimiter}/data/trust/php`);
  const users = variables({ PHP_INI_SCAN_DIR: '/mine' });
  expect(users['PHP_INI_SCAN_DIR']).toBe(`/mine${delimiter}/data/trust/php`);
  expect(variables({ ...users })['PHP_INI_SCAN_DIR']).toBe(users['PHP_INI_SCAN_DIR']);
});

describe('options for Java', () => {
  test('name proxy and trust store', () => {
    expect(variables()['JAVA_TOOL_OPTIONS']).toContain('-Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=8686');
    expect(variables()['JAVA_TOOL_OPTIONS']).toContain('-Djavax.net.ssl.trustStore=/data/trust/java.p12');
  });

  test('come after those of the user', () => {
    expect(variables({ JAVA_TOOL_OPTIONS: '-Xmx64m' })['JAVA_TOOL_OPTIONS']).toMatch(/^-Xmx64m -Dhttp\.proxyHost=/);
  });

  test('are not repeated in a shell that was started through Weir', () => {
    const once = variables({ JAVA_TOOL_OPTIONS: '-Xmx64m' });
    expect(variables({ ...once })['JAVA_TOOL_OPTIONS']).toBe(once['JAVA_TOOL_OPTIONS']);
  });

  test('are quoted where a path has spaces', () => {
    const trust = { ...TRUST, javaTrustStore: '/my data/java.p12' };
    const options = terminalEnvironment(PROXY, trust, {})['JAVA_TOOL_OPTIONS'];
    expect(options).toContain('"-Djavax.net.ssl.trustStore=/my data/java.p12"');
  });
});
