import type { RequestHead } from '../protocol/http1/index.ts';

/** What an exchange has to know of its request's head. */
export type ExchangeHead = Pick<
  RequestHead,
  'bytes' | 'method' | 'target' | 'minorVersion' | 'keepAlive' | 'anomalies' | 'upgrade' | 'get'
> & {
  /** By HTTP/2 only: the body has no declared length, so that HTTP/1 gets it in chunks. */
  readonly isChunked?: boolean;
};

/**
 * Stands for a request whose head was refused or never became complete: its bytes, and as much of its request line as can
 * be told. Its framing is unknown, so nothing may follow it on the connection.
 */
export function brokenHead(bytes: Buffer): ExchangeHead {
  const end = bytes.indexOf('\n');
  const line = bytes.toString('latin1', 0, Math.min(end === -1 ? bytes.length : end, LONGEST_SHOWN)).trimEnd();
  const [method = '', target = ''] = line.split(' ');
  return {
    bytes: Buffer.from(bytes),
    minorVersion: 1,
    keepAlive: false,
    anomalies: [],
    method: /^[\w!#$%&'*+.^`|~-]{1,64}$/.test(method) ? method : '',
    target,
    upgrade: null,
    get: () => null,
  };
}

const LONGEST_SHOWN = 2_048;
