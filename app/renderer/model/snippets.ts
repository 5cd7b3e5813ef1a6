import type { ExchangeSummary, HeaderField, MessageDetail } from '#contract';
import { urlOf } from './copying.ts';

/** A request to write down as code. */
export interface SnippetSource {
  readonly summary: ExchangeSummary;
  readonly request: MessageDetail;
  /** Decoded text of the body; empty for none, null for one that is no text. */
  readonly body: string | null;
}

/** Fields that the client makes itself, and those of the hop alone (RFC 9110 §7.6.1). */
const OWN_FIELDS = new Set([
  'host',
  'content-length',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'transfer-encoding',
  'upgrade',
  'te',
  'trailer',
  // The body stands there decoded.
  'content-encoding',
]);

/** The request as a call of the web's `fetch`. Header names that browsers forbid are written all the same. */
export function fetchSnippet({ summary, request, body }: SnippetSource): string {
  const options = [`  method: ${JSON.stringify(summary.method)},`];
  const fields = sentFields(request.headers);
  if (fields.length > 0) {
    const lines = fields.map(([name, value]) => `    [${JSON.stringify(name)}, ${JSON.stringify(value)}],`);
    options.push('  headers: [', ...lines, '  ],');
  }
  if (body === null) options.push('  // The body is no text. Save it to a file and pass its bytes here.');
  else if (body !== '') options.push(`  body: ${JSON.stringify(body)},`);
  return `await fetch(${JSON.stringify(urlOf(summary))}, {\n${options.join('\n')}\n});`;
}

/** The request as an HTTPie command for a POSIX shell. */
export function httpieSnippet({ summary, request, body }: SnippetSource): string {
  const parts = ['http', '--ignore-stdin', shellWord(summary.method), shellWord(urlOf(summary))];
  for (const [name, value] of sentFields(request.headers)) {
    // An empty field is written with a semicolon; a colon without a value would take it away.
    parts.push(shellWord(value === '' ? `${name};` : `${name}:${value}`));
  }
  if (body === null) parts.push('@body.bin');
  else if (body !== '') parts.push('--raw', shellWord(body));
  return parts.join(' ');
}

/** Fields that a client would not make by itself, in their order. */
export function sentFields(headers: readonly HeaderField[]): HeaderField[] {
  return headers.filter(([name]) => !name.startsWith(':') && !OWN_FIELDS.has(name.toLowerCase()));
}

/** A word that a POSIX shell takes as it is. */
function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
