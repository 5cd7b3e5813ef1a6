/** One line of a form or query table. */
export interface FormField {
  readonly name: string;
  readonly value: string;
}

/** Decodes `application/x-www-form-urlencoded`, also a query; malformed escapes stay as they are (WHATWG URL §5.1). */
export function urlencodedFields(text: string): readonly FormField[] {
  return [...new URLSearchParams(text)].map(([name, value]) => ({ name, value }));
}

/** The fields of a path's query; empty without one. */
export function queryFields(path: string): readonly FormField[] {
  const at = path.indexOf('?');
  return at < 0 ? [] : urlencodedFields(path.slice(at + 1));
}
