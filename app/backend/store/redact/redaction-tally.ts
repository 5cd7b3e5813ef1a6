import type {
  ExchangeDetail,
  ExchangeId,
  HeaderField,
  MessageDetail,
  RedactionReport,
  RedactionSample,
} from '#contract';
import type { BlankedKind } from './redact-head.ts';

const MOST_SAMPLES = 12;
const MOST_NAMED = 100;
const MOST_HOSTS = 20;

/** Counts what leaves in an export and what of it was blanked. */
export class RedactionTally {
  readonly #counts = { headers: 0, cookies: 0, parameters: 0, jsonValues: 0 };
  readonly #hosts = new Map<string, number>();
  readonly #samples = new Map<string, RedactionSample>();
  readonly #named: { exchange: ExchangeId; what: string; reason: string }[] = [];
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

  blanked(exchange: ExchangeId, kind: BlankedKind | 'jsonValues', place: string, name: string, leaves: string): void {
    this.#counts[kind] += 1;
    const key = `${place} ${name}`;
    if (this.#samples.size >= MOST_SAMPLES || this.#samples.has(key)) return;
    this.#samples.set(key, { exchange, place, name: name.slice(0, 200), leaves: leaves.slice(0, 200) });
  }

  /** @param count values of one body or message */
  blankedJson(exchange: ExchangeId, place: string, name: string, count: number): void {
    if (count === 0) return;
    this.blanked(exchange, 'jsonValues', place, name, '"redacted"');
    this.#counts.jsonValues += count - 1;
  }

  leavesOut(exchange: ExchangeId, what: string, reason: string): void {
    this.#leftOut += 1;
    if (this.#named.length < MOST_NAMED) this.#named.push({ exchange, what, reason });
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

function messageBytes(message: MessageDetail | null): number {
  if (message === null) return 0;
  const lines = (fields: readonly HeaderField[]): number =>
    fields.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
  return message.startLine.length + 4 + lines(message.headers) + lines(message.trailers) + message.storedBytes;
}
