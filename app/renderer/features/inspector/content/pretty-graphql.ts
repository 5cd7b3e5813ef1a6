import { prettyJson } from './pretty-json.ts';

const INDENT = '  ';

/** Whether a JSON text is a GraphQL request, or a batch of them; by its beginning. */
export function looksLikeGraphql(text: string): boolean {
  return /^\s*\[?\s*\{[\s\S]*?"query"\s*:\s*"\s*(?:#|\{|query\b|mutation\b|subscription\b|fragment\b|\\n|\\r|\\t| )/.test(
    text.slice(0, 512),
  );
}

/**
 * A GraphQL request (GraphQL over HTTP §5) for reading: its documents laid out, then variables as JSON.
 * @returns null when it is no such request
 */
export function graphqlText(json: string): string | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return null;
  }
  const parts: string[] = [];
  for (const request of Array.isArray(parsed) ? parsed : [parsed]) {
    if (typeof request !== 'object' || request === null) return null;
    const { query, operationName, variables, extensions } = request as Readonly<Record<string, unknown>>;
    if (typeof query !== 'string') return null;
    if (typeof operationName === 'string') parts.push(`# operation: ${operationName}`);
    parts.push(prettyGraphql(query));
    if (variables !== undefined && variables !== null)
      parts.push('', '# variables', prettyJson(JSON.stringify(variables)));
    if (extensions !== undefined && extensions !== null) {
      parts.push('', '# extensions', prettyJson(JSON.stringify(extensions)));
    }
    parts.push('');
  }
  return parts.join('\n').trimEnd();
}

const TOKEN =
  /"""[\s\S]*?(?:"""|$)|"(?:\\.|[^"\\\n])*"?|#[^\n]*|\.\.\.|[A-Za-z_]\w*|-?\d[\w.+-]*|[{}()[\]:=!|&$@,]|\s+|[\s\S]/g;

/** Lays out a GraphQL document (September 2025, §2.1): a field a line, arguments on the line of their field. */
export function prettyGraphql(document: string): string {
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  let parentheses = 0;
  let before = '';
  const flush = (): void => {
    if (line.trim() !== '') lines.push(INDENT.repeat(depth) + line.trim());
    line = '';
  };
  for (const [token] of document.matchAll(TOKEN)) {
    if (/^\s|^,$/.test(token)) {
      if (token === ',' && parentheses > 0) line += ',';
      continue;
    }
    if (parentheses === 0 && token === '{') {
      line = line.trim() === '' ? '{' : `${line.trim()} {`;
      flush();
      depth += 1;
    } else if (parentheses === 0 && token === '}') {
      flush();
      depth = Math.max(0, depth - 1);
      line = '}';
      flush();
      if (depth === 0) lines.push('');
    } else if (token.startsWith('#')) {
      flush();
      line = token;
      flush();
    } else {
      if (parentheses === 0 && depth > 0 && startsField(before, token)) flush();
      line += spaceBetween(before, token) + token;
      if (token === '(' || token === '[' || (token === '{' && parentheses > 0)) parentheses += 1;
      if (token === ')' || token === ']' || (token === '}' && parentheses > 0)) parentheses -= 1;
    }
    before = token;
  }
  flush();
  return lines.join('\n').trimEnd();
}

/** A name or a spread begins the next field unless it belongs to what stands before it: an alias, a directive, `on`. */
function startsField(before: string, token: string): boolean {
  if (token === '...') return true;
  if (!/^[A-Za-z_]/.test(token)) return false;
  if (before === '...' || before === ':' || before === '@' || before === '$' || before === 'on') return false;
  return !(token === 'on' && before === '...');
}

function spaceBetween(before: string, token: string): string {
  if (before === '' || before === '(' || before === '[' || before === '$' || before === '@' || before === '...') {
    return before === '...' && token === 'on' ? ' ' : '';
  }
  if (/^[)\]:!,(]$/.test(token)) return '';
  return ' ';
}
