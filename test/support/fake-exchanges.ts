import type { ExchangeSummary, FilterNode, FilterTerm } from '../../app/contract/index.ts';

/** The moment at which invented traffic begins, microseconds since the Unix epoch. */
export const FAKE_START = Date.UTC(2026, 2, 3, 9, 30) * 1_000;

interface Kind {
  readonly method: string;
  readonly host: string;
  readonly path: (n: number) => string;
  readonly status: number | null;
  readonly mediaType: string | null;
  readonly bytes: number;
  readonly milliseconds: number;
  readonly label?: number;
  readonly error?: ExchangeSummary['error'];
  readonly kind?: ExchangeSummary['kind'];
}

const KINDS: readonly Kind[] = [
  {
    method: 'GET',
    host: 'shop.weir.test',
    path: () => '/',
    status: 200,
    mediaType: 'text/html',
    bytes: 18_400,
    milliseconds: 42,
  },
  {
    method: 'GET',
    host: 'cdn.weir.test',
    path: () => '/assets/app.8f2c1d.css',
    status: 200,
    mediaType: 'text/css',
    bytes: 61_200,
    milliseconds: 18,
  },
  {
    method: 'GET',
    host: 'cdn.weir.test',
    path: () => '/assets/app.3b77aa.js',
    status: 200,
    mediaType: 'text/javascript',
    bytes: 312_000,
    milliseconds: 31,
  },
  {
    method: 'GET',
    host: 'cdn.weir.test',
    path: () => '/img/weir-hero@2x.webp',
    status: 200,
    mediaType: 'image/webp',
    bytes: 204_000,
    milliseconds: 27,
  },
  {
    method: 'GET',
    host: 'cdn.weir.test',
    path: () => '/fonts/inter-latin.woff2',
    status: 304,
    mediaType: 'font/woff2',
    bytes: 0,
    milliseconds: 6,
  },
  {
    method: 'OPTIONS',
    host: 'api.weir.test',
    path: () => '/v2/cart',
    status: 204,
    mediaType: null,
    bytes: 0,
    milliseconds: 9,
  },
  {
    method: 'POST',
    host: 'api.weir.test',
    path: () => '/graphql',
    status: 200,
    mediaType: 'application/json',
    bytes: 3_100,
    milliseconds: 64,
  },
  {
    method: 'GET',
    host: 'api.weir.test',
    path: () => '/v2/cart?expand=items,totals',
    status: 200,
    mediaType: 'application/json',
    bytes: 5_800,
    milliseconds: 88,
    label: 4,
  },
  {
    method: 'GET',
    host: 'live.weir.test',
    path: () => '/stock',
    status: 101,
    mediaType: null,
    bytes: 4_096,
    milliseconds: 31_400,
    kind: 'websocket',
  },
  {
    method: 'POST',
    host: 'api.weir.test',
    path: () => '/v2/cart/items',
    status: 200,
    mediaType: 'application/json',
    bytes: 912,
    milliseconds: 71,
  },
  {
    method: 'GET',
    host: 'cdn.weir.test',
    path: () => '/img/missing.png',
    status: 404,
    mediaType: 'text/html',
    bytes: 162,
    milliseconds: 8,
  },
  {
    method: 'POST',
    host: 'api.weir.test',
    path: () => '/v2/checkout/quote',
    status: 500,
    mediaType: 'application/json',
    bytes: 388,
    milliseconds: 1_420,
    label: 1,
  },
  {
    method: '',
    host: 'pinned.weir.test',
    path: () => '',
    status: null,
    mediaType: null,
    bytes: 0,
    milliseconds: 31,
    kind: 'tunnel',
    error: {
      code: 'tls.client-untrusted',
      side: 'client',
      phase: 'tls',
      message: 'The client closed the handshake with the alert unknown_ca.',
    },
  },
  {
    method: 'GET',
    host: 'api.weir.test',
    path: (n) => `/v2/recommendations/by-history/for/user/${String(n)}/list?user=${'x'.repeat(40)}&limit=25`,
    status: 200,
    mediaType: 'application/json',
    bytes: 22_600,
    milliseconds: 133,
  },
  {
    method: 'GET',
    host: 'shop.weir.test',
    path: () => '/account',
    status: 302,
    mediaType: 'text/html',
    bytes: 0,
    milliseconds: 14,
  },
  {
    method: 'GET',
    host: 'a-very-long-name-of-a-service.internal.cluster.weir.test',
    path: () => '/health',
    status: 200,
    mediaType: 'text/plain',
    bytes: 2,
    milliseconds: 3,
  },
  {
    method: 'GET',
    host: 'localhost',
    path: (n) => `/items/${String(n)}`,
    status: 429,
    mediaType: 'application/json',
    bytes: 96,
    milliseconds: 5,
    label: 3,
  },
  {
    method: 'GET',
    host: 'cdn.weir.test',
    path: (n) => `/img/p/${String(1_000 + (n % 400))}-640.avif`,
    status: 200,
    mediaType: 'image/avif',
    bytes: 38_000,
    milliseconds: 12,
  },
  {
    method: 'GET',
    host: 'nowhere.example',
    path: () => '/',
    status: null,
    mediaType: null,
    bytes: 0,
    milliseconds: 22,
    error: { code: 'dns.not-found', side: 'origin', phase: 'resolve', message: 'nowhere.example has no address.' },
  },
];

/** The n-th invented exchange, counted from 0; its id is n + 1. The same n is always the same exchange. */
export function fakeExchange(n: number, session: number, state: 'active' | 'complete' = 'complete'): ExchangeSummary {
  const kind = KINDS[n % KINDS.length];
  if (kind === undefined) throw new RangeError(`no kind for ${String(n)}`);
  const active = state === 'active';
  const tls = kind.host !== 'localhost';
  return {
    id: n + 1,
    session,
    kind: kind.kind ?? 'http',
    state: active ? 'active' : kind.error === undefined ? 'complete' : 'failed',
    startedAt: FAKE_START + n * 40_000,
    duration: active ? null : kind.milliseconds * 1_000 + (n % 7) * 900,
    method: kind.method,
    scheme: kind.kind === 'tunnel' ? 'tls' : tls ? 'https' : 'http',
    host: kind.host,
    port: tls ? 443 : 3_000,
    path: kind.path(n),
    status: active ? null : kind.status,
    mediaType: active ? null : kind.mediaType,
    client: { address: '127.0.0.1:53122', protocol: 'http/1.1' },
    origin: { address: '127.0.0.1:9443', protocol: 'http/1.1' },
    requestBodyBytes: kind.method === 'POST' ? 120 : 0,
    responseBodyBytes: active ? 0 : kind.bytes,
    error: active ? null : (kind.error ?? null),
    anomalies: [],
    bodies: 'whole',
    label: kind.label ?? 0,
    pinned: false,
    commented: false,
    program: null,
    operation: null,
    llm: null,
    messages: 0,
    grpcStatus: null,
    replayOf: null,
  };
}

/** Whether an invented exchange passes a filter; bodies and heads are looked for in the path alone. */
export function passes(node: FilterNode | null, row: ExchangeSummary): boolean {
  if (node === null) return true;
  switch (node.kind) {
    case 'and':
      return node.nodes.every((part) => passes(part, row));
    case 'or':
      return node.nodes.some((part) => passes(part, row));
    case 'not':
      return !passes(node.node, row);
    case 'term':
      return termPasses(node.term, row);
  }
}

function termPasses(term: FilterTerm, row: ExchangeSummary): boolean {
  const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());
  switch (term.key) {
    case 'host':
      return contains(row.host, term.text);
    case 'method':
      return row.method.toLowerCase() === term.text;
    case 'type':
      return contains(row.mediaType ?? '', term.text);
    case 'error':
      return contains(row.error?.code ?? '', term.text);
    case 'status':
      return row.status !== null && row.status >= term.least && row.status <= term.most;
    case 'port':
      return row.port >= term.least && row.port <= term.most;
    case 'size':
      return row.responseBodyBytes >= term.least && row.responseBodyBytes <= term.most;
    case 'dur':
      return row.duration !== null && row.duration >= term.least && row.duration <= term.most;
    case 'label':
      return row.label === term.label;
    case 'app':
      return contains(row.program ?? '', term.text);
    case 'operation':
      return contains(row.operation ?? '', term.text);
    case 'has':
      return term.flag === 'error' ? row.error !== null : row.responseBodyBytes > 0;
    case 'is':
      return row.kind === term.flag || row.state === term.flag;
    case 'any':
    case 'text':
    case 'path':
    case 'url':
      return contains(`${row.scheme}://${row.host}${row.path}`, term.text);
    default:
      return false;
  }
}
