import { SeededRandom } from '../../test/support/seeded-random.ts';
import type { RecordedExchange } from '../../test/support/store-kit.ts';

/*
 * The fixed corpus of the scale benchmark: exchanges of an invented company, the same for the same number of rows. Only the
 * day on which they happened follows the clock, so that retention leaves them alone.
 */

const SEED = 1_000_000;
const HOSTS = 300;
const PRODUCTS = 40_000;
/** Time between the beginnings of two exchanges, microseconds. */
const STEP_MICROSECONDS = 2_000;

/** Stands in ten bodies of a million. */
const RARE_WORD = 'marmalade';
const RARE_EVERY = 100_000;
/** Stands in every fourth body. */
const COMMON_WORD = 'checkout';
const COMMON_SHARE = 4;
/** Two characters are too short for the index; they stand in one body of a thousand. */
const SHORT_TEXT = '~q';
const SHORT_SHARE = 1_000;

const METHODS = [
  ...Array<string>(80).fill('GET'),
  ...Array<string>(12).fill('POST'),
  'PUT',
  'PUT',
  'PUT',
  'PUT',
].concat(['DELETE', 'DELETE', 'HEAD', 'OPTIONS']);
const STATUSES = [...Array<number>(80).fill(200), ...Array<number>(8).fill(304), ...Array<number>(6).fill(404)].concat([
  302, 302, 302, 500, 500, 503,
]);
const TYPES = ['application/json', 'application/json', 'text/html; charset=utf-8', 'image/webp', 'text/css'];
const AREAS = ['items', 'baskets', 'accounts', 'orders', 'search', 'assets', 'prices', 'reviews'];
const AGENTS = ['Mozilla/5.0 (X11; Linux x86_64) Chrome/153.0', 'shop-app/4.2 (iOS 26.1)', 'curl/8.14.1'];

/** A query that the benchmark asks, by its name. */
export interface NamedQuery {
  readonly name: string;
  readonly filter: string;
  /** Whether an index knows the answer, or narrows it down to few rows; others walk the rows and stream. */
  readonly indexed: boolean;
}

export const NAMED_QUERIES: readonly NamedQuery[] = [
  { name: 'rare word', filter: RARE_WORD, indexed: true },
  { name: 'common word', filter: `text:${COMMON_WORD}`, indexed: false },
  { name: 'no hit', filter: 'xylophone-quartz', indexed: true },
  { name: 'host', filter: 'host:h207.shop.example', indexed: true },
  { name: 'status class', filter: 'status:5xx', indexed: true },
  { name: 'negated', filter: '-host:cdn.shop.example -status:2xx', indexed: false },
  { name: 'method', filter: 'method:delete', indexed: true },
  { name: 'path substring', filter: 'path:/orders/1234', indexed: false },
  { name: 'range', filter: 'dur:>2.9s size:>150b', indexed: false },
  { name: 'unindexed body text', filter: `body:${SHORT_TEXT}`, indexed: false },
];

/** Exchange after exchange. */
export class Corpus {
  readonly #random = new SeededRandom(SEED);
  readonly #beganAt: number;

  /** @param endsAt when the last of them begins, microseconds since the Unix epoch */
  constructor(rows: number, endsAt: number) {
    this.#beganAt = endsAt - rows * STEP_MICROSECONDS;
  }

  next(id: number): RecordedExchange {
    const random = this.#random;
    const status = random.pick(STATUSES);
    const type = random.pick(TYPES);
    const end = random.below(100) < 90 ? 5_000 + random.below(400_000) : 400_000 + random.below(2_600_000);
    return {
      startedAt: this.#beganAt + id * STEP_MICROSECONDS,
      method: random.pick(METHODS),
      host: this.#host(),
      path: `/v1/${random.pick(AREAS)}/${String(random.below(PRODUCTS))}?page=${String(random.below(20))}&sort=price`,
      status,
      requestHeaders: [
        `User-Agent: ${random.pick(AGENTS)}`,
        'Accept: */*',
        'Accept-Encoding: gzip, br',
        `Cookie: session=${random.below(2 ** 31).toString(16)}`,
      ],
      responseHeaders: [
        `Content-Type: ${type}`,
        'Cache-Control: private, max-age=60',
        `ETag: "${random.below(2 ** 31).toString(36)}"`,
        'Vary: Accept-Encoding',
      ],
      responseBody: status === 304 ? '' : this.#body(id),
      end: {
        timing: { dns: null, connect: null, tls: null, sent: 300, firstByte: Math.floor(end / 2), end },
      },
    };
  }

  /** A quarter of the traffic goes to each of two hosts, the rest is spread over the others. */
  #host(): string {
    const draw = this.#random.below(4);
    if (draw === 0) return 'api.shop.example';
    if (draw === 1) return 'cdn.shop.example';
    return `h${String(this.#random.below(HOSTS))}.shop.example`;
  }

  #body(id: number): string {
    const random = this.#random;
    const words = [
      id % RARE_EVERY === 0 ? RARE_WORD : 'jam',
      random.chance(COMMON_SHARE) ? COMMON_WORD : 'basket',
      random.chance(SHORT_SHARE) ? SHORT_TEXT : '-',
    ];
    const notes = Array.from({ length: 1 + random.below(8) }, () => `"note":"n${random.below(2 ** 31).toString(36)}"`);
    return `{"id":${String(id)},"words":"${words.join(' ')}","price":${String(random.below(9_999))},${notes.join(',')}}`;
  }
}
