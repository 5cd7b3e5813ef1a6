/**
 * Makes captured text safe and honest in a terminal: control, format and other invisible characters are shown by their
 * number, so that they neither steer the terminal nor hide anything.
 */
export function terminalText(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16).toUpperCase()}}`;
  });
}

/** @param bytes number of bytes, for a person */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${String(bytes)} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = -1;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${units[unit] ?? ''}`;
}

/** @param microseconds a duration, for a person */
export function durationText(microseconds: number): string {
  if (microseconds < 1_000_000) return `${(microseconds / 1_000).toFixed(microseconds < 10_000 ? 1 : 0)} ms`;
  return `${(microseconds / 1_000_000).toFixed(2)} s`;
}
