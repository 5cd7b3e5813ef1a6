import { contentOf } from '../inspector/content/content-kind.ts';
import { decodeText } from '../inspector/content/decode-text.ts';
import { layOut } from '../inspector/content/pretty.ts';
import { prettyKindOf } from '../inspector/content/body-views.ts';
import { blocksOf, diffLines, type DiffBlock } from './diff-lines.ts';
import { diffJson, type JsonChange } from './diff-json.ts';

/** A decoded body, or its beginning. */
export interface ComparedBody {
  readonly bytes: Uint8Array;
  readonly mediaType: string | null;
  readonly charset: string | null;
}

/** How two bodies differ. */
export type BodyDifference =
  | { readonly kind: 'same' }
  | { readonly kind: 'json'; readonly changes: readonly JsonChange[] }
  | { readonly kind: 'text'; readonly blocks: readonly DiffBlock[] }
  /** Bytes that are no text: where they first differ. */
  | { readonly kind: 'binary'; readonly at: number }
  /** Too different for lines to say anything. */
  | { readonly kind: 'other' };

/** Compares two bodies: by their values where both are JSON, by laid-out lines where both are text, else by bytes. */
export function compareBodies(left: ComparedBody, right: ComparedBody): BodyDifference {
  const at = firstDifference(left.bytes, right.bytes);
  if (at === null) return { kind: 'same' };
  const contents = [left, right].map(({ bytes, mediaType }) => contentOf(bytes, mediaType));
  if (contents.some(({ kind }) => kind === 'binary' || kind === 'image' || kind === 'font'))
    return { kind: 'binary', at };
  const values = [left, right].map(jsonOf);
  const [one, other] = values;
  if (one !== undefined && other !== undefined && one !== NO_JSON && other !== NO_JSON) {
    return { kind: 'json', changes: diffJson(one, other) };
  }
  const [leftLines = [], rightLines = []] = [left, right].map(linesOf);
  const lines = diffLines(leftLines, rightLines);
  return lines === null ? { kind: 'other' } : { kind: 'text', blocks: blocksOf(lines) };
}

const NO_JSON = Symbol('no JSON');

function jsonOf({ bytes, charset }: ComparedBody): unknown {
  try {
    return JSON.parse(decodeText(bytes, charset).text);
  } catch {
    return NO_JSON;
  }
}

function linesOf({ bytes, mediaType, charset }: ComparedBody): string[] {
  const kind = prettyKindOf(contentOf(bytes, mediaType));
  const { text } = decodeText(bytes, charset);
  return (kind === null ? text : layOut(kind, text).text).split(/\r?\n/);
}

function firstDifference(left: Uint8Array, right: Uint8Array): number | null {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) if (left[at] !== right[at]) return at;
  return left.length === right.length ? null : length;
}
