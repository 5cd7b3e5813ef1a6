import { prettyJson } from './pretty-json.ts';
import { prettyCss, prettyXml } from './pretty-markup.ts';

/** Kinds of text that are laid out anew. */
export type PrettyKind = 'json' | 'xml' | 'css';

export interface PrettyText {
  readonly text: string;
  /** Why the text is shown as it came; null when it was laid out. */
  readonly problem: string | null;
}

/** Lays out a text of a kind; one that is not of that kind comes back unchanged, with the reason. */
export function layOut(kind: PrettyKind, text: string): PrettyText {
  switch (kind) {
    case 'json':
      try {
        JSON.parse(text.replace(/^\ufeff/, ''));
      } catch (error: unknown) {
        return { text, problem: error instanceof Error ? error.message : String(error) };
      }
      return { text: prettyJson(text.replace(/^\ufeff/, '')), problem: null };
    case 'xml':
      return { text: prettyXml(text), problem: null };
    case 'css':
      return { text: prettyCss(text), problem: null };
  }
}
