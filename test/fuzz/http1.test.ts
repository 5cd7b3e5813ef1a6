import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { writeRequestHead, writeResponseHead } from '../../proxy-engine/protocol/http1/index.ts';
import type { RequestHead, ResponseHead } from '../../proxy-engine/protocol/http1/index.ts';
import { makeRequest, makeResponse } from '../support/http1-message-maker.ts';
import { fingerprint, playRequests, playResponses } from '../support/http1-transcript.ts';
import { SeededRandom } from '../support/seeded-random.ts';

const HOP_BY_HOP = ['keep-alive', 'proxy-connection', 'proxy-authorization', 'upgrade', 'http2-settings', 'x-hop'];

/** Runs one case a seed and names the seed that fails. */
async function forSeeds(count: number, check: (random: SeededRandom) => void | Promise<void>): Promise<void> {
  for (let seed = 1; seed <= count; seed++) {
    try {
      await check(new SeededRandom(seed));
    } catch (error: unknown) {
      throw new Error(`seed ${String(seed)}`, { cause: error });
    }
  }
}

function mutated(random: SeededRandom, text: string): string {
  return random.chance(2) ? random.mutate(text) : text;
}

function forwardRequest(head: RequestHead): Buffer {
  const { form, path, authority } = head.destination;
  return writeRequestHead(head, {
    target: form === 'absolute' ? path : null,
    host: form === 'absolute' || !head.has('host') ? authority || 'a.test' : null,
    relayUpgrade: false,
    keepProxyAuthorization: false,
    close: false,
    maxForwards: null,
    appendedLines: '',
  });
}

test('requests: the same events however they are split, never an exception, never too much taken', async () => {
  await forSeeds(3000, (random) => {
    const stream = Buffer.from(mutated(random, makeRequest(random) + makeRequest(random)), 'latin1');
    const options = { bareLineFeed: random.chance(3), limits: { headBytes: 300, requestLineBytes: 60, fields: 8 } };
    const whole = fingerprint(playRequests([stream], options));
    for (let times = 0; times < 3; times++) {
      expect(fingerprint(playRequests(random.segments(stream), options))).toBe(whole);
    }
  });
});

test('responses: the same events however they are split, never an exception, never too much taken', async () => {
  await forSeeds(3000, (random) => {
    const stream = Buffer.from(mutated(random, makeResponse(random) + makeResponse(random)), 'latin1');
    const options = {
      bareLineFeed: random.chance(3),
      methods: [random.pick(['GET', 'HEAD', 'CONNECT'])],
      limits: { headBytes: 300, fields: 8, chunkExtensionBytes: 8 },
      eof: random.chance(2),
    };
    const whole = fingerprint(playResponses([stream], options));
    for (let times = 0; times < 3; times++) {
      expect(fingerprint(playResponses(random.segments(stream), options))).toBe(whole);
    }
  });
});

test('forwarded requests mean the same when read again, and hold nothing that ends at this hop', async () => {
  let forwarded = 0;
  await forSeeds(4000, (random) => {
    const stream = Buffer.from(mutated(random, makeRequest(random)), 'latin1');
    const { heads, events, wire } = playRequests([stream], { messages: 1, bareLineFeed: random.chance(4) });
    const [head] = heads;
    if (head === undefined || head.method === 'CONNECT' || events.at(-1) !== 'end') return;
    const again = playRequests([forwardRequest(head), Buffer.from(wire, 'latin1')]);
    expect(again.failure).toBeNull();
    expect([again.heads.length, again.rest, again.midMessage, again.wire]).toEqual([1, '', false, wire]);
    const [second] = again.heads;
    if (second === undefined) throw new Error('unreachable');
    expect([second.method, second.framing, second.contentLength]).toEqual([
      head.method,
      head.framing,
      head.contentLength,
    ]);
    expect(second.anomalies).toEqual([]);
    expect(second.destination.path).toBe(head.destination.path);
    expect(HOP_BY_HOP.filter((name) => second.has(name))).toEqual([]);
    expect(second.connectionOptions.filter((option) => option !== 'te')).toEqual([]);
    forwarded++;
  });
  expect(forwarded).toBeGreaterThan(800);
});

test('forwarded responses mean the same when read again', async () => {
  let forwarded = 0;
  await forSeeds(4000, (random) => {
    const method = random.pick(['GET', 'GET', 'HEAD']);
    const stream = Buffer.from(mutated(random, makeResponse(random)), 'latin1');
    const { heads, events, wire } = playResponses([stream], { methods: [method], messages: 1, eof: true });
    const [head] = heads;
    if (head === undefined || events.at(-1) !== 'end') return;
    const keepAlive = head.framing !== 'until-close';
    const written = writeResponseHead(head, {
      clientMinorVersion: 1,
      keepAlive,
      relayUpgrade: false,
      appendedLines: '',
    });
    const segments = [written, Buffer.from(wire, 'latin1')];
    const again = playResponses(segments, { methods: [method], eof: true });
    const [second] = again.heads;
    if (second === undefined) throw new Error(again.failure?.message ?? 'no head');
    expect([again.heads.length, again.rest, again.wire, again.events.at(-1)]).toEqual([1, '', wire, 'end']);
    expect([second.status, second.framing, second.contentLength, second.keepAlive]).toEqual([
      head.status,
      head.framing,
      head.contentLength,
      keepAlive || head.status < 200,
    ]);
    expect(second.anomalies.filter((code) => code !== 'unframed-coding')).toEqual([]);
    forwarded++;
  });
  expect(forwarded).toBeGreaterThan(800);
});

test('two machines wired to each other agree on every message of a pipeline', async () => {
  await forSeeds(1000, (random) => {
    const texts = Array.from({ length: 1 + random.below(4) }, () => makeRequest(random));
    const client = playRequests(random.segments(Buffer.from(texts.join(''), 'latin1')));
    const ends = client.events.filter((event) => event === 'end').length;
    const complete = client.heads.slice(0, ends);
    if (complete.some((head) => head.method === 'CONNECT')) return;
    // The wire bytes of the bodies, message by message.
    const bodies = bodiesOf(client.events);
    const relayed = complete.map((head, index) => [forwardRequest(head), Buffer.from(bodies[index] ?? '', 'latin1')]);
    const origin = playRequests(random.segments(Buffer.concat(relayed.flat())));
    expect(origin.failure).toBeNull();
    expect(origin.heads.map((head) => head.method)).toEqual(complete.map((head) => head.method));
    expect(bodiesOf(origin.events)).toEqual(bodies.slice(0, ends));

    const answers = complete.map(
      () => 'HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n',
    );
    const methods = complete.map((head) => head.method);
    const stream = answers.map((text, index) =>
      methods[index] === 'HEAD' ? text.slice(0, text.indexOf('1\r\nx')) : text,
    );
    const back = playResponses(random.segments(Buffer.from(stream.join(''), 'latin1')), { methods });
    expect(back.heads.map((head: ResponseHead) => head.status)).toEqual(complete.map(() => 200));
  });
});

test('a second parser reads what we forward as the same requests', async () => {
  let compared = 0;
  await forSeeds(400, async (random) => {
    const stream = Buffer.from(mutated(random, makeRequest(random)), 'latin1');
    const { heads, events, wire } = playRequests([stream], { messages: 1 });
    const [head] = heads;
    if (head === undefined || head.method === 'CONNECT' || events.at(-1) !== 'end') return;
    const sentinel = 'GET /sentinel HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
    const { seen, refused } = await readByNode(
      Buffer.concat([forwardRequest(head), Buffer.from(wire + sentinel, 'latin1')]),
    );
    // Node may refuse what passes here (it knows fewer methods), but must never find other requests in it.
    const target = head.destination.path;
    const expected = [`${head.method} ${target}`, 'GET /sentinel'];
    expect(seen.map(({ line }) => line)).toEqual(expected.slice(0, refused ? seen.length : 2));
    if (refused) return;
    const payload = events
      .filter((event) => event.startsWith('payload '))
      .map((event) => event.slice('payload '.length));
    expect(seen[0]?.body).toBe(payload.join(''));
    compared++;
  });
  expect(compared).toBeGreaterThan(40);
});

/** Framing and payload of each message, by the `end` events. */
function bodiesOf(events: readonly string[]): string[] {
  const bodies: string[] = [];
  let body = '';
  for (const event of events) {
    if (event.startsWith('payload ')) body += event.slice('payload '.length);
    if (event.startsWith('framing ')) body += event.slice('framing '.length);
    if (event === 'end') {
      bodies.push(body);
      body = '';
    }
  }
  return bodies;
}

interface SeenRequest {
  readonly line: string;
  body: string;
}

/** What node:http finds in a byte stream, and whether it refused to read on. */
async function readByNode(bytes: Buffer): Promise<{ seen: SeenRequest[]; refused: boolean }> {
  const seen: SeenRequest[] = [];
  let refused = false;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const record = (request: IncomingMessage, response: ServerResponse): void => {
    const entry: SeenRequest = { line: `${request.method ?? ''} ${request.url ?? ''}`, body: '' };
    seen.push(entry);
    request.on('data', (chunk: Buffer) => (entry.body += chunk.toString('latin1')));
    request.on('end', () => response.end());
  };
  const server = createServer(record).on('checkExpectation', record);
  // A request that it refuses ends the conversation.
  server.on('clientError', () => {
    refused = true;
    socket.destroy();
    resolve(undefined);
  });
  const socket = new Duplex({
    read() {},
    write(_chunk, _encoding, done) {
      done();
    },
    final(done) {
      done();
      resolve(undefined);
    },
  });
  server.emit('connection', socket);
  socket.push(bytes);
  socket.push(null);
  await promise;
  server.close();
  return { seen, refused };
}
