import { MAX_WINDOW_BYTES } from '#contract';
import type { ExchangeId, ExchangeSummary, MessageDetail, MessageSide } from '#contract';
import type { Backend } from './connection.svelte.ts';

/** Longest body that goes to the clipboard, bytes; larger ones are for saving to a file. */
const MOST_COPIED_BYTES = 8 * 1_048_576;

/** The address of an exchange as a person writes it; `host:port` for tunnels and relays. */
export function urlOf({ scheme, host, port, path, kind }: ExchangeSummary): string {
  const name = host.includes(':') ? `[${host}]` : host;
  if (scheme !== 'http' && scheme !== 'https') return `${name}:${String(port)}`;
  const plainPort = port === (scheme === 'https' ? 443 : 80);
  const shownScheme = kind === 'websocket' ? scheme.replace('http', 'ws') : scheme;
  return `${shownScheme}://${name}${plainPort ? '' : `:${String(port)}`}${path}`;
}

/** Start line (HTTP/2 has none) and fields as on the wire, one a line. */
export function headText({ startLine, headers }: Pick<MessageDetail, 'startLine' | 'headers'>): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return (startLine === '' ? lines : [startLine, ...lines]).join('\n');
}

/**
 * The decoded body as text.
 * @throws ContractError
 * @throws Error when it is longer than 8 MB, which is for saving to a file
 */
export async function bodyText(backend: Backend, id: ExchangeId, side: MessageSide): Promise<string> {
  const { request, response } = await backend.call('exchanges.get', { id });
  const charset = (side === 'request' ? request : response)?.charset ?? 'utf-8';
  const decoder = textDecoder(charset);
  let text = '';
  for (let offset = 0; ;) {
    const { bytes, totalBytes } = await backend.call('exchanges.readBody', {
      id,
      side,
      form: 'decoded',
      offset,
      length: MAX_WINDOW_BYTES,
    });
    offset += bytes.length;
    if (Math.max(offset, totalBytes ?? 0) > MOST_COPIED_BYTES) {
      throw new Error('The body is longer than 8 MB. Save it to a file instead.');
    }
    const ended = bytes.length === 0 || offset === totalBytes;
    text += decoder.decode(bytes, { stream: !ended });
    if (ended) return text;
  }
}

function textDecoder(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
