/** Keys whose value is looked for anywhere in the field, without regard to ASCII case; `*` stands for any run. */
export type TextKey =
  | 'host'
  | 'path'
  | 'url'
  | 'type'
  | 'client'
  | 'error'
  | 'anomaly'
  | 'app'
  | 'operation'
  | 'model'
  | 'finish'
  | 'comment';
/** Keys whose value must equal the field, without regard to ASCII case. */
export type WordKey = 'method' | 'scheme' | 'protocol';
/** Keys of whole numbers: status, port and tokens as they are, `size` in bytes, `dur` and `ttft` in microseconds. */
export type NumberKey = 'status' | 'port' | 'size' | 'dur' | 'tokens' | 'ttft';

export const IS_FLAGS = [
  'http',
  'websocket',
  'tunnel',
  'tcp',
  'udp',
  'https',
  'active',
  'complete',
  'failed',
  'pinned',
  'truncated',
  'replay',
] as const;
export type IsFlag = (typeof IS_FLAGS)[number];

/** Labels 1 to 6 by their colours. */
export const LABELS: readonly string[] = ['red', 'orange', 'yellow', 'green', 'blue', 'violet'];

export const HAS_FLAGS = [
  'error',
  'anomaly',
  'body',
  'request-body',
  'response-body',
  'query',
  'label',
  'comment',
] as const;
export type HasFlag = (typeof HAS_FLAGS)[number];

/** One condition on an exchange. */
export type FilterTerm =
  /** A bare word: looked for in the URL, the method, the heads and the decoded bodies. */
  | { readonly key: 'any'; readonly text: string }
  | { readonly key: TextKey; readonly text: string }
  | { readonly key: WordKey; readonly text: string }
  /** Both ends inclusive. */
  | { readonly key: NumberKey; readonly least: number; readonly most: number }
  /** 1 to 6, as the labels are numbered. */
  | { readonly key: 'label'; readonly label: number }
  /** A whole word in the URL, the method, the heads or the decoded bodies. */
  | { readonly key: 'text'; readonly text: string }
  | { readonly key: 'is'; readonly flag: IsFlag }
  | { readonly key: 'has'; readonly flag: HasFlag }
  /** A field of either head by that name, whose value contains `value` when it is not null. */
  | { readonly key: 'header'; readonly name: string; readonly value: string | null }
  /** Looked for in the decoded bodies of both sides. */
  | { readonly key: 'body'; readonly text: string };

export type FilterNode =
  | { readonly kind: 'and' | 'or'; readonly nodes: readonly FilterNode[] }
  | { readonly kind: 'not'; readonly node: FilterNode }
  | { readonly kind: 'term'; readonly term: FilterTerm };

/** Why a filter cannot be read, and where: UTF-16 units of its text, `end` exclusive. */
export interface FilterError {
  readonly message: string;
  readonly position: number;
  readonly end: number;
}

export type ParsedFilter =
  /** `node` is null for an empty filter, which every exchange passes. */
  { readonly ok: true; readonly node: FilterNode | null } | { readonly ok: false; readonly error: FilterError };
