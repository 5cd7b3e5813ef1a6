import type {
  ConversationRequest,
  ExchangeDetail,
  ExchangeId,
  HeaderField,
  ReplayCookies,
  ReplayRequest,
  ReplayVersion,
} from '#contract';
import { urlOf } from './copying.ts';
import type { CurlRequest } from './curl/parse-curl.ts';
import { editableText } from './message-draft.ts';

/** A row of the table of header fields; those that are off are not sent. */
export interface DraftField {
  readonly key: number;
  readonly name: string;
  readonly value: string;
  readonly on: boolean;
}

/** The body of a draft: a text to edit; or bytes that are sent as they are, those that were captured when null. */
export type DraftBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array | null; readonly size: number };

/** A request that is being composed. */
export interface Draft {
  /** The exchange that it came from. */
  readonly of: ExchangeId | null;
  readonly method: string;
  readonly url: string;
  readonly fields: readonly DraftField[];
  readonly body: DraftBody;
  readonly version: ReplayVersion;
  readonly cookies: ReplayCookies;
  readonly followRedirects: boolean;
}

const METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export function emptyDraft(): Draft {
  return {
    of: null,
    method: 'GET',
    url: '',
    fields: [],
    body: { kind: 'text', text: '' },
    version: 'auto',
    cookies: 'kept',
    followRedirects: false,
  };
}

/** @param body what is to be edited: the stored body; null when it is too long or was not kept */
export function draftOfExchange({ summary, request }: ExchangeDetail, body: Uint8Array | null): Draft {
  const head = request?.sent ?? request;
  const isSocket = summary.kind === 'websocket';
  // The bytes behind the handshake are messages, and no body.
  const text = isSocket ? '' : body === null || (request?.contentEncoding.length ?? 0) > 0 ? null : editableText(body);
  return {
    ...emptyDraft(),
    of: summary.id,
    method: summary.method,
    url: urlOf(summary),
    fields: (head?.headers ?? [])
      .filter(([name]) => !name.startsWith(':'))
      .map(([name, value], key) => ({ key, name, value, on: true })),
    body: text === null ? { kind: 'bytes', bytes: null, size: summary.requestBodyBytes } : { kind: 'text', text },
    version: 'captured',
  };
}

export function draftOfCurl(request: CurlRequest): Draft {
  const text = editableText(request.body);
  return {
    ...emptyDraft(),
    method: request.method,
    url: request.url,
    fields: request.headers.map(([name, value], key) => ({ key, name, value, on: true })),
    body: text === null ? { kind: 'bytes', bytes: request.body, size: request.body.length } : { kind: 'text', text },
    version: request.version,
    followRedirects: request.followRedirects,
  };
}

/** What is sent: of a draft that came from an exchange only what was changed, so that the rest stays byte for byte. */
export function requestOfDraft(draft: Draft, original: Draft): ReplayRequest {
  const { of, version, cookies, followRedirects } = draft;
  const all = of === null;
  const headers = sentFields(draft);
  const changed = JSON.stringify(headers) !== JSON.stringify(sentFields(original));
  const body = changedBody(draft, original);
  return {
    of,
    version,
    cookies,
    followRedirects,
    ...(all || draft.method !== original.method ? { method: draft.method } : {}),
    ...(all || draft.url !== original.url ? { url: draft.url } : {}),
    ...(all || changed ? { headers } : {}),
    ...(body === null ? {} : { body }),
  };
}

/** The draft describes a WebSocket. */
export function isSocketDraft({ url }: Draft): boolean {
  return /^wss?:/i.test(url);
}

/**
 * The same draft for the other protocol.
 * @param recorded the draft of the recorded WebSocket that it began as: what is made of it over HTTP repeats it no longer, and
 * what becomes a WebSocket again does; null where it began as none
 */
export function draftFor(draft: Draft, protocol: 'http' | 'websocket', recorded: Draft | null): Draft {
  const toSocket = protocol === 'websocket';
  if (toSocket === isSocketDraft(draft)) return draft;
  const url =
    draft.url === '' ? (toSocket ? 'wss://' : 'https://') : draft.url.replace(/^(ws|http)/i, toSocket ? 'ws' : 'http');
  if (recorded === null) return { ...draft, url };
  return {
    ...draft,
    url,
    ...(toSocket ? { of: recorded.of, version: recorded.version } : { of: null, version: 'auto' }),
  };
}

/** What is opened: of a draft that came from an exchange only what was changed, so that the rest stays as it was captured. */
export function conversationOfDraft(
  draft: Draft,
  original: Draft,
): Pick<ConversationRequest, 'of' | 'url' | 'headers'> {
  const all = draft.of === null;
  const headers = sentFields(draft);
  const changed = JSON.stringify(headers) !== JSON.stringify(sentFields(original));
  return {
    of: draft.of,
    ...(all || draft.url !== original.url ? { url: draft.url } : {}),
    ...(all || changed ? { headers } : {}),
  };
}

/** Why a draft cannot be sent yet; null when it can. */
export type DraftFault = 'method' | 'no-url' | 'url' | 'field-name' | 'field-value';

export function faultOf(draft: Draft): DraftFault | null {
  if (!METHOD.test(draft.method)) return 'method';
  if (/^((https?|wss?):\/*)?\s*$/i.test(draft.url)) return 'no-url';
  if (!/^(https?|wss?):\/\/[^/?#\s]+/i.test(draft.url) || !URL.canParse(draft.url)) return 'url';
  const fields = draft.fields.filter(({ on, name, value }) => on && (name !== '' || value !== ''));
  if (fields.some(({ name }) => !METHOD.test(name))) return 'field-name';
  return fields.some(({ value }) => /[\r\n\0]/.test(value)) ? 'field-value' : null;
}

/** Where a text is no JSON; null when it is, or when nothing says that it should be. */
export interface JsonFault {
  readonly message: string;
  /** From 1; null when the engine of this page does not tell. */
  readonly line: number | null;
}

/** Whether the body is meant to be JSON: its type says so, or it looks like it. */
export function looksLikeJson(draft: Draft): boolean {
  if (draft.body.kind !== 'text' || draft.body.text.trim() === '') return false;
  const type = draft.fields.find(({ on, name }) => on && name.toLowerCase() === 'content-type')?.value ?? '';
  return /[/+]json\b/i.test(type) || (type === '' && /^\s*[[{]/.test(draft.body.text));
}

export function jsonFault(text: string): JsonFault | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error: unknown) {
    const message = error instanceof Error ? error.message : String(error);
    const position = /position (\d+)/.exec(message)?.[1];
    const line = position === undefined ? null : text.slice(0, Number(position)).split('\n').length;
    return { message: message.replace(/ \(line \d+ column \d+\)$/, ''), line };
  }
}

function sentFields({ fields }: Draft): readonly HeaderField[] {
  return fields.filter(({ on, name }) => on && name !== '').map(({ name, value }) => [name, wireText(value)]);
}

function changedBody(draft: Draft, original: Draft): Uint8Array | null {
  const { body } = draft;
  if (body.kind === 'bytes') return body.bytes;
  const unchanged = original.body.kind === 'text' && original.body.text === body.text;
  return draft.of !== null && unchanged ? null : new TextEncoder().encode(body.text);
}

/** A field carries bytes: characters beyond latin1 go out as UTF-8. */
function wireText(value: string): string {
  if (!/[^\0-\xff]/.test(value)) return value;
  return Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join('');
}
