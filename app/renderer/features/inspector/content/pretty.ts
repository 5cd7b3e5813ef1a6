import { decodeDelimited, decodeProtobuf, protobufJson, protobufText, readProtobuf } from '#contract';
import type { ProtoTypes } from '#contract';
import { PROTO_TEXT } from '../../../text/protos.ts';
import { visibleLine } from '../../../ui/visible-text.ts';
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
  /** The text is JSON, whatever the body is. */
  readonly isJson?: boolean;
  /** What is to be said of a text that was laid out all the same. */
  readonly note?: string;
}

/** A description of a body of Protocol Buffers. */
export interface ProtobufReading {
  readonly types: ProtoTypes;
  /** Full name of its message. */
  readonly type: string;
  /** It is a row of such messages, each behind its length. */
  readonly isDelimited: boolean;
}

/** Whether a kind is laid out from its bytes. */
export function isBinaryKind(kind: PrettyKind): kind is 'message-pack' | 'protobuf' {
  return kind === 'message-pack' || kind === 'protobuf';
}

/**
 * Lays out a body of a kind; one that is not of that kind comes back unchanged (empty, if it is bytes), with the reason.
 * @param reading describes a body of Protocol Buffers; by the wire format alone without one
 */
export function layOut(
  kind: PrettyKind,
  body: string | Uint8Array,
  reading: ProtobufReading | null = null,
): PrettyText {
  if (typeof body !== 'string') return layOutBytes(kind, body, reading);
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

function layOutBytes(kind: PrettyKind, bytes: Uint8Array, reading: ProtobufReading | null): PrettyText {
  try {
    if (kind === 'message-pack') return { text: messagePackText(bytes), problem: null };
    return layOutProtobuf(bytes, reading);
  } catch (error: unknown) {
    return { text: '', problem: error instanceof Error ? error.message : String(error) };
  }
}

/** By its description as JSON; where it is not as described, or nothing describes it, by the wire format. */
function layOutProtobuf(bytes: Uint8Array, reading: ProtobufReading | null): PrettyText {
  let note: string | undefined;
  if (reading !== null) {
    const { types, type, isDelimited } = reading;
    const decoded = (isDelimited ? decodeDelimited : decodeProtobuf)(types, type, bytes);
    if ('node' in decoded) return { text: protobufJson(decoded.node), problem: null, isJson: true };
    note = visibleLine(PROTO_TEXT.mismatch(type, decoded.problem));
  }
  const fields = readProtobuf(bytes);
  const noted = note === undefined ? {} : { note };
  if (fields !== null) return { text: protobufText(fields), problem: null, ...noted };
  return { text: '', problem: 'The bytes do not follow the wire format of Protocol Buffers.', ...noted };
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
