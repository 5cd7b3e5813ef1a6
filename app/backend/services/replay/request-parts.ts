import type { HeaderField } from '#contract';
import { ContractError } from '#contract';

/** Where a request goes, taken from a URL without changing how it is written. */
export interface RequestPlace {
  readonly scheme: 'http' | 'https';
  /** Lower case, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Host, and the port where the URL names another than the scheme's own. */
  readonly authority: string;
  /** Path and query as written; characters that a request line cannot carry are encoded. */
  readonly target: string;
}

const DEFAULT_PORTS = { http: 80, https: 443 } as const;

/**
 * Reads an http or https URL. The path is kept as it is written, dot segments and odd escapes included, since a replay
 * sends what was captured.
 *
 * @throws ContractError `bad-input`
 */
export function placeOf(url: string): RequestPlace {
  const match = /^(https?):\/\/([^/?#]*)([^#]*)/i.exec(url);
  const scheme = match?.[1]?.toLowerCase() === 'https' ? 'https' : 'http';
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw new ContractError('bad-input', `${JSON.stringify(url)} is no URL. Write it like https://host/path.`);
  }
  const port = parsed.port === '' ? DEFAULT_PORTS[scheme] : Number(parsed.port);
  const written = match?.[3] ?? '';
  const path = written.startsWith('/') ? written : `/${written}`;
  return {
    scheme,
    host: parsed.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    authority: parsed.host,
    target: /^[\x21-\x7e]+$/.test(path) ? path : encodeOdd(path),
  };
}

function encodeOdd(path: string): string {
  return path.replace(/[^\x21-\x7e]+/g, (run) => encodeURIComponent(run.toWellFormed()));
}

/** Value of the first field of that name; `lowerName` in lower case. */
export function valueOf(fields: readonly HeaderField[], lowerName: string): string | null {
  return fields.find(([name]) => name.toLowerCase() === lowerName)?.[1] ?? null;
}

export function without(fields: readonly HeaderField[], lowerNames: ReadonlySet<string>): readonly HeaderField[] {
  return fields.filter(([name]) => !lowerNames.has(name.toLowerCase()));
}

/** Sets a field where the first of its name stands, in the case that it has there; appends it when there is none. */
export function withField(fields: readonly HeaderField[], [name, value]: HeaderField): readonly HeaderField[] {
  const lower = name.toLowerCase();
  const at = fields.findIndex(([other]) => other.toLowerCase() === lower);
  if (at < 0) return [...fields, [name, value]];
  return fields.flatMap((field, index): HeaderField[] => {
    if (index === at) return [[field[0], value]];
    return field[0].toLowerCase() === lower ? [] : [field];
  });
}

/** Fields of one connection alone, which HTTP/2 has no place for (RFC 9113 §8.2.2). */
export const CONNECTION_FIELDS: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);
