import { protobufText, readProtobuf } from '../messages/protobuf.ts';
import { messagePackText } from './message-pack.ts';
import { graphqlText } from './pretty-graphql.ts';
import { prettyJson } from './pretty-json.ts';
import { prettyCss, prettyXml } from './pretty-markup.ts';
import { prettyScript } from './pretty-script.ts';

/** Kinds of bodies that are laid out anew; the last two from bytes, the others from text. */
export type PrettyKind = 'json' | 'ndjson' | 'graphql' | 'xml' | 'css' | 'javascript' | 'message-pack' | 'protobuf';

export interface PrettyText {
  readonly text: string;
  /** Why the text is shown as it came; null when it was laid out. */
  readonly problem: string | null;
}

/** Whether a kind is laid out from its bytes. */
export function isBinaryKind(kind: PrettyKind): kind is 'message-pack' | 'protobuf' {
  return kind === 'message-pack' || kind === 'protobuf';
}

/** Lays out a body of a kind; one that is not of that kind comes back unchanged (empty, if it is bytes), with the reason. */
export function layOut(kind: PrettyKind, body: string | Uint8Array): PrettyText {
  if (typeof body !== 'string') return layOutBytes(kind, body);
  switch (kind) {
    case 'json':
      return layOutJson(body);
    case 'ndjson':
      return { text: body.split('\n').map(layOutLine).join('\n'), problem: null };
    case 'graphql': {
      const text = graphqlText(body);
      return text === null ? layOutJson(body) : { text, problem: null };
    }
    case 'xml':
      return { text: prettyXml(body), problem: null };
    case 'css':
      return { text: prettyCss(body), problem: null };
    case 'javascript':
      return { text: prettyScript(body), problem: null };
    default:
      return { text: body, problem: null };
  }
}

function layOutBytes(kind: PrettyKind, bytes: Uint8Array): PrettyText {
  try {
    if (kind === 'message-pack') return { text: messagePackText(bytes), problem: null };
    const fields = readProtobuf(bytes);
    if (fields !== null) return { text: protobufText(fields), problem: null };
    return { text: '', problem: 'The bytes do not follow the wire format of Protocol Buffers.' };
  } catch (error: unknown) {
    return { text: '', problem: error instanceof Error ? error.message : String(error) };
  }
}

function layOutJson(text: string): PrettyText {
  const json = text.replace(/^\ufeff/, '');
  try {
    JSON.parse(json);
  } catch (error: unknown) {
    return { text, problem: error instanceof Error ? error.message : String(error) };
  }
  return { text: prettyJson(json), problem: null };
}

/** A line that is no JSON stays as it came. */
function layOutLine(line: string): string {
  const { text, problem } = layOutJson(line.replace(/\r$/, ''));
  return line.trim() === '' || problem !== null ? line : text;
}
