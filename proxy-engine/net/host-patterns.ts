import { BlockList, isIP } from 'node:net';
import { canonicalAddress } from './addresses.ts';

/** Says whether a host is meant. */
export type HostMatcher = (host: string, port: number) => boolean;

/**
 * Compiles a list of hosts as the variable NO_PROXY has them.
 *
 * @param patterns `example.com` and `.example.com` (the name and every one below it), `*.example.com` (those below it), an
 *   address, a range `10.0.0.0/8`, each but the range also with `:port`; `*` is every host
 */
export function compileHostPatterns(patterns: readonly string[]): HostMatcher {
  const matchers = patterns.map((pattern) => compile(pattern.trim().toLowerCase()));
  return (host, port) => matchers.some((matches) => matches(host, port));
}

function compile(pattern: string): HostMatcher {
  if (pattern === '*') return () => true;
  const range = /^(.+)\/(\d{1,3})$/.exec(pattern);
  if (range !== null) return compileRange(range[1] ?? '', Number(range[2]));
  const [, bracketed, plain, portText] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d{1,5}))?$/.exec(pattern) ?? [];
  const wanted = bracketed ?? plain ?? pattern;
  const wantedPort = portText === undefined ? null : Number(portText);
  const isMeant = isIP(wanted) === 0 ? compileName(wanted) : compileAddress(wanted);
  return (host, port) => (wantedPort === null || wantedPort === port) && isMeant(host);
}

function compileName(wanted: string): (host: string) => boolean {
  if (wanted.startsWith('*.')) return (host) => host.endsWith(wanted.slice(1));
  const name = wanted.replace(/^\./, '');
  return (host) => host === name || host.endsWith(`.${name}`);
}

function compileAddress(wanted: string): (host: string) => boolean {
  const address = canonicalAddress(wanted);
  return (host) => isIP(host) !== 0 && canonicalAddress(host) === address;
}

function compileRange(network: string, bits: number): HostMatcher {
  const family = isIP(network);
  if (family === 0 || bits > (family === 4 ? 32 : 128)) return () => false;
  const list = new BlockList();
  list.addSubnet(network, bits, family === 4 ? 'ipv4' : 'ipv6');
  return (host) => {
    const address = isIP(host) === 0 ? '' : canonicalAddress(host);
    return address !== '' && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  };
}
