import type { CodeLanguage } from '../../../ui/code-editor.ts';
import type { BodyView } from '../inspector-model.svelte.ts';
import type { Content, ContentKind } from './content-kind.ts';
import type { PrettyKind } from './pretty.ts';

const VIEWS: Readonly<Record<ContentKind, readonly BodyView[]>> = {
  empty: [],
  json: ['pretty', 'tree', 'text', 'hex'],
  ndjson: ['pretty', 'tree', 'text', 'hex'],
  graphql: ['pretty', 'tree', 'text', 'hex'],
  'message-pack': ['pretty', 'hex'],
  protobuf: ['pretty', 'hex'],
  html: ['pretty', 'text', 'hex'],
  xml: ['pretty', 'text', 'hex'],
  css: ['pretty', 'text', 'hex'],
  javascript: ['pretty', 'text', 'hex'],
  form: ['pretty', 'text', 'hex'],
  multipart: ['pretty', 'hex'],
  image: ['preview', 'hex'],
  font: ['preview', 'hex'],
  audio: ['preview', 'hex'],
  video: ['preview', 'hex'],
  text: ['text', 'hex'],
  binary: ['hex', 'text'],
};

/** Views that a body of this content has, the best one first; `raw` only where it differs from the decoded bytes. */
export function viewsOf({ kind, type }: Content, encoded: boolean): readonly BodyView[] {
  const drawing: readonly BodyView[] = type === 'image/svg+xml' ? ['preview', 'pretty', 'text', 'hex'] : VIEWS[kind];
  return encoded && kind !== 'empty' ? [...drawing, 'raw'] : drawing;
}

/** The chosen view where it exists, else the best one. */
export function effectiveView(views: readonly BodyView[], chosen: BodyView): BodyView | null {
  return views.includes(chosen) ? chosen : (views[0] ?? null);
}

/** The view after this one, round and round. */
export function nextView(views: readonly BodyView[], current: BodyView): BodyView {
  return views[(views.indexOf(current) + 1) % views.length] ?? current;
}

/** What a kind is highlighted as. */
export function languageOf({ kind, type }: Content): CodeLanguage {
  switch (kind) {
    case 'json':
    case 'html':
    case 'css':
    case 'javascript':
    case 'xml':
      return kind;
    case 'ndjson':
    case 'message-pack':
      return 'json';
    case 'image':
      return type === 'image/svg+xml' ? 'xml' : 'text';
    default:
      return 'text';
  }
}

/** How a kind is laid out; null where its author's layout is the only one. */
export function prettyKindOf({ kind, type }: Content): PrettyKind | null {
  switch (kind) {
    case 'json':
    case 'ndjson':
    case 'graphql':
    case 'css':
    case 'javascript':
    case 'xml':
    case 'message-pack':
    case 'protobuf':
      return kind;
    default:
      return type === 'image/svg+xml' ? 'xml' : null;
  }
}
