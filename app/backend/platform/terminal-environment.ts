import { delimiter } from 'node:path';
import type { Environment } from './browser.ts';
import { JAVA_TRUST_PASSWORD, type TrustFiles } from './trust-files.ts';

/** Where programs shall send their traffic. */
export interface ProxyAddress {
  readonly host: string;
  readonly port: number;
  /** What the proxy asks its clients for; null or absent where it asks for nothing. */
  readonly credentials?: { readonly user: string; readonly password: string } | null;
}

/**
 * Environment variables that point a command-line program at Weir and make it trust our authority, beside what it
 * trusted before. Proxy variables are set in both cases, since programs disagree about it.
 *
 * `NO_PROXY` is emptied: a developer's traffic to localhost is what he wants to see, and curl, Node and Python send it
 * through the proxy only then. Go and a few others leave loopback out whatever it says.
 *
 * @param present the environment that the program would have had; options for Java and folders for PHP in it are kept
 */
export function terminalEnvironment(
  proxy: ProxyAddress,
  trust: TrustFiles,
  present: Environment,
): Readonly<Record<string, string>> {
  const host = proxy.host.includes(':') ? `[${proxy.host}]` : proxy.host;
  const { credentials = null } = proxy;
  const login =
    credentials === null ? '' : `${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.password)}@`;
  const url = `http://${login}${host}:${proxy.port}`;
  const proxies = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, WS_PROXY: url, WSS_PROXY: url, NO_PROXY: '' };
  const lowerCase = Object.fromEntries(Object.entries(proxies).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...proxies,
    ...lowerCase,
    GLOBAL_AGENT_HTTP_PROXY: url,
    NODE_USE_ENV_PROXY: '1',
    NODE_EXTRA_CA_CERTS: trust.authority,
    DENO_CERT: trust.authority,
    SSL_CERT_FILE: trust.bundle,
    REQUESTS_CA_BUNDLE: trust.bundle,
    CURL_CA_BUNDLE: trust.bundle,
    GIT_SSL_CAINFO: trust.bundle,
    CARGO_HTTP_CAINFO: trust.bundle,
    AWS_CA_BUNDLE: trust.bundle,
    PERL_LWP_SSL_CA_FILE: trust.bundle,
    WGETRC: trust.wgetConfiguration,
    PHP_INI_SCAN_DIR: phpFolders(trust, present['PHP_INI_SCAN_DIR'] ?? ''),
    JAVA_TOOL_OPTIONS: javaOptions(proxy, trust, present['JAVA_TOOL_OPTIONS'] ?? ''),
  };
}

/** An empty name stands for the folder that PHP was built with; later folders win. */
function phpFolders({ phpConfiguration }: TrustFiles, present: string): string {
  return present.endsWith(phpConfiguration) ? present : `${present}${delimiter}${phpConfiguration}`;
}

/** Java takes the last of two equal options, so those of the user stay and ours follow. */
function javaOptions(proxy: ProxyAddress, trust: TrustFiles, present: string): string {
  const options = [
    ...['http', 'https'].flatMap((scheme) => [
      `-D${scheme}.proxyHost=${proxy.host}`,
      `-D${scheme}.proxyPort=${proxy.port}`,
    ]),
    // Loopback is left out unless this is set; Java reads one list for both schemes.
    '-Dhttp.nonProxyHosts=',
    `-Djavax.net.ssl.trustStore=${trust.javaTrustStore}`,
    '-Djavax.net.ssl.trustStoreType=PKCS12',
    `-Djavax.net.ssl.trustStorePassword=${JAVA_TRUST_PASSWORD}`,
  ];
  // The virtual machine splits the variable at white space and keeps quoted parts together.
  const quoted = options.map((option) => (/\s/.test(option) ? `"${option}"` : option));
  const own = quoted.join(' ');
  // A shell that was started through Weir starts another program through Weir.
  return present.endsWith(own) ? present : `${present} ${own}`.trim();
}
