import { MAX_WINDOW_BYTES } from '#contract';
import type { ExchangeId, ExchangeSummary, MessageSide } from '#contract';
import { COPY_TEXT } from '../text/traffic.ts';
import type { CodeLanguage } from './code-snippets.ts';
import type { Backend } from './connection.svelte.ts';
import { bodyText, headText, urlOf } from './copying.ts';
import type { ActionId } from './keys.ts';
import { fetchSnippet, httpieSnippet } from './snippets.ts';
import type { SnippetSource } from './snippets.ts';

/** Commands as cURL that are copied at once at most. */
const MOST_CURL = 200;
/** Raw bytes that are copied as text at most. */
const MOST_RAW_BYTES = 8 * 1_048_576;

/** Languages by their action. */
const CODE = {
  'copy-python': 'python',
  'copy-go': 'go',
  'copy-java': 'java',
} as const satisfies Partial<Record<ActionId, CodeLanguage>>;

/** Actions that put something on the clipboard. */
export const COPIES = [
  'copy-url',
  'copy-curl',
  'copy-fetch',
  'copy-httpie',
  'copy-python',
  'copy-go',
  'copy-java',
  'copy-raw-request',
  'copy-raw-response',
  'copy-request-headers',
  'copy-response-headers',
  'copy-request-body',
  'copy-response-body',
] as const satisfies readonly ActionId[];

export type CopyAction = (typeof COPIES)[number];

/**
 * What an action copies, and what is said about it.
 * @param row the active one
 * @param chosen all that are chosen, the active one among them
 * @throws ContractError
 * @throws Error when it is too long for the clipboard
 */
export async function copyOf(
  action: CopyAction,
  backend: Backend,
  row: ExchangeSummary,
  chosen: readonly ExchangeSummary[],
): Promise<{ readonly text: string; readonly said: string }> {
  switch (action) {
    case 'copy-url':
      return { text: chosen.map(urlOf).join('\n'), said: COPY_TEXT.url };
    case 'copy-curl': {
      const commands: string[] = [];
      for (const { id } of chosen.filter(({ method }) => method !== '').slice(0, MOST_CURL)) {
        commands.push((await backend.call('exchanges.exportCurl', { id })).text);
      }
      return { text: commands.join('\n\n'), said: COPY_TEXT.curl(commands.length) };
    }
    case 'copy-fetch':
      return { text: fetchSnippet(await snippetSource(backend, row.id)), said: COPY_TEXT.fetch };
    case 'copy-httpie':
      return { text: httpieSnippet(await snippetSource(backend, row.id)), said: COPY_TEXT.httpie };
    case 'copy-python':
    case 'copy-go':
    case 'copy-java': {
      const language = CODE[action];
      // Only now, since the library behind it is larger than the list.
      const { codeSnippet } = await import('./code-snippets.ts');
      const text = codeSnippet(language, await snippetSource(backend, row.id));
      return { text, said: COPY_TEXT.code[language] };
    }
    case 'copy-raw-request':
      return { text: await rawText(backend, row.id, 'request'), said: COPY_TEXT.raw };
    case 'copy-raw-response':
      return { text: await rawText(backend, row.id, 'response'), said: COPY_TEXT.raw };
    case 'copy-request-headers':
    case 'copy-response-headers': {
      const detail = await backend.call('exchanges.get', { id: row.id });
      const message = action === 'copy-request-headers' ? detail.request : detail.response;
      return { text: message === null ? '' : headText(message), said: COPY_TEXT.headers };
    }
    case 'copy-request-body':
      return { text: await bodyText(backend, row.id, 'request'), said: COPY_TEXT.body };
    case 'copy-response-body':
      return { text: await bodyText(backend, row.id, 'response'), said: COPY_TEXT.body };
  }
}

async function snippetSource(backend: Backend, id: ExchangeId): Promise<SnippetSource> {
  const { summary, request } = await backend.call('exchanges.get', { id });
  if (request === null) throw new Error('There is no request to copy.');
  const body = summary.requestBodyBytes === 0 ? '' : await bodyText(backend, id, 'request');
  return { summary, request, body: body.includes('\0') || body.includes('\uFFFD') ? null : body };
}

/** Head and body as received, as far as they are text. */
async function rawText(backend: Backend, id: ExchangeId, side: MessageSide): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for (let offset = 0; ;) {
    const input = { id, side, as: 'received', offset, length: MAX_WINDOW_BYTES } as const;
    const { bytes, totalBytes } = await backend.call('exchanges.readRaw', input);
    offset += bytes.length;
    if (Math.max(offset, totalBytes ?? 0) > MOST_RAW_BYTES) {
      throw new Error('It is longer than 8 MB. Save the body to a file instead.');
    }
    const ended = bytes.length === 0 || offset === totalBytes;
    text += decoder.decode(bytes, { stream: !ended });
    if (ended) return text;
  }
}
