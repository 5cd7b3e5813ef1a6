/** Quoted for a POSIX shell, whatever is in it. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A word of a POSIX shell's command line, quoted where it must be: for lines that people read. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : shellQuoted(text);
}
