const INDENT = '  ';
/** A script whose lines are shorter than this on average was laid out by a person, characters. */
const MINIFIED_LINE = 200;

/** Behind these a slash begins a pattern; behind anything else it divides. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+\-*%~^<>]|\b(?:return|typeof|case|in|of|delete|void|throw|new|do|else))$/;
const TOKEN =
  /"(?:\\[\s\S]|[^"\\\n])*"?|'(?:\\[\s\S]|[^'\\\n])*'?|`(?:\\[\s\S]|[^`\\])*`?|\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*|[\w$\u0080-\uffff]+|\s+|[\s\S]/g;
const PATTERN = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;

/**
 * Gives the statements and blocks of a minified script their lines. No token is changed, and white space is put only where
 * tokens meet; it is for reading, not for running. A script with lines stays as its author laid it out.
 */
export function prettyScript(script: string): string {
  if (script.length / script.split('\n').length < MINIFIED_LINE) return script;
  const out: string[] = [];
  /** `{` of blocks and objects, `(` and `[` within which nothing breaks. */
  const open: string[] = [];
  let atLineStart = true;
  let before = '';

  const newLine = (): void => {
    if (atLineStart) return;
    out.push('\n', INDENT.repeat(open.filter((bracket) => bracket === '{').length));
    atLineStart = true;
  };
  const put = (token: string): void => {
    out.push(token);
    atLineStart = false;
    before = token;
  };

  for (const token of tokensOf(script)) {
    if (/^\s/.test(token)) {
      if (token.includes('\n') && !insideBrackets(open)) newLine();
      else if (!atLineStart) out.push(' ');
    } else if (token === '{') {
      put(/[\w$)>"'`]$/.test(before) ? ' {' : '{');
      open.push('{');
      newLine();
    } else if (token === '}') {
      if (open.at(-1) === '{') open.pop();
      if (atLineStart) out[out.length - 1] = INDENT.repeat(open.filter((bracket) => bracket === '{').length);
      else newLine();
      put('}');
    } else if (token === ';') {
      put(';');
      if (!insideBrackets(open)) newLine();
    } else if (token === '(' || token === '[') {
      put(token);
      open.push(token);
    } else if (token === ')' || token === ']') {
      if (open.at(-1) !== '{') open.pop();
      put(token);
    } else if (token === ',' && open.at(-1) === '{') {
      put(',');
      newLine();
    } else {
      if (before === '}' && /^[\w$"'`]/.test(token) && !/^(?:else|catch|finally|while|of|in|from|as)$/.test(token))
        newLine();
      else if (before === '}' && /^\w/.test(token)) out.push(' ');
      put(token);
      if (token.startsWith('//')) newLine();
    }
  }
  return out.join('').replaceAll(/[ \t]+$/gm, '');
}

function insideBrackets(open: readonly string[]): boolean {
  return open.length > 0 && open.at(-1) !== '{';
}

function* tokensOf(script: string): Generator<string> {
  let before = '';
  for (let at = 0; at < script.length;) {
    const pattern = script[at] === '/' && !/^\/[/*]/.test(script.slice(at, at + 2)) && BEFORE_PATTERN.test(before);
    const matcher = pattern ? PATTERN : TOKEN;
    matcher.lastIndex = at;
    const token = matcher.exec(script)?.[0] ?? script.charAt(at);
    yield token;
    at += token.length;
    if (!/^\s/.test(token)) before = (before + token).slice(-12);
  }
}
