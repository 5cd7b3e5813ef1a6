import type { HeaderField, ProtocolName } from '#contract';

/** What a request asks for, as far as its head says it. */
export interface Place {
  readonly method: string;
  readonly target: string;
  readonly scheme: string;
  readonly authority: string;
}

/** The head of a request, as it would have been on the wire. Pseudo-fields among the fields are kept. */
export function requestHead(protocol: ProtocolName, place: Place, fields: readonly HeaderField[]): Buffer {
  const plain = fields.filter(([name]) => !name.startsWith(':'));
  if (protocol === 'h2' || protocol === 'h2c') {
    const pseudo = fields.filter(([name]) => name.startsWith(':'));
    const made: readonly HeaderField[] = [
      [':method', place.method],
      [':scheme', place.scheme],
      [':authority', place.authority],
      [':path', place.target],
    ];
    return headBytes('', [...(pseudo.length > 0 ? pseudo : made), ...plain]);
  }
  return headBytes(`${place.method} ${place.target} ${protocol.toUpperCase()}`, plain);
}

/** The head of a response, as it would have been on the wire. */
export function responseHead(
  protocol: ProtocolName,
  status: number,
  reason: string,
  fields: readonly HeaderField[],
): Buffer {
  const plain = fields.filter(([name]) => !name.startsWith(':'));
  if (protocol === 'h2' || protocol === 'h2c') return headBytes('', [[':status', String(status)], ...plain]);
  const words = reason.replaceAll(/[\r\n\0]+/g, ' ');
  return headBytes(`${protocol.toUpperCase()} ${String(status)} ${words}`.trimEnd(), plain);
}

export function headBytes(startLine: string, fields: readonly HeaderField[]): Buffer {
  return bytesOf(`${startLine === '' ? '' : `${startLine}\r\n`}${linesOf(fields)}\r\n`);
}

export function linesOf(fields: readonly HeaderField[]): string {
  return fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
}

/** Heads hold bytes as latin1; programs that decoded them as UTF-8 wrote characters beyond it. */
export function bytesOf(text: string): Buffer {
  return Buffer.from(text, /[^\0-\xff]/.test(text) ? 'utf8' : 'latin1');
}

/** HTTP/3 has no leg of its own here and is shown as HTTP/2, whose fields it has. */
export function protocolOf(request: string, response: string, scheme: string, isRelay: boolean): ProtocolName {
  if (isRelay) return scheme === 'udp' ? 'udp' : scheme === 'tls' ? 'tls' : 'tcp';
  const version = (request === '' || request === 'unknown' ? response : request).toLowerCase();
  if (/^(?:http\/)?(?:h?[23])(?:\.0|-\d+)?$/.test(version)) return scheme === 'http' ? 'h2c' : 'h2';
  return version === 'http/1.0' ? 'http/1.0' : 'http/1.1';
}
