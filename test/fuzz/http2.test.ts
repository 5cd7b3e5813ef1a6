import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy-engine/index.ts';
import { Http2Connection } from '../../proxy-engine/protocol/http2/index.ts';
import type { HeaderToSend, Http2Head, Http2Stream } from '../../proxy-engine/protocol/http2/index.ts';
import { SeededRandom } from '../support/seeded-random.ts';

const SEEDS = 300;
const LIMITS = { ...DEFAULT_LIMITS, streamWindowBytes: 2_000, connectionWindowBytes: 65_535, concurrentStreams: 20 };

/** What one stream carried, as one end saw it. */
interface Heard {
  head: string;
  body: string;
  trailers: string;
  ended: boolean;
}

/** One end of a connection: remembers by stream what it heard and takes bytes off its streams when told. */
class End {
  readonly connection: Http2Connection<null>;
  readonly heard = new Map<number, Heard>();
  readonly open = new Map<number, Http2Stream<null>>();
  readonly events: string[] = [];
  readonly #owed = new Map<Http2Stream<null>, number>();

  constructor(role: 'client' | 'server') {
    const list = (head: Http2Head): string => head.fields.map(({ name, value }) => `${name}=${value}`).join('&');
    this.connection = new Http2Connection<null>(
      role,
      LIMITS,
      {
        onHead: (stream, head, end) => {
          this.open.set(stream.id, stream);
          this.heard.set(stream.id, { head: list(head), body: '', trailers: '', ended: end });
          this.events.push(`head ${String(stream.id)} ${list(head)} ${String(end)}`);
        },
        onData: (stream, bytes, start, end, last) => {
          const heard = this.#of(stream);
          heard.body += bytes.toString('latin1', start, end);
          heard.ended = last;
          this.#owed.set(stream, (this.#owed.get(stream) ?? 0) + end - start);
        },
        onTrailers: (stream, head) => {
          const heard = this.#of(stream);
          heard.trailers = list(head);
          heard.ended = true;
        },
        onReset: (stream, code) => this.events.push(`reset ${String(stream.id)} ${String(code)}`),
        onDrained: () => undefined,
        onGoaway: () => undefined,
        onSettings: () => undefined,
        onFailure: ({ code }) => this.events.push(`failure ${String(code)}`),
      },
      { tolerateSpace: false, offersConnect: true, now: () => 0 },
    );
  }

  /** Gives back what was taken, so that more may come. */
  consume(): void {
    for (const [stream, octets] of this.#owed) this.connection.consume(stream, octets);
    this.#owed.clear();
  }

  /** Everything heard, for a comparison. */
  get account(): string {
    return JSON.stringify([this.events, [...this.heard]]);
  }

  #of(stream: Http2Stream<null>): Heard {
    const heard = this.heard.get(stream.id);
    if (heard === undefined) throw new Error('a body before its head');
    return heard;
  }
}

const request = (random: SeededRandom): HeaderToSend[] => [
  { name: ':method', value: 'POST' },
  { name: ':scheme', value: 'https' },
  { name: ':authority', value: 'a' },
  { name: ':path', value: `/${String(random.below(5))}` },
  ...Array.from({ length: random.below(6) }, () => ({
    name: `x-${String(random.below(20))}`,
    value: 'v'.repeat(random.below(60)) + String(random.below(9)),
  })),
];

function bodyOf(random: SeededRandom): Buffer {
  return Buffer.from(Array.from({ length: random.below(20_000) }, (_, index) => 97 + (index % 26)));
}

/** Carries everything that waits either way, cut at random points. */
function carry(random: SeededRandom, from: End, to: End): boolean {
  const bytes = Buffer.concat(from.connection.take());
  if (bytes.length === 0) return false;
  for (const segment of random.segments(bytes)) to.connection.receive(segment);
  return true;
}

test('two machines wired together bring every message over whole, whatever the order and the windows', () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const random = new SeededRandom(seed);
    const client = new End('client');
    const server = new End('server');
    const sent = new Map<number, { body: string; trailers: boolean }>();
    for (let times = 1 + random.below(8); times > 0; times -= 1) {
      const body = bodyOf(random);
      const trailers = random.chance(3);
      const stream = client.connection.open(request(random), false, null);
      if (stream === null) continue;
      client.connection.sendData(stream, body, 0, body.length, !trailers);
      if (trailers) client.connection.sendTrailers(stream, [{ name: 'x-sum', value: String(body.length) }]);
      sent.set(stream.id, { body: body.toString('latin1'), trailers });
      if (random.chance(2)) carry(random, client, server);
      if (random.chance(2)) server.consume();
      if (random.chance(2)) carry(random, server, client);
    }
    for (let moved = true; moved;) {
      server.consume();
      moved = carry(random, client, server);
      moved = carry(random, server, client) || moved;
    }
    for (const [id, { body, trailers }] of sent) {
      expect(server.heard.get(id), `seed ${String(seed)}, stream ${String(id)}`).toMatchObject({
        body,
        trailers: trailers ? `x-sum=${String(body.length)}` : '',
        ended: true,
      });
    }
    expect(client.connection.failure ?? server.connection.failure, `seed ${String(seed)}`).toBeNull();
  }
});

/** What a client writes for a few requests. */
function written(random: SeededRandom): Buffer {
  const client = new End('client');
  for (let times = 1 + random.below(4); times > 0; times -= 1) {
    const stream = client.connection.open(request(random), false, null);
    if (stream !== null) client.connection.sendData(stream, Buffer.from('body'), 0, random.below(5), random.chance(2));
  }
  return Buffer.concat(client.connection.take());
}

function hear(segments: readonly Buffer[]): string {
  const server = new End('server');
  for (const segment of segments) server.connection.receive(segment);
  return server.account;
}

test('every split of the same bytes is understood alike', () => {
  const bytes = written(new SeededRandom(7));
  const whole = hear([bytes]);
  for (let at = 0; at <= bytes.length; at += 1) {
    expect(hear([bytes.subarray(0, at), bytes.subarray(at)]), `split at ${String(at)}`).toBe(whole);
  }
  expect(hear([...bytes].map((byte) => Buffer.from([byte])))).toBe(whole);
});

test('mutated bytes never throw, and are understood alike however they are split', () => {
  for (let seed = 1; seed <= 2_000; seed += 1) {
    const random = new SeededRandom(seed);
    const bytes = Buffer.from(written(random));
    for (let times = 1 + random.below(4); times > 0; times -= 1)
      bytes[24 + random.below(bytes.length - 24)] = random.below(256);
    const whole = hear([bytes]);
    expect(hear(random.segments(bytes)), `seed ${String(seed)}`).toBe(whole);
  }
});
