import type { BenchProfileResult } from './bench.ts';

/** What the makers of another proxy published about it. Facts of other machines: they say what is claimed, not how it compares here. */
interface PublishedTable {
  readonly product: string;
  /** When, and on what. */
  readonly where: string;
  /** Throughput divided by that of nginx with proxy_buffering off, in their own run, by profile. */
  readonly ratios: Readonly<Record<string, number>>;
}

const TABLES: readonly PublishedTable[] = [
  {
    product: 'A3S Gateway 1.0.13',
    where: 'August 2026, a hosted runner of 4 cores',
    ratios: {
      'http1-small': 0.75,
      'https-http1': 0.89,
      'https-http2': 1.8,
      'grpc-unary': 2.15,
      'sse-finite': 0.76,
      'websocket-echo': 0.94,
      'tcp-echo': 0.92,
      'udp-echo': 1.48,
      'openai-json': 0.73,
      'openai-stream': 0.72,
    },
  },
  {
    product: 'Titanium Web Proxy 6.0',
    where: 'August 2026, hosted runners of 4 cores, Linux, the peaks of ramps',
    ratios: {
      'http1-small': 0.84,
      'https-http1': 0.84,
      'https-http2': 2.25,
      'new-connection': 0.97,
      'https-64k': 1.43,
      'https-256k': 1.58,
      'http2-64k': 3.03,
      'http2-256k': 2.85,
      'post-64k': 1.24,
      'http2-post-64k': 1.91,
      'lossy-http1': 1,
      'lossy-http2': 7.36,
      'slow-reader': 1.13,
      'early-response': 1.29,
      'http2-early-response': 2.03,
    },
  },
];

/** How those tables ran nginx. */
const THEIR_NGINX: readonly string[] = ['nginx-unbuffered', 'nginx'];

/**
 * What others published for a profile, beside Weir's throughput divided by the same nginx here.
 *
 * @returns null where nobody published anything
 */
export function publishedText({ profile, products }: BenchProfileResult): string | null {
  const claims = TABLES.flatMap(({ product, where, ratios }) => {
    const ratio = ratios[profile];
    return ratio === undefined ? [] : [`${product} ${ratio.toFixed(2)}× (${where})`];
  });
  if (claims.length === 0) return null;
  const rate = (id: string): number | null =>
    products.find(({ product }) => product === id)?.median?.operationsPerSecond ?? null;
  const nginx = THEIR_NGINX.map(rate).find((one) => one !== null) ?? null;
  const weir = rate('weir');
  const here = weir === null || nginx === null ? 'not measured' : `${(weir / nginx).toFixed(2)}×`;
  return `Published by their makers, on other hardware, throughput against nginx with proxy_buffering off: ${claims.join('; ')}. Weir here: ${here}.`;
}
