import type { ErrorCode, ExchangeSummary, LlmSummary } from '#contract';
import { ERROR_TEXT } from '../../text/errors.ts';
import { formatBytes, formatClock, formatCount, formatDuration, formatShortCount } from '../../text/format.ts';
import { LIST_TEXT } from '../../text/traffic.ts';
import { visibleLine } from '../../ui/visible-text.ts';

/** Colour of a status: the name of a token. */
export type StatusTone = 'text-3' | 'text-2' | 'ok' | 'redirect' | 'warn' | 'error' | 'stream';

/** How a status is drawn; `elapsed` is drawn as the time since the start. */
export interface StatusView {
  readonly text: string;
  readonly tone: StatusTone;
  readonly icon: 'failed' | 'stream' | 'tunnel' | null;
  readonly elapsed: boolean;
}

/** One row as text, made once for each state of an exchange. */
export interface RowView {
  readonly status: StatusView;
  readonly method: string;
  readonly host: string;
  /** Px that host and path take at most; what is sure to fit needs no clip, which costs time in every frame. */
  readonly hostWidth: number;
  readonly pathWidth: number;
  /** The path up to its last segment, which is cut first. */
  readonly pathHead: string;
  /** The last segment and the query. */
  readonly pathTail: string;
  /** The path column says in words what happened. */
  readonly pathIsText: boolean;
  readonly type: string;
  readonly size: string;
  readonly duration: string;
  readonly program: string;
  /** Name of a GraphQL operation, behind the path; empty for none. */
  readonly operation: string;
  readonly protocol: string;
  readonly started: string;
  /** Of a call of a language model; empty for anything else, and for what it did not say. */
  readonly model: string;
  readonly tokens: string;
  readonly ttft: string;
  readonly finish: string;
}

/** Room before the name of an operation, and of the mark of a comment with its gap, px. */
const OPERATION_GAP = 8;
const COMMENT_WIDTH = 18;

const NO_LLM = { model: '', tokens: '', ttft: '', finish: '' } as const;
/** Numbers and an arrow alone say no direction, and the cell's own one is that of its end. */
const LEFT_TO_RIGHT = '\u200e';

const views = new WeakMap<ExchangeSummary, RowView>();

/** The row of an exchange; kept as long as the summary is. */
export function rowView(row: ExchangeSummary): RowView {
  const known = views.get(row);
  if (known !== undefined) return known;
  const view = makeView(row);
  views.set(row, view);
  return view;
}

function makeView(row: ExchangeSummary): RowView {
  const [pathHead, pathTail] = splitPath(row);
  const host = hostText(row);
  const operation = row.operation === null ? '' : visibleLine(row.operation);
  return {
    status: statusView(row),
    method: row.method === '' ? LIST_TEXT.none : cut(visibleLine(row.method), 8),
    host,
    hostWidth: mostWidth(host),
    pathWidth:
      mostWidth(pathHead) +
      mostWidth(pathTail) +
      (operation === '' ? 0 : OPERATION_GAP + mostWidth(operation)) +
      (row.commented ? COMMENT_WIDTH : 0),
    pathHead,
    pathTail,
    pathIsText: row.path === '',
    type: cut(typeWord(row), 7),
    size: sizeText(row),
    duration: row.duration === null ? '' : formatDuration(row.duration),
    program: row.program === null ? '' : visibleLine(row.program),
    operation,
    protocol: row.client.protocol,
    // Hundredths: a column of 84 px holds no more.
    started: formatClock(row.startedAt).slice(0, -1),
    ...llmView(row.llm),
  };
}

function llmView(llm: LlmSummary | null): Pick<RowView, 'model' | 'tokens' | 'ttft' | 'finish'> {
  if (llm === null) return NO_LLM;
  return {
    model: visibleLine(llm.model),
    tokens: tokensText(llm),
    ttft: llm.timeToFirstToken === null ? '' : formatDuration(llm.timeToFirstToken),
    finish: llm.finishReason === null ? '' : visibleLine(llm.finishReason),
  };
}

function tokensText({ promptTokens, completionTokens, isCompletionEstimated }: LlmSummary): string {
  if (promptTokens === null && completionTokens === null) return '';
  const of = (count: number | null): string => (count === null ? LIST_TEXT.none : formatShortCount(count));
  const written = of(completionTokens);
  return LEFT_TO_RIGHT + LIST_TEXT.tokens(of(promptTokens), isCompletionEstimated ? LIST_TEXT.about(written) : written);
}

/** Status, word or elapsed time, with its colour. Colour never stands alone: each has its text. */
export function statusView(row: ExchangeSummary): StatusView {
  const { state, status, kind, error } = row;
  if (error !== null || state === 'failed') {
    return {
      text: error === null ? 'cut' : ERROR_TEXT[error.code].word,
      tone: 'error',
      icon: 'failed',
      elapsed: false,
    };
  }
  if (status !== null) {
    const { grpcStatus } = row;
    const stream = kind === 'websocket' || row.mediaType === 'text/event-stream' || grpcStatus === 0;
    // A call that failed is answered by 200 too: what it says itself counts.
    const failed = grpcStatus !== null && grpcStatus > 0;
    return {
      text: failed ? `${String(status)}·${String(grpcStatus)}` : String(status),
      tone: failed ? 'warn' : stream ? 'stream' : toneOf(status),
      icon: kind === 'websocket' ? 'stream' : null,
      elapsed: false,
    };
  }
  if (kind === 'tunnel' || kind === 'tcp' || kind === 'udp') {
    return { text: kind === 'tunnel' ? 'TLS' : kind.toUpperCase(), tone: 'text-2', icon: 'tunnel', elapsed: false };
  }
  return { text: '', tone: 'text-3', icon: null, elapsed: true };
}

/** Colour of an HTTP status. */
export function toneOf(status: number): StatusTone {
  if (status < 200) return 'text-2';
  if (status < 300) return 'ok';
  if (status < 400) return 'redirect';
  return status < 500 ? 'warn' : 'error';
}

function hostText({ host, port, scheme }: ExchangeSummary): string {
  const name = visibleLine(host.includes(':') ? `[${host}]` : host);
  const usual = port === (scheme === 'http' ? 80 : 443) || port === 0;
  return usual ? name : `${name}:${String(port)}`;
}

function splitPath(row: ExchangeSummary): [head: string, tail: string] {
  if (row.path === '') return ['', pathInWords(row)];
  const path = visibleLine(row.path);
  const query = path.indexOf('?');
  const slash = path.lastIndexOf('/', (query < 0 ? path.length : query) - 2);
  return slash <= 0 ? ['', path] : [path.slice(0, slash), path.slice(slash)];
}

const KIND_WORDS = {
  http: '',
  websocket: '',
  tunnel: 'passed through, not decrypted',
  tcp: 'raw TCP',
  udp: 'raw UDP',
} as const;

function pathInWords({ error, kind }: ExchangeSummary): string {
  return error === null ? KIND_WORDS[kind] : briefOf(error.code);
}

function briefOf(code: ErrorCode): string {
  return ERROR_TEXT[code].brief;
}

/** Short words for media types; others show their subtype. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  'text/javascript': 'js',
  'application/javascript': 'js',
  'application/x-javascript': 'js',
  'text/plain': 'text',
  'text/event-stream': 'sse',
  'application/octet-stream': 'bin',
  'application/x-www-form-urlencoded': 'form',
  'multipart/form-data': 'form',
  'image/svg+xml': 'svg',
  'image/x-icon': 'ico',
  'image/vnd.microsoft.icon': 'ico',
  'application/wasm': 'wasm',
  'application/manifest+json': 'json',
  'application/graphql-response+json': 'gql',
  'application/vnd.apple.mpegurl': 'm3u8',
};

/** The type column: `json`, `html`, `font`, `ws`. */
export function typeWord({ kind, mediaType, status, error }: ExchangeSummary): string {
  if (kind === 'websocket') return 'ws';
  if (kind !== 'http') return kind === 'tunnel' ? 'tls' : kind;
  if (mediaType === null) return status !== null || error !== null ? LIST_TEXT.none : '';
  const known = TYPE_WORDS[mediaType];
  if (known !== undefined) return known;
  const [family = '', subtype = ''] = mediaType.split('/');
  if (family === 'font' || subtype.includes('font')) return 'font';
  if (subtype.startsWith('grpc')) return 'grpc';
  if (subtype.startsWith('connect+')) return 'connect';
  return subtype.replace(/^.*\+/, '').replace(/^(x-|vnd\.)/, '') || family;
}

function sizeText({ state, status, kind, error, responseBodyBytes, messages }: ExchangeSummary): string {
  if (messages > 0) return LIST_TEXT.messages(formatCount(messages));
  if (state !== 'active' || responseBodyBytes > 0) {
    const nothing = responseBodyBytes === 0 && status === null && (kind === 'http' || error !== null);
    return nothing ? LIST_TEXT.none : formatBytes(responseBodyBytes);
  }
  return '';
}

/** An upper bound for the width of a text in the list's type (Inter, 12 px), px. */
function mostWidth(text: string): number {
  let width = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const character = text.charAt(at);
    if (code > 0x7e) width += 14;
    else if (character === 'm' || character === 'w' || character === '@' || character === '%') width += 11;
    else if (code >= 0x41 && code <= 0x5a) width += 10;
    else width += 7.7;
  }
  return width;
}

/** At most this many characters, the last of them an ellipsis where more were there. */
function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
