import { HTTPSnippet } from '@readme/httpsnippet';
import type { SnippetSource } from './snippets.ts';
import { sentFields } from './snippets.ts';
import { urlOf } from './copying.ts';

/**
 * Languages whose code the library writes so that no captured text can leave its string. Its other ones are not offered:
 * there a captured `${…}`, `#{…}`, quote or backslash becomes a part of the program that a person pastes.
 */
const CODE_LANGUAGES = { python: 'requests', go: 'native', java: 'nethttp' } as const;

/** Stands for the URL, which the library would take apart and write anew. */
const PLACE = 'http://place.invalid/';

export type CodeLanguage = keyof typeof CODE_LANGUAGES;

/**
 * The request as a program. Fields of one name become one, as RFC 9110 §5.3 allows.
 * @throws Error when the body is no text, or the code cannot be written
 */
export function codeSnippet(language: CodeLanguage, source: SnippetSource): string {
  const { summary, request, body } = source;
  if (body === null) throw new Error('The body is no text. Export the exchange as cURL instead: it names a file.');
  const snippet = new HTTPSnippet({
    method: summary.method,
    url: PLACE,
    httpVersion: 'HTTP/1.1',
    cookies: [],
    queryString: [],
    headers: [...joined(sentFields(request.headers))].map(([name, value]) => ({ name, value })),
    // Any other type would be taken apart and written anew; the field of that name says the real one.
    postData: { mimeType: 'text/plain', text: body },
    headersSize: -1,
    bodySize: -1,
  });
  const [code] = snippet.convert(language, CODE_LANGUAGES[language]) || [];
  if (typeof code !== 'string') throw new Error('This request cannot be written in that language.');
  const sent = language === 'python' ? sentByPython(code, body !== '') : language === 'java' ? inAscii(code) : code;
  const url = safeUrl(urlOf(summary));
  return sent.replace(PLACE, () => url);
}

/** Compilers read a source in whatever encoding the system has; escapes are read alike everywhere (JLS §3.3). */
function inAscii(code: string): string {
  return code.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const SENT = ', data=payload';

/** A text would be sent as Latin-1, and an empty one is no body. */
function sentByPython(code: string, hasBody: boolean): string {
  // The last of them: a captured text may hold the same words.
  const at = code.lastIndexOf(SENT);
  const sent = `${code.slice(0, at)}${hasBody ? `${SENT}.encode()` : ''}${code.slice(at + SENT.length)}`;
  return hasBody ? sent : sent.replace('payload = ""\n', '').replace('\n\n\n', '\n\n');
}

/** What a target may hold beyond RFC 3986 is encoded: a URL stands between quotes there. */
function safeUrl(url: string): string {
  return url.toWellFormed().replaceAll(/[^!#-&(-[\]_a-z~]/gu, (character) => encodeURIComponent(character));
}

function joined(fields: ReturnType<typeof sentFields>): ReadonlyMap<string, string> {
  const values = new Map<string, [name: string, value: string]>();
  for (const [name, value] of fields) {
    const key = name.toLowerCase();
    const before = values.get(key);
    const between = key === 'cookie' ? '; ' : ', ';
    values.set(key, before === undefined ? [name, value] : [before[0], before[1] + between + value]);
  }
  return new Map(values.values());
}
