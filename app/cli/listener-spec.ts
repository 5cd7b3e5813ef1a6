import { domainToASCII } from 'node:url';
import { isIP } from 'node:net';
import type { ListenerConfig, ListenerMode } from '#contract';
import { DEFAULT_LISTENER } from '../backend/default-addresses.ts';
import { UsageError } from './usage.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `SPEC` of the command line: a mode, and its own address when it names one. */
export interface ListenerSpec {
  readonly mode: ListenerMode;
  readonly address: Address | null;
}

const SPEC_HELP = 'A mode is proxy, reverse:URL, tcp:HOST:PORT or udp:HOST:PORT, with an optional @[HOST:]PORT.';

/**
 * Parses `HOST:PORT`; an IPv6 address stands in brackets, a lone `PORT` or `:PORT` is one of 127.0.0.1.
 *
 * @param option whose value it is, for messages
 * @throws UsageError
 */
export function parseAddress(option: string, text: string): Address {
  const match = /^(?:(\[[^\]]*\]|[^:[\]@/]*):)?(\d{1,5})$/.exec(text);
  const port = Number(match?.[2] ?? Number.NaN);
  if (match === null || port > 65_535) {
    throw new UsageError(`${option} wants HOST:PORT with a port up to 65535, not ${JSON.stringify(text)}.`);
  }
  const host = match[1] ?? '';
  return { host: host === '' ? DEFAULT_LISTENER.host : parseHost(option, host), port };
}

/**
 * Parses one `SPEC`.
 *
 * @throws UsageError that points out what is wrong
 */
export function parseListenerSpec(text: string): ListenerSpec {
  const at = /@((?:\[[^\]]*\]:|[^:@/[\]]*:)?[^:@/[\]]*)$/.exec(text);
  const address = at?.[1] === undefined ? null : parseAddress(`--mode ${text}: what follows the @`, at[1]);
  return { mode: parseMode(at === null ? text : text.slice(0, at.index)), address };
}

/**
 * Pairs modes with addresses. A mode without an own address takes the next `--listen`; a single one takes all of them; a
 * `--listen` on port 0 serves as many modes as need one. What is left of `--listen` is a proxy.
 *
 * @throws UsageError when modes are left without an address
 */
export function planListeners(listens: readonly string[], modes: readonly string[]): ListenerConfig[] {
  const addresses = listens.map((text) => parseAddress('--listen', text));
  const specs = modes.map(parseListenerSpec);
  const proxy: ListenerMode = { kind: 'proxy' };
  if (specs.length === 0) {
    return addresses.length === 0 ? [DEFAULT_LISTENER] : addresses.map((address) => ({ mode: proxy, ...address }));
  }
  const waiting = specs.filter(({ address }) => address === null);
  const [first] = waiting;
  if (first !== undefined && waiting.length === 1 && specs.length === 1 && addresses.length > 1) {
    return addresses.map((address) => ({ mode: first.mode, ...address }));
  }
  const free = addresses.length === 0 && waiting.length > 0 ? [addressOf(DEFAULT_LISTENER)] : [...addresses];
  const [only] = free;
  const shared = free.length === 1 && only?.port === 0 ? only : null;
  const listeners = specs.map(({ mode, address }, index): ListenerConfig => {
    const own = address ?? free.shift() ?? shared;
    if (own === null) {
      throw new UsageError(`--mode ${modes[index] ?? ''} has no address: add @PORT to it, or another --listen.`);
    }
    return { mode, ...own };
  });
  return [...free.map((address) => ({ mode: proxy, ...address })), ...listeners];
}

function addressOf({ host, port }: ListenerConfig): Address {
  return { host, port };
}

function parseMode(text: string): ListenerMode {
  const [, kind = text, rest] = /^([a-z0-9-]+):(.*)$/s.exec(text) ?? [];
  switch (kind) {
    case 'proxy':
      if (rest !== undefined)
        throw new UsageError(`--mode proxy takes no target, but ${JSON.stringify(rest)} follows it.`);
      return { kind: 'proxy' };
    case 'reverse':
      return parseReverse(rest ?? '');
    case 'tcp':
    case 'udp':
      return parseRelay(kind, rest ?? '');
    case 'invisible':
      throw new UsageError(`--mode ${kind} is not in this version yet. ${SPEC_HELP}`);
    default:
      throw new UsageError(`--mode ${JSON.stringify(text)} is unknown. ${SPEC_HELP}`);
  }
}

function parseReverse(text: string): ListenerMode {
  const wrong = (problem: string): UsageError =>
    new UsageError(`--mode reverse:${text}: ${problem} Write it like reverse:https://example.com.`);
  // To the URL parser h2c is a scheme of its own kind, with other rules for hosts: it is read as http.
  const isH2c = /^h2c:\/\//i.test(text);
  const httpText = isH2c ? `http${text.slice('h2c'.length)}` : text;
  const url = URL.canParse(httpText) ? new URL(httpText) : null;
  const usual = url?.protocol === 'http:' ? 'http' : 'https';
  if (url === null || url.protocol !== `${usual}:` || url.hostname === '')
    throw wrong('an http, https or h2c URL must follow.');
  if (url.username !== '' || url.password !== '') throw wrong('a user name is not possible in it.');
  if (url.search !== '' || url.hash !== '') throw wrong('it must end with its path.');
  const port = url.port === '' ? (usual === 'https' ? 443 : 80) : Number(url.port);
  if (port === 0) throw wrong('0 is no port.');
  return {
    kind: 'reverse',
    scheme: isH2c ? 'h2c' : usual,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    basePath: url.pathname === '/' ? '' : url.pathname.replace(/\/$/, ''),
  };
}

function parseRelay(kind: 'tcp' | 'udp', text: string): ListenerMode {
  const match = /^(\[[^\]]+\]|[^:[\]@/]+):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2] ?? Number.NaN);
  if (match?.[1] === undefined || !(port >= 1 && port <= 65_535)) {
    throw new UsageError(`--mode ${kind}:${text}: HOST:PORT must follow, with a port from 1 to 65535.`);
  }
  return { kind, host: parseHost(`--mode ${kind}:${text}`, match[1]), port };
}

/** @returns the host without brackets, in ASCII */
function parseHost(option: string, text: string): string {
  const bare = /^\[(.*)\]$/.exec(text)?.[1];
  if (bare !== undefined) {
    if (isIP(bare) === 6) return bare;
    throw new UsageError(`${option}: ${JSON.stringify(bare)} in brackets is no IPv6 address.`);
  }
  const ascii = domainToASCII(text);
  if (ascii === '') throw new UsageError(`${option}: ${JSON.stringify(text)} is no host name.`);
  return ascii;
}
