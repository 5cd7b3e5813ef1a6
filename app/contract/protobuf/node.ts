/** A decoded value, as it is shown. */
export type ProtobufNode =
  /** A value as JSON writes it; whole numbers with all their digits. */
  | { readonly kind: 'literal'; readonly json: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'list'; readonly items: readonly ProtobufNode[] }
  | { readonly kind: 'object'; readonly entries: readonly ProtobufEntry[] };

/** A field by its name, or by its number where the schema does not know it. */
export type ProtobufEntry = readonly [name: string, value: ProtobufNode];

export function literal(value: string | boolean | null): ProtobufNode {
  return { kind: 'literal', json: JSON.stringify(value) };
}

/** Digits, or a number of JSON. */
export function numeric(json: string): ProtobufNode {
  return { kind: 'literal', json };
}

export function object(entries: readonly ProtobufEntry[]): ProtobufNode {
  return { kind: 'object', entries };
}

/** As JSON on many lines; bytes as base64, as the JSON of Protocol Buffers has them. */
export function protobufJson(node: ProtobufNode): string {
  const out: string[] = [];
  write(node, '', out);
  return out.join('');
}

function write(node: ProtobufNode, indent: string, out: string[]): void {
  switch (node.kind) {
    case 'literal':
      out.push(node.json);
      break;
    case 'bytes':
      out.push(`"${base64(node.bytes)}"`);
      break;
    case 'list':
      writeAll(node.items, '[]', indent, out, (item, inner) => {
        write(item, inner, out);
      });
      break;
    case 'object':
      writeAll(node.entries, '{}', indent, out, ([name, value], inner) => {
        out.push(JSON.stringify(name), ': ');
        write(value, inner, out);
      });
  }
}

function writeAll<Item>(
  items: readonly Item[],
  brackets: string,
  indent: string,
  out: string[],
  one: (item: Item, indent: string) => void,
): void {
  if (items.length === 0) {
    out.push(brackets);
    return;
  }
  const inner = `${indent}  `;
  out.push(brackets.slice(0, 1));
  for (const [index, item] of items.entries()) {
    out.push(index === 0 ? '\n' : ',\n', inner);
    one(item, inner);
  }
  out.push('\n', indent, brackets.slice(1));
}

/** On one line, for a row: names without quotes, bytes by their number. */
export function protobufLine(node: ProtobufNode): string {
  return node.kind === 'object' ? node.entries.map(lineOfEntry).join(', ') : lineOf(node);
}

function lineOfEntry([name, value]: ProtobufEntry): string {
  return value.kind === 'object' ? `${name} ${lineOf(value)}` : `${name}: ${lineOf(value)}`;
}

function lineOf(node: ProtobufNode): string {
  switch (node.kind) {
    case 'literal':
      return node.json;
    case 'bytes':
      return `${String(node.bytes.length)} B`;
    case 'list':
      return `[${node.items.map(lineOf).join(', ')}]`;
    case 'object':
      return `{${node.entries.map(lineOfEntry).join(', ')}}`;
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The contract knows neither of the runtimes' own functions for it. */
function base64(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const bits = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += ALPHABET.charAt(bits >> 18) + ALPHABET.charAt((bits >> 12) & 63);
    text += at + 1 < bytes.length ? ALPHABET.charAt((bits >> 6) & 63) : '=';
    text += at + 2 < bytes.length ? ALPHABET.charAt(bits & 63) : '=';
  }
  return text;
}
