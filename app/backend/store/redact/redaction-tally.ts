import {
  exchangeUrl,
  shortenMiddle,
  type ExchangeDetail,
  type ExchangeSummary,
  type HeaderField,
  type LeavingExchange,
  type MessageDetail,
  type RedactionReport,
  type RedactionSample,
} from '#contract';
import type { BlankedKind } from './redact-head.ts';

const MOST_SAMPLES = 12;
const MOST_NAMED = 100;
const MOST_HOSTS = 20;
/** A report is told again and again while it grows: what it holds of hostile methods and URLs stays small, characters. */
const MOST_METHOD = 32;
const MOST_URL = 1_000;

/** Counts what leaves in an export and what of it was blanked. */
export class RedactionTally {
  readonly #counts = { headers: 0, cookies: 0, parameters: 0, jsonValues: 0 };
  readonly #hosts = new Map<string, number>();
  readonly #samples = new Map<string, RedactionSample>();
  readonly #named: { exchange: LeavingExchange; what: string; reason: string }[] = [];
  #exchanges = 0;
  #bytes = 0;
  #leftOut = 0;
  #otherBodies = 0;

  get exchanges(): number {
    return this.#exchanges;
  }

  /** An exchange leaves. @param detail as it leaves */
  leaves({ summary, request, response }: ExchangeDetail): void {
    this.#exchanges += 1;
    this.#hosts.set(summary.host, (this.#hosts.get(summary.host) ?? 0) + 1);
    this.#bytes += messageBytes(request) + messageBytes(response);
  }

  /** A value is blanked. @param exchange as it leaves */
  blanked(
    exchange: ExchangeSummary,
    kind: BlankedKind | 'jsonValues',
    place: string,
    name: string,
    leaves: string,
  ): void {
    this.#counts[kind] += 1;
    const key = `${place} ${name}`;
    if (this.#samples.size >= MOST_SAMPLES || this.#samples.has(key)) return;
    this.#samples.set(key, {
      exchange: nameOf(exchange),
      place,
      name: name.slice(0, 200),
      leaves: leaves.slice(0, 200),
    });
  }

  /**
   * Values of one body or message are blanked.
   * @param exchange as it leaves
   */
  blankedJson(exchange: ExchangeSummary, place: string, name: string, count: number): void {
    if (count === 0) return;
    this.blanked(exchange, 'jsonValues', place, name, '"redacted"');
    this.#counts.jsonValues += count - 1;
  }

  /** A body or a message stays behind. @param exchange as it leaves */
  leavesOut(exchange: ExchangeSummary, what: string, reason: string): void {
    this.#leftOut += 1;
    if (this.#named.length < MOST_NAMED) this.#named.push({ exchange: nameOf(exchange), what, reason });
  }

  /** A body or a message leaves unread. */
  other(): void {
    this.#otherBodies += 1;
  }

  report(): RedactionReport {
    const busiest = [...this.#hosts]
      .sort(([, one], [, other]) => other - one)
      .slice(0, MOST_HOSTS)
      .map(([host, exchanges]) => ({ host, exchanges }));
    return {
      exchanges: this.#exchanges,
      bytes: this.#bytes,
      hosts: this.#hosts.size,
      busiest,
      ...this.#counts,
      leftOut: this.#leftOut,
      named: [...this.#named],
      otherBodies: this.#otherBodies,
      samples: [...this.#samples.values()],
    };
  }
}

function nameOf(exchange: ExchangeSummary): LeavingExchange {
  const { id, method, kind } = exchange;
  return {
    id,
    method: shortenMiddle(method === '' ? kind : method, MOST_METHOD),
    url: shortenMiddle(exchangeUrl(exchange), MOST_URL),
  };
}

function messageBytes(message: MessageDetail | null): number {
  if (message === null) return 0;
  const lines = (fields: readonly HeaderField[]): number =>
    fields.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  return message.startLine.length + 4 + lines(message.headers) + lines(message.trailers) + message.storedBytes;
}
