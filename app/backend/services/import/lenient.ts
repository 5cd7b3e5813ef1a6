/*
 * Files of other programs leave parts out and put odd things in their place. These read what is there and fall back where
 * nothing is.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

export function objectOf(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Numbers become texts too: some write status and sizes so, and header values. */
export function textOf(value: unknown, fallback = ''): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : fallback;
}

/** A finite number, also written as a text; null for anything else. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

/** Names and values, without entries that have no name. Line ends, which no head can hold, become spaces. */
export function fieldsOf(value: unknown): readonly (readonly [string, string])[] {
  return listOf(value).flatMap((item): [string, string][] => {
    const { name, value: content } = objectOf(item);
    const written = textOf(name).trim();
    return written === '' ? [] : [[oneLine(written), oneLine(textOf(content))]];
  });
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\0]+/g, ' ').trim();
}
