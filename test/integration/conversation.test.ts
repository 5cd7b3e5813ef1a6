import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket, WebSocketServer, type RawData, type ServerOptions } from 'ws';
import type {
  ContractClient,
  ContractError,
  ConversationRequest,
  ConversationState,
  ExchangeSummary,
  MessageSummary,
} from '#contract';
import { startBackend, type TestBackend } from '../support/backend-kit.ts';
import { runWeir, spawnWeir } from '../support/run-weir.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';

/*
 * WebSockets that Weir opens itself, against servers of the `ws` library: composed from nothing, and recorded conversations of
 * a `ws` client that are sent again.
 */

let weir: TestBackend;
let client: ContractClient;
let ca: string;
const servers: Server[] = [];

beforeAll(async () => {
  weir = await startBackend({ originCertificateAuthorities: [ORIGIN_CA] });
  client = await weir.connect();
  ca = readFileSync(weir.backend.authorityFile, 'utf8');
});
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
afterAll(() => weir.stop());

interface Heard {
  readonly kind: string;
  readonly text: string;
}

/** One connection as the origin saw it. */
interface Seen {
  readonly rawHeaders: readonly string[];
  readonly target: string;
  readonly extensions: string;
  readonly heard: Heard[];
  readonly socket: WebSocket;
  readonly closed: Promise<readonly [number, string]>;
}

interface Origin {
  readonly url: string;
  readonly port: number;
  readonly seen: Seen[];
}

/** A server that greets, and answers each text by its echo unless `serve` does something else. */
async function startOrigin(
  scheme: 'ws' | 'wss',
  options: ServerOptions = {},
  serve: (socket: WebSocket, text: string) => void = (socket, text) => {
    socket.send(`echo ${text}`);
  },
): Promise<Origin> {
  const server = scheme === 'wss' ? createSecureServer(originCertificate('localhost')) : createServer();
  const sockets = new WebSocketServer({ server, ...options });
  const seen: Seen[] = [];
  sockets.on('connection', (socket: WebSocket, { rawHeaders, url = '' }: IncomingMessage) => {
    const heard: Heard[] = [];
    socket.on('message', (data: RawData, isBinary: boolean) => {
      const text = Buffer.isBuffer(data) ? data.toString(isBinary ? 'hex' : 'utf8') : '';
      heard.push({ kind: isBinary ? 'binary' : 'text', text });
      serve(socket, text);
    });
    socket.on('ping', (payload: Buffer) => heard.push({ kind: 'ping', text: payload.toString() }));
    const closed = new Promise<readonly [number, string]>((resolve) => {
      socket.on('close', (code, reason) => {
        resolve([code, reason.toString()]);
      });
    });
    seen.push({ rawHeaders, target: url, extensions: socket.extensions, heard, socket, closed });
  });
  server.listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `${scheme}://localhost:${String(port)}`, port, seen };
}

/** A client of the `ws` library through the proxy, once it is open. */
async function connectThrough(url: string, options: WebSocket.ClientOptions = {}): Promise<WebSocket> {
  const { port, protocol } = new URL(url);
  const tunnel = connect({ host: '127.0.0.1', port: weir.port });
  tunnel.write(`CONNECT localhost:${port} HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
  await once(tunnel, 'data');
  let socket: Socket = tunnel;
  if (protocol === 'wss:') {
    const secure = connectTls({ socket: tunnel, servername: 'localhost', ca });
    await once(secure, 'secureConnect');
    socket = secure;
  }
  const opened = new WebSocket(url, ['chat', 'other'], { createConnection: () => socket, ...options });
  await once(opened, 'open');
  return opened;
}

/** The newest exchange of an origin, once it is over. */
async function recorded({ port }: Origin, filter = ''): Promise<ExchangeSummary> {
  const session = (await client.call('sessions.list', {})).sessions[0]?.id ?? 0;
  const query = { session, filter: `port:${String(port)} ${filter}`, sort: 'time', descending: true } as const;
  for (;;) {
    const [row] = (await client.call('exchanges.query', { ...query, after: null, limit: 1 })).rows;
    if (row !== undefined && row.state !== 'active') return row;
  }
}

async function messagesOf(exchange: number): Promise<readonly MessageSummary[]> {
  const filter = { side: null, kinds: [], text: '' } as const;
  return (await client.call('messages.page', { exchange, filter, after: 0, limit: 500 })).rows;
}

interface Opened {
  /** Resolves with the first state that is as wanted. */
  until(wanted: (state: ConversationState) => boolean): Promise<ConversationState>;
  /** The last state, once all is over. */
  readonly over: Promise<ConversationState>;
  leave(): void;
}

function open(request: Partial<ConversationRequest>): Opened {
  let last: ConversationState | null = null;
  const waiting = new Set<() => void>();
  const news = (): void => {
    for (const look of waiting) look();
  };
  let settle: (outcome: ContractError | null) => void = () => undefined;
  const over = new Promise<ConversationState>((resolve, reject) => {
    settle = (failure) => {
      if (failure !== null) reject(failure);
      else if (last !== null) resolve(last);
    };
  });
  over.catch(() => undefined);
  const stream = client.stream(
    'conversation.open',
    { of: null, deflate: 'captured', replay: null, ...request },
    {
      items(items) {
        last = items.at(-1) ?? last;
        news();
      },
      gap: () => undefined,
      ended: (failure) => {
        settle(failure);
      },
    },
  );
  return {
    over,
    until: (wanted) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (last === null || !wanted(last)) return;
          waiting.delete(look);
          resolve(last);
        };
        waiting.add(look);
        look();
      }),
    leave: () => {
      stream.close();
    },
  };
}

const text = (words: string): Uint8Array => new TextEncoder().encode(words);
const isOpen = ({ phase }: ConversationState): boolean => phase === 'open';

test.each(['ws', 'wss'] as const)(
  'a WebSocket is composed over %s: texts, bytes, a ping and a close',
  async (scheme) => {
    const origin = await startOrigin(scheme, { perMessageDeflate: true, handleProtocols: () => 'chat' });
    const headers = [
      ['X-One', '1'],
      ['sec-websocket-PROTOCOL', 'other, chat'],
    ] as const;
    const opened = open({ url: `${origin.url}/a/../b?c=[1]`, headers, deflate: 'on' });
    const { id, status, subprotocol, extensions } = await opened.until(isOpen);
    expect({ status, subprotocol, extensions }).toEqual({
      status: 101,
      subprotocol: 'chat',
      extensions: 'permessage-deflate',
    });
    await client.call('conversation.send', { id, kind: 'text', payload: text('grüß') });
    await client.call('conversation.send', { id, kind: 'binary', payload: new Uint8Array([0, 255]) });
    await client.call('conversation.send', { id, kind: 'ping', payload: text('p') });
    await opened.until(({ received }) => received === 2);
    await client.call('conversation.close', { id, code: 4_001, reason: 'enough' });
    const state = await opened.over;
    expect(state).toMatchObject({
      phase: 'closed',
      sent: 2,
      received: 2,
      close: { code: 4_001, reason: 'enough', by: 'client' },
      problem: null,
    });
    const [seen] = origin.seen;
    expect(seen?.heard).toEqual([
      { kind: 'text', text: 'grüß' },
      { kind: 'binary', text: '00ff' },
      { kind: 'ping', text: 'p' },
    ]);
    expect(seen?.target).toBe('/a/../b?c=[1]');
    expect(seen?.rawHeaders.join('|')).toMatch(/^X-One\|1\|sec-websocket-PROTOCOL\|other, chat\|/);
    expect(await seen?.closed).toEqual([4_001, 'enough']);
    const row = await recorded(origin);
    expect(row).toMatchObject({
      id: state.exchange,
      kind: 'websocket',
      status: 101,
      replayOf: null,
      state: 'complete',
    });
    await expect(client.call('conversation.send', { id, kind: 'text', payload: text('x') })).rejects.toMatchObject({
      code: 'not-found',
    });
  },
);

/** Has a client talk: two texts that wait for their echoes, bytes, a ping, a close. */
async function talk(origin: Origin, options: WebSocket.ClientOptions = {}): Promise<ExchangeSummary> {
  const talking = await connectThrough(`${origin.url}/talk`, {
    headers: { Cookie: 'a=1', 'x-oDD': 'yes' },
    origin: 'https://shop.example',
    ...options,
  });
  for (const words of ['first', 'second '.repeat(400)]) {
    const answered = once(talking, 'message');
    talking.send(words);
    await answered;
  }
  talking.send(Buffer.from([1, 2, 3]));
  talking.ping('still there');
  await once(talking, 'pong');
  talking.close(4_002, 'done');
  await once(talking, 'close');
  return recorded(origin);
}

function withoutKey({ rawHeaders }: Seen): readonly string[] {
  return rawHeaders.filter((_, index, all) => all[index - 1]?.toLowerCase() !== 'sec-websocket-key');
}

test.each(['fast', 'recorded', 'answers'] as const)('a recorded conversation is replayed: %s', async (pace) => {
  const origin = await startOrigin('ws');
  const original = await talk(origin, { perMessageDeflate: pace !== 'fast' });
  const state = await open({ of: original.id, replay: pace }).over;
  expect(state).toMatchObject({
    phase: 'closed',
    sent: 3,
    replay: { total: 4, sent: 4, awaits: 0, done: true },
    close: { code: 4_002, reason: 'done', by: 'client' },
    problem: null,
  });
  const [first, second] = origin.seen;
  expect(second?.heard).toEqual(first?.heard);
  expect(second && withoutKey(second)).toEqual(first && withoutKey(first));
  expect(second?.rawHeaders).not.toEqual(first?.rawHeaders);
  expect(await second?.closed).toEqual([4_002, 'done']);
  const row = await recorded(origin, 'is:replay');
  expect(row).toMatchObject({ id: state.exchange, kind: 'websocket', replayOf: original.id, state: 'complete' });
  expect(await client.call('replay.list', { id: original.id })).toEqual({ ids: [row.id] });
  const [sent, again] = await Promise.all([messagesOf(original.id), messagesOf(row.id)]);
  const lines = (messages: readonly MessageSummary[]) =>
    messages
      .filter(({ side, kind }) => side === 'request' && kind !== 'pong')
      .map(({ kind, bytes, facts, preview }) => ({ kind, bytes, facts, preview }));
  expect(lines(again)).toEqual(lines(sent));
});

test('each message is deflated as it was, and not where the person does not want it', async () => {
  const origin = await startOrigin('wss', { perMessageDeflate: { threshold: 0 } });
  const original = await talk(origin, { perMessageDeflate: { threshold: 1_000, clientNoContextTakeover: true } });
  const compressed = async (id: number | null): Promise<boolean[]> =>
    (await messagesOf(id ?? 0))
      .filter(({ side, kind }) => side === 'request' && (kind === 'text' || kind === 'binary'))
      .map(({ marks }) => marks.includes('compressed'));
  expect(await compressed(original.id)).toEqual([false, true, false]);
  const same = await open({ of: original.id, replay: 'answers' }).over;
  expect(await compressed(same.exchange)).toEqual([false, true, false]);
  const plain = await open({ of: original.id, replay: 'answers', deflate: 'off' }).over;
  expect(plain).toMatchObject({ extensions: '', replay: { done: true } });
  expect(origin.seen[2]?.extensions).toBe('');
  expect(origin.seen[2]?.heard).toEqual(origin.seen[0]?.heard);
});

test('a refused handshake says what the origin answered, and is an exchange to look at', async () => {
  const origin = await startOrigin('ws', {
    verifyClient: (_info: unknown, decide: (ok: boolean, code: number, words: string) => void) => {
      decide(false, 403, 'members only');
    },
  });
  const state = await open({ url: `${origin.url}/no` }).over;
  expect(state).toMatchObject({ phase: 'failed', status: 403 });
  expect(state.problem).toContain('answered 403');
  expect(await recorded(origin)).toMatchObject({ id: state.exchange, status: 403, state: 'complete' });
});

test('an origin that is not there is told as what it is', async () => {
  const origin = await startOrigin('ws');
  servers.splice(0).forEach((server) => server.close());
  const state = await open({ url: origin.url }).over;
  expect(state).toMatchObject({ phase: 'failed', status: 502 });
  expect(state.problem).toBe((await recorded(origin)).error?.message);
});

test('an origin that closes early ends the replay and says how far it was', async () => {
  let early = false;
  const origin = await startOrigin('ws', {}, (socket, words) => {
    if (early) socket.close(1_013, 'later');
    else socket.send(words);
  });
  const original = await talk(origin);
  early = true;
  const state = await open({ of: original.id, replay: 'answers' }).over;
  expect(state).toMatchObject({
    phase: 'closed',
    replay: { total: 4, sent: 1, done: false },
    close: { code: 1_013, reason: 'later', by: 'origin' },
  });
  expect(state.problem).toBe('The origin closed the connection with 1013 after 1 of 4 messages.');
});

test('an origin that had closed first gets the time to', async () => {
  const origin = await startOrigin('ws', {}, (socket, words) => {
    if (words === 'bye') socket.close(4_010, 'as you wish');
  });
  const talking = await connectThrough(origin.url);
  talking.send('bye');
  await once(talking, 'close');
  const state = await open({ of: (await recorded(origin)).id, replay: 'fast' }).over;
  expect(state).toMatchObject({
    replay: { total: 1, sent: 1, done: true },
    close: { code: 4_010, reason: 'as you wish', by: 'origin' },
    problem: null,
  });
});

test('a replay that waits for answers is cancelled, and the connection is closed', async () => {
  let silent = false;
  const origin = await startOrigin('ws', {}, (socket, words) => {
    if (!silent) socket.send(words);
  });
  const original = await talk(origin);
  silent = true;
  const opened = open({ of: original.id, replay: 'answers' });
  const { id } = await opened.until(({ replay }) => (replay?.awaits ?? 0) > 0);
  await client.call('conversation.close', { id, code: 1_000, reason: '' });
  const state = await opened.over;
  expect(state).toMatchObject({ phase: 'closed', replay: { total: 4, sent: 1, done: false }, problem: null });
  expect(await origin.seen[1]?.closed).toEqual([1_000, '']);
});

test('weir replay sends a conversation, and tells of it as an exchange', async () => {
  const origin = await startOrigin('ws');
  const original = await talk(origin);
  const args = ['replay', String(original.id), '--data', weir.dataFolder, '--set', 'header:X-Odd=set'];
  const { code, stdout, stderr } = await runWeir([...args, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout.toString())).toMatchObject({
    kind: 'websocket',
    replayOf: original.id,
    conversation: { sent: 4, total: 4, received: 3, closeCode: 4_002, closedBy: 'client' },
  });
  expect(origin.seen[1]?.rawHeaders.join('|')).toContain('x-oDD|set');
  expect(origin.seen[1]?.heard).toEqual(origin.seen[0]?.heard);
  const plain = await runWeir([...args, '--pace', 'fast']);
  expect(plain.stdout.toString()).toMatch(
    /^101 {2}http:\S+ {2}4 of 4 messages sent, \d received, closed 4002 in .* a replay of/,
  );
});

test('Ctrl-C ends weir replay, and closes the connection', async () => {
  let silent = false;
  const origin = await startOrigin('ws', {}, (socket, words) => {
    if (!silent) socket.send(words);
    else child.kill('SIGINT');
  });
  const original = await talk(origin);
  silent = true;
  const child = spawnWeir(['replay', String(original.id), '--data', weir.dataFolder]);
  const [code] = (await once(child, 'close')) as [number | null];
  expect(code).toBe(130);
  expect(await origin.seen[1]?.closed).toEqual([1_000, '']);
});

test('a WebSocket that nobody looks at any more is closed', async () => {
  const origin = await startOrigin('ws');
  const opened = open({ url: origin.url });
  await opened.until(isOpen);
  opened.leave();
  expect(await origin.seen[0]?.closed).toEqual([1_001, '']);
  expect(await recorded(origin)).toMatchObject({ kind: 'websocket', state: 'complete' });
});

test('a connection that is lost is told as that', async () => {
  const origin = await startOrigin('ws', {}, (socket) => {
    socket.terminate();
  });
  const opened = open({ url: origin.url });
  const { id } = await opened.until(isOpen);
  await client.call('conversation.send', { id, kind: 'text', payload: text('x') });
  expect(await opened.over).toMatchObject({
    phase: 'closed',
    close: { code: null, by: 'origin' },
    problem: 'The connection was lost before it was closed.',
  });
});

test('while nothing is recorded a WebSocket works all the same, and says that it is no exchange', async () => {
  const origin = await startOrigin('ws');
  await client.call('capture.setRecording', { on: false });
  const opened = open({ url: origin.url });
  const { id, recorded: isRecorded } = await opened.until(isOpen);
  await client.call('conversation.send', { id, kind: 'text', payload: text('x') });
  await opened.until(({ received }) => received === 1);
  await client.call('conversation.close', { id, code: null, reason: '' });
  expect(isRecorded).toBe(false);
  expect(await opened.over).toMatchObject({ exchange: null, phase: 'closed', close: { code: null, by: 'client' } });
  await client.call('capture.setRecording', { on: true });
});

test('a message of the origin beyond the limit closes the WebSocket and names the limit', async () => {
  const origin = await startOrigin('ws', {}, (socket) => {
    // The length alone: what stands behind it need not come.
    const head = Buffer.from([0x82, 127, 0, 0, 0, 0, 0x04, 0, 0, 1]);
    (socket as unknown as { _socket: Socket })._socket.write(head);
  });
  const opened = open({ url: origin.url });
  const { id } = await opened.until(isOpen);
  await client.call('conversation.send', { id, kind: 'text', payload: text('more') });
  expect((await opened.over).problem).toContain('longer than 64 MiB');
});

test('what cannot be replayed is refused before anything is sent', async () => {
  const origin = await startOrigin('ws');
  const talking = await connectThrough(origin.url);
  // The beginning of a message that never ends.
  talking.send('half', { fin: false });
  await new Promise((resolve) => {
    talking.ping('', true, resolve);
  });
  await once(talking, 'pong');
  talking.terminate();
  const row = await recorded(origin);
  await expect(open({ of: row.id, replay: 'fast' }).over).rejects.toMatchObject({
    code: 'body-dropped',
    message: expect.stringMatching(/^Message \d+ of exchange \d+ was not recorded whole/) as string,
  });
  await expect(open({ of: 999_999, replay: 'fast' }).over).rejects.toMatchObject({ code: 'not-found' });
  await expect(open({ of: null, url: 'ftp://x/' }).over).rejects.toMatchObject({ code: 'bad-input' });
  await expect(open({ of: null }).over).rejects.toMatchObject({ code: 'bad-input' });
  await expect(client.call('conversation.close', { id: 1, code: 1_006, reason: '' })).rejects.toMatchObject({
    code: 'bad-input',
  });
  expect(origin.seen).toHaveLength(1);
});
