import { looksLikeGraphql } from './pretty-graphql.ts';

/** What a body turned out to be; it decides which views are offered. */
export type ContentKind =
  | 'empty'
  | 'json'
  | 'ndjson'
  | 'graphql'
  | 'html'
  | 'xml'
  | 'css'
  | 'javascript'
  | 'form'
  | 'multipart'
  | 'image'
  | 'font'
  | 'audio'
  | 'video'
  | 'message-pack'
  | 'protobuf'
  | 'text'
  | 'binary';

interface Signature {
  readonly kind: ContentKind;
  readonly type: string;
  /** Bytes at the offset, as latin1. */
  readonly bytes: string;
  readonly offset?: number;
}

const SIGNATURES: readonly Signature[] = [
  { kind: 'image', type: 'image/png', bytes: '\u0089PNG\r\n\u001a\n' },
  { kind: 'image', type: 'image/jpeg', bytes: '\u00ff\u00d8\u00ff' },
  { kind: 'image', type: 'image/gif', bytes: 'GIF8' },
  { kind: 'image', type: 'image/webp', bytes: 'WEBP', offset: 8 },
  { kind: 'image', type: 'image/avif', bytes: 'ftypavif', offset: 4 },
  { kind: 'image', type: 'image/avif', bytes: 'ftypavis', offset: 4 },
  { kind: 'image', type: 'image/heic', bytes: 'ftypheic', offset: 4 },
  { kind: 'image', type: 'image/heic', bytes: 'ftypmif1', offset: 4 },
  { kind: 'image', type: 'image/bmp', bytes: 'BM' },
  { kind: 'image', type: 'image/x-icon', bytes: '\u0000\u0000\u0001\u0000' },
  { kind: 'font', type: 'font/woff2', bytes: 'wOF2' },
  { kind: 'font', type: 'font/woff', bytes: 'wOFF' },
  { kind: 'font', type: 'font/otf', bytes: 'OTTO' },
  { kind: 'font', type: 'font/ttf', bytes: '\u0000\u0001\u0000\u0000' },
  { kind: 'audio', type: 'audio/mp4', bytes: 'ftypM4A', offset: 4 },
  { kind: 'video', type: 'video/quicktime', bytes: 'ftypqt', offset: 4 },
  { kind: 'video', type: 'video/mp4', bytes: 'ftyp', offset: 4 },
  { kind: 'video', type: 'video/webm', bytes: '\u001aE\u00df\u00a3' },
  { kind: 'audio', type: 'audio/wav', bytes: 'WAVE', offset: 8 },
  { kind: 'audio', type: 'audio/flac', bytes: 'fLaC' },
  { kind: 'audio', type: 'audio/ogg', bytes: 'OggS' },
  { kind: 'audio', type: 'audio/mpeg', bytes: 'ID3' },
];

const BINARY_NAMED: readonly (readonly [pattern: RegExp, kind: ContentKind])[] = [
  [/^application\/(?:vnd\.|x-)?msgpack$|\+msgpack$/, 'message-pack'],
  [/^application\/(?:(?:vnd\.google\.|x-)?protobuf|x-google-protobuf|proto)$|\+proto(?:buf)?$/, 'protobuf'],
];

const NAMED: readonly (readonly [pattern: RegExp, kind: ContentKind])[] = [
  [/[/+](?:x-)?(?:ndjson|jsonl|json-lines|jsonlines)$|^application\/json-seq$/, 'ndjson'],
  [/[/+]json$|^application\/graphql-response/, 'json'],
  [/^application\/x-www-form-urlencoded$/, 'form'],
  [/^text\/html$|^application\/xhtml\+xml$/, 'html'],
  [/^text\/css$/, 'css'],
  [/javascript$|ecmascript$/, 'javascript'],
  [/^image\/svg\+xml$/, 'image'],
  [/[/+]xml$/, 'xml'],
];

export interface Content {
  readonly kind: ContentKind;
  /** Media type by content where it has a signature, else as declared; null when neither says. */
  readonly type: string | null;
}

const BINARY_SHARE = 0.05;

/**
 * Judges a body by its first bytes; the declared type only decides among kinds of text.
 *
 * @param start first bytes of the decoded body, a few hundred are enough
 * @param declared media type without parameters, lower case
 */
export function contentOf(start: Uint8Array, declared: string | null): Content {
  if (start.length === 0) return { kind: 'empty', type: declared };
  const latin1 = String.fromCharCode(...start.subarray(0, 512));
  const signature = SIGNATURES.find(({ bytes, offset }) => latin1.startsWith(bytes, offset ?? 0));
  // Two bytes alone prove little: plain text may begin with "BM".
  if (signature !== undefined && (signature.bytes.length > 2 || declared?.startsWith('image/') === true)) {
    return { kind: signature.kind, type: signature.type };
  }
  // Messages between envelopes: the Messages tab takes them apart.
  if (declared?.startsWith('application/connect+') === true) return { kind: 'binary', type: declared };
  const packed = BINARY_NAMED.find(([pattern]) => declared !== null && pattern.test(declared));
  if (packed !== undefined) return { kind: packed[1], type: declared };
  if (declared?.startsWith('multipart/') === true) return { kind: 'multipart', type: declared };
  if (!hasWideEncoding(start) && isBinary(start)) {
    const recording = /^(audio|video)\//.exec(declared ?? '')?.[1];
    return { kind: recording === 'audio' || recording === 'video' ? recording : 'binary', type: declared };
  }
  const named = NAMED.find(([pattern]) => declared !== null && pattern.test(declared));
  const text = latin1.replace(/^\u00ef\u00bb\u00bf/, '').trimStart();
  if (/^(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<svg[\s>]/s.test(text)) return { kind: 'image', type: 'image/svg+xml' };
  if (named?.[1] === 'json' && looksLikeGraphql(text)) return { kind: 'graphql', type: declared };
  if (named !== undefined && named[1] !== 'image') return { kind: named[1], type: declared };
  if (/^[[{]/.test(text) && looksLikeJson(text)) return { kind: 'json', type: declared };
  if (/^<(?:!doctype html|html)[\s>]/i.test(text)) return { kind: 'html', type: declared };
  if (text.startsWith('<?xml')) return { kind: 'xml', type: declared };
  return { kind: 'text', type: declared };
}

/** A value follows the opening bracket as JSON would have it. */
function looksLikeJson(text: string): boolean {
  return /^(?:\{\s*(?:"|\}|$)|\[\s*(?:["{[\]\d-]|true|false|null|$))/.test(text);
}

/** UTF-16 or UTF-32 by its byte order mark: full of zeros, and text all the same. */
function hasWideEncoding(start: Uint8Array): boolean {
  return (start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff);
}

/** Control characters that no text has, or more than a few of them. */
function isBinary(start: Uint8Array): boolean {
  const sample = start.subarray(0, 512);
  let odd = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) odd++;
  }
  if (odd > sample.length * BINARY_SHARE) return true;
  return odd > 0 && !isUtf8(sample);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
