const INDENT = '  ';

/**
 * Puts the elements of an XML text on lines of their own when it has none, as machines write it. A text that has line
 * breaks between its elements is laid out by its author and stays. Character data is never changed or moved.
 */
export function prettyXml(xml: string): string {
  if (/>\s*\n\s*</.test(xml)) return xml;
  const tokens = xml.match(/<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<[^>]*>|[^<]+/g) ?? [];
  const lines: string[] = [];
  let depth = 0;
  let line = '';
  const flush = (): void => {
    if (line !== '') lines.push(line);
    line = '';
  };
  tokens.forEach((token, index) => {
    const isTag = token.startsWith('<') && !token.startsWith('<![CDATA[');
    const closes = token.startsWith('</');
    const opens = isTag && !closes && !token.endsWith('/>') && !token.startsWith('<?') && !token.startsWith('<!');
    const next = tokens[index + 1];
    if (closes) {
      depth = Math.max(0, depth - 1);
      // Right behind its own text, an end tag stays on the line.
      if (line === '') line = INDENT.repeat(depth);
      line += token;
      flush();
    } else if (isTag) {
      if (line === '') line = INDENT.repeat(depth);
      line += token;
      if (opens) depth++;
      const holdsText =
        opens && next !== undefined && (!next.startsWith('<') || next.startsWith('</') || next.startsWith('<![CDATA['));
      if (!holdsText) flush();
    } else {
      line += token;
      if (next !== undefined && next.startsWith('<') && !next.startsWith('</')) flush();
    }
  });
  flush();
  return lines.join('\n');
}

/** Gives each declaration of a minified style sheet its line. A sheet with lines stays as its author laid it out. */
export function prettyCss(css: string): string {
  const lineBreaks = css.split('\n').length;
  if (css.length / lineBreaks < 200) return css;
  let depth = 0;
  const out: string[] = [];
  const newLine = (): void => {
    out.push('\n', INDENT.repeat(depth));
  };
  for (const [token] of css.matchAll(
    /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/\*[\s\S]*?\*\/|url\([^)]*\)|[{};]|[^{};"'/u]+|./g,
  )) {
    if (token === '{') {
      out.push(' {');
      depth++;
      newLine();
    } else if (token === '}') {
      depth = Math.max(0, depth - 1);
      if (!/^\s*$/.test(out.at(-1) ?? '')) newLine();
      else out[out.length - 1] = INDENT.repeat(depth);
      out.push('}');
      newLine();
    } else if (token === ';') {
      out.push(';');
      newLine();
    } else {
      out.push(/^\s+$/.test(token) ? ' ' : token.replaceAll(/\s+/g, ' '));
    }
  }
  return `${out
    .join('')
    .replaceAll(/[ \t]+\n/g, '\n')
    .trim()}\n`;
}
