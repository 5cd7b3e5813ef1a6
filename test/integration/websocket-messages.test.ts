import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import type { Speech } from '../support/http-peers.ts';
import { startRecordingWeir } from '../support/recording-weir.ts';
import type { RecordingWeir, StoredMessage } from '../support/recording-weir.ts';
import { closePayload, frame, MASK } from '../support/websocket-frames.ts';
import { connectWebSocket, startWebSocketOrigin } from '../support/websocket-peers.ts';
import type { Deflating, WebSocketOrigin } from '../support/websocket-peers.ts';
import { Wire, WireServer } from '../support/wire.ts';

/*
 * Real peers on both sides and a real store: what one peer sent, the other must have, and the store too. Over HTTP/1 and
 * HTTP/2 on either leg, which are bridged where they differ.
 */

/** `WEIR_FULL=1` sends 10,000 messages over every pair of legs, else over the first alone. */
const FULL = process.env['WEIR_FULL'] === '1';
const SPEECH_OF = { h1: 'h1', h2: 'h2c' } as const satisfies Record<string, Speech>;

interface Pair {
  readonly client: WebSocket;
  readonly origin: WebSocket;
  /** The row of the exchange once it is over. */
  over(): Promise<number>;
}

/** The texts of so many messages, once all of them came. */
function hear(socket: WebSocket, count: number): Promise<string[]> {
  const texts: string[] = [];
  return new Promise((resolve) => {
    socket.on('message', (data: Buffer) => {
      texts.push(data.toString());
      if (texts.length === count) resolve(texts);
    });
  });
}

/** Payloads of the data messages of one side, in order. */
function dataOf(messages: readonly StoredMessage[], side: 'request' | 'response'): string[] {
  return messages
    .filter(({ summary }) => summary.side === side && (summary.kind === 'text' || summary.kind === 'binary'))
    .map(({ payload }) => payload.toString());
}

function digest(texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${String(text.length)} ${text}`);
  return hash.digest('hex');
}

describe.each<['h1' | 'h2', 'h1' | 'h2']>([
  ['h1', 'h1'],
  ['h2', 'h2'],
  ['h2', 'h1'],
  ['h1', 'h2'],
])('%s to %s', (clientSpeaks, originSpeaks) => {
  const MESSAGES = FULL || (clientSpeaks === 'h1' && originSpeaks === 'h1') ? 10_000 : 1_000;
  let server: WebSocketOrigin;
  let recording: RecordingWeir;
  let deflate: Deflating = false;

  beforeAll(async () => {
    server = await startWebSocketOrigin(SPEECH_OF[originSpeaks]);
    const scheme = originSpeaks === 'h1' ? 'http' : 'h2c';
    recording = await startRecordingWeir({
      modes: [{ kind: 'reverse', scheme, host: '127.0.0.1', port: server.port, basePath: '' }],
    });
  });

  afterAll(async () => {
    server.close();
    await recording.stop();
  });

  async function connect(path: string): Promise<Pair> {
    const accepted = server.accepted();
    const client = await connectWebSocket(SPEECH_OF[clientSpeaks], recording.weir.port, path, deflate);
    return {
      client,
      origin: await accepted,
      async over() {
        const row = await recording.until((seen) => seen.path === path && seen.state !== 'active');
        return row.id;
      },
    };
  }

  test.each<[string, string, Deflating]>([
    ['plain', '/plain', false],
    ['deflated with context takeover', '/takeover', { threshold: 0 }],
    ['deflated without', '/forgetting', { threshold: 0, serverNoContextTakeover: true, clientNoContextTakeover: true }],
  ])(
    'thousands of messages each way, %s, are the same at the peer and in the store',
    async (_name, path, options) => {
      deflate = options;
      const { client, origin, over } = await connect(path);
      const sent = Array.from(
        { length: MESSAGES },
        (_, index) => `{"n":${String(index)},"item":"gauge ${String(index % 97)}"}`,
      );
      const [atClient, atOrigin] = [hear(client, MESSAGES), hear(origin, MESSAGES)];
      for (const text of sent) {
        client.send(text);
        origin.send(text);
      }
      // Peers give a close little time; what was sent before it may take longer here.
      const heard = { client: await atClient, origin: await atOrigin };
      const closed = once(origin, 'close');
      client.close(1_000, 'done');
      await closed;
      const messages = await recording.messages(await over());

      expect(digest(heard.origin)).toBe(digest(sent));
      expect(digest(heard.client)).toBe(digest(sent));
      expect(digest(dataOf(messages, 'request'))).toBe(digest(sent));
      expect(digest(dataOf(messages, 'response'))).toBe(digest(sent));
      expect(messages.filter(({ summary }) => summary.marks.includes('compressed'))).toHaveLength(
        options === false ? 0 : 2 * MESSAGES,
      );
      expect(messages.flatMap(({ summary }) => summary.anomalies)).toEqual([]);
    },
    120_000,
  );

  test('fragmented messages are put together, and control frames between the fragments are told', async () => {
    deflate = false;
    const { client, origin, over } = await connect('/fragments');
    const heard = once(origin, 'message') as Promise<[Buffer]>;
    client.send('one ', { fin: false });
    client.ping('between');
    await once(origin, 'ping');
    client.send('two ', { fin: false });
    client.send('three', { fin: true });
    expect((await heard)[0].toString()).toBe('one two three');
    const closed = once(origin, 'close');
    client.close();
    await closed;
    const messages = await recording.messages(await over());

    const request = messages.filter(({ summary }) => summary.side === 'request');
    expect(request.map(({ summary, payload }) => `${summary.kind} ${payload.toString('latin1')}`)).toEqual([
      'ping between',
      'text one two three',
      'close ',
    ]);
    expect(request[1]?.summary.marks).toEqual(['fragmented']);
  });

  test.each<[string, Deflating]>([
    ['/16-plain', false],
    ['/16-deflated', { threshold: 0 }],
  ])('16 MiB each way come through %s whole and are stored whole', async (path, options) => {
    deflate = options;
    const { client, origin, over } = await connect(path);
    const big = Buffer.alloc(16_777_216);
    for (let at = 0; at < big.length; at += 4) big.writeUInt32LE(Math.imul(at, 2_654_435_761) >>> 9, at);
    const atOrigin = once(origin, 'message') as Promise<[Buffer]>;
    const atClient = once(client, 'message') as Promise<[Buffer]>;
    client.send(big);
    origin.send(big);
    const [[first], [second]] = await Promise.all([atOrigin, atClient]);
    const closed = once(origin, 'close');
    client.close();
    await closed;
    const messages = await recording.messages(await over());

    expect([first.equals(big), second.equals(big)]).toEqual([true, true]);
    const data = messages.filter(({ summary }) => summary.kind === 'binary');
    expect(data.map(({ payload }) => payload.equals(big))).toEqual([true, true]);
  });

  test('every close code that may be sent reaches the peer and the store', async () => {
    deflate = false;
    const codes = [1_000, 1_001, 1_002, 1_003, 1_007, 1_008, 1_009, 1_010, 1_011, 1_012, 1_013, 1_014, 3_000, 4_999];
    for (const code of codes) {
      const { client, origin, over } = await connect(`/close/${String(code)}`);
      const closed = once(origin, 'close') as Promise<[number, Buffer]>;
      client.close(code, `because ${String(code)}`);
      const [seen, reason] = await closed;
      expect([seen, reason.toString()]).toEqual([code, `because ${String(code)}`]);
      const messages = await recording.messages(await over());
      const [first] = messages;
      expect(first?.summary).toMatchObject({
        kind: 'close',
        side: 'request',
        facts: { code: String(code), reason: `because ${String(code)}` },
        anomalies: [],
      });
    }
  });
});

describe('an origin that breaks the connection of a WebSocket', () => {
  const HANDSHAKE = [
    'GET /socket HTTP/1.1',
    'Host: a',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ];
  const SWITCH = [
    'HTTP/1.1 101 Switching Protocols',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=',
  ];
  const section = (lines: readonly string[]): string => `${lines.join('\r\n')}\r\n\r\n`;
  const close = closePayload(1_000);
  const BY_CLIENT = frame({ opcode: 8, mask: MASK, payload: close });
  const BY_ORIGIN = frame({ opcode: 8, payload: close });

  test.each([
    ['once both have said close has ended it in order', BY_CLIENT, { state: 'complete', error: null }],
    ['that the client had not said close on has cut it short', null, { state: 'failed', error: 'origin.cut-short' }],
  ])('%s', async (_what, answer, expected) => {
    const server = await WireServer.listen();
    const recording = await startRecordingWeir({
      modes: [{ kind: 'reverse', scheme: 'http', host: '127.0.0.1', port: server.port, basePath: '' }],
    });
    const client = await Wire.connect(recording.weir.port);
    client.send(section(HANDSHAKE));
    const origin = await server.next();
    await origin.head();
    origin.send(section(SWITCH));
    await client.head();
    origin.send(BY_ORIGIN);
    await client.until(BY_ORIGIN.toString('latin1'));
    if (answer !== null) {
      client.send(answer);
      await origin.until(answer.toString('latin1'));
    }
    origin.reset();
    const row = await recording.until(({ state }) => state !== 'active');
    expect({ state: row.state, error: row.error?.code ?? null }).toEqual(expected);
    await recording.stop();
    await server.close();
  });
});
