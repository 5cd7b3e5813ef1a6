import {
  Client,
  credentials,
  Metadata,
  Server,
  ServerCredentials,
  status,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ExchangeSummary } from '#contract';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { startRecordingWeir, type RecordingWeir } from '../support/recording-weir.ts';

/*
 * A real client and a real server of gRPC (grpc-js) with Weir between them: every form of call arrives as it was sent, and
 * every message of it is stored.
 */

const asIs = (bytes: Buffer): Buffer => bytes;
const PATH = '/weir.Test/';
const PATIENCE = { timeout: 20_000, interval: 20 };

function method(name: string, requestStream: boolean, responseStream: boolean): ServiceDefinition[string] {
  const forms = {
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  };
  return { path: `${PATH}${name}`, requestStream, responseStream, ...forms };
}

const SERVICE: ServiceDefinition = {
  unary: method('Unary', false, false),
  upload: method('Upload', true, false),
  download: method('Download', false, true),
  chat: method('Chat', true, true),
  silence: method('Silence', false, true),
};

/** Messages of many sizes, some longer than a frame of HTTP/2. */
const MESSAGES = Array.from({ length: 40 }, (_, n) => Buffer.alloc(n === 7 ? 70_000 : n * 31, n + 1));
const TEXTS = texts(MESSAGES);
const LAST = new Metadata();
LAST.set('weir-last', 'yes');

/** Bytes as strings: unequal ones are told apart at once. */
function texts(messages: readonly Buffer[]): string[] {
  return messages.map((bytes) => bytes.toString('latin1'));
}

const closers: (() => Promise<void> | void)[] = [];
/** How calls ended at the server. */
let cancelled: string[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  cancelled = [];
});

async function listen(secure: boolean): Promise<number> {
  const server = new Server();
  server.addService(SERVICE, {
    unary: (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => {
      if (call.request.length === 0) answer({ code: status.NOT_FOUND, details: 'Grüße: nothing there' });
      else answer(null, Buffer.concat([call.request, call.request]), LAST);
    },
    upload: (call: ServerReadableStream<Buffer, Buffer>, answer: sendUnaryData<Buffer>) => {
      const parts: Buffer[] = [];
      call.on('data', (bytes: Buffer) => parts.push(bytes));
      call.on('end', () => {
        answer(null, Buffer.concat(parts));
      });
    },
    download: (call: ServerWritableStream<Buffer, Buffer>) => {
      for (const message of MESSAGES) call.write(message);
      call.end(LAST);
    },
    chat: (call: ServerDuplexStream<Buffer, Buffer>) => {
      call.on('data', (bytes: Buffer) => call.write(bytes));
      call.on('end', () => {
        call.end();
      });
    },
    silence: (call: ServerWritableStream<Buffer, Buffer>) => {
      call.on('cancelled', () => cancelled.push(call.request.toString()));
      call.write(Buffer.from('one'));
    },
  });
  const { cert, key } = originCertificate('localhost');
  const given = secure
    ? ServerCredentials.createSsl(null, [{ cert_chain: Buffer.from(cert), private_key: Buffer.from(key) }])
    : ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', given, (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  closers.push(() => {
    server.forceShutdown();
  });
  return port;
}

interface Journey {
  readonly recording: RecordingWeir;
  readonly client: Client;
}

/** Plain HTTP/2 on both legs, through a reverse listener. */
async function throughReverse(): Promise<Journey> {
  const port = await listen(false);
  const recording = await startRecordingWeir({
    modes: [{ kind: 'reverse', scheme: 'h2c', host: '127.0.0.1', port, basePath: '' }],
  });
  closers.push(() => recording.stop());
  const client = new Client(`127.0.0.1:${String(recording.weir.port)}`, credentials.createInsecure());
  closers.push(() => {
    client.close();
  });
  return { recording, client };
}

/** TLS on both legs inside CONNECT, opened in between. */
async function throughInterception(): Promise<Journey> {
  const port = await listen(true);
  const recording = await startRecordingWeir({
    settings: { originCertificateAuthorities: [ORIGIN_CA], hostOverrides: { localhost: '127.0.0.1' } },
  });
  closers.push(() => recording.stop());
  vi.stubEnv('grpc_proxy', `http://127.0.0.1:${String(recording.weir.port)}`);
  vi.stubEnv('no_grpc_proxy', 'nowhere.test');
  closers.push(() => {
    vi.unstubAllEnvs();
  });
  const client = new Client(`localhost:${String(port)}`, credentials.createSsl(Buffer.from(recording.weir.ca)));
  closers.push(() => {
    client.close();
  });
  return { recording, client };
}

interface Ending {
  readonly code: number;
  readonly details: string;
}

/** The row of a call once it has ended, with what was stored on each side. */
async function stored(
  { recording }: Journey,
  name: string,
): Promise<{
  readonly row: ExchangeSummary;
  readonly sent: readonly Buffer[];
  readonly received: readonly Buffer[];
}> {
  const row = await recording.until(({ path, state }) => path === `${PATH}${name}` && state !== 'active');
  const messages = await recording.messages(row.id);
  const of = (side: string): Buffer[] =>
    messages.filter(({ summary }) => summary.side === side).map(({ payload }) => payload);
  return { row, sent: of('request'), received: of('response') };
}

describe.each([
  ['plain HTTP/2 through a reverse listener', throughReverse],
  ['TLS inside CONNECT, opened in between', throughInterception],
])('gRPC by %s', (_, travel) => {
  test('a unary call, its last metadata and an error with words arrive; both are stored', async () => {
    const journey = await travel();
    const ask = (request: Buffer): Promise<{ answer: Buffer | null; error: Ending | null; last: string }> =>
      new Promise((resolve) => {
        let last = '';
        const call = journey.client.makeUnaryRequest(`${PATH}Unary`, asIs, asIs, request, (error, answer) => {
          // The status follows the answer.
          setImmediate(() => {
            resolve({ answer: answer ?? null, error, last });
          });
        });
        call.on('status', ({ metadata }) => (last = String(metadata.get('weir-last')[0] ?? '')));
      });
    const question = Buffer.from('forty-two');
    const good = await ask(question);
    expect([good.answer?.toString(), good.last]).toEqual(['forty-twoforty-two', 'yes']);
    const first = await stored(journey, 'Unary');
    expect([first.row.grpcStatus, first.sent.join(), first.received.join()]).toEqual([
      0,
      'forty-two',
      'forty-twoforty-two',
    ]);

    const bad = await ask(Buffer.alloc(0));
    expect([bad.error?.code, bad.error?.details]).toEqual([status.NOT_FOUND, 'Grüße: nothing there']);
    const { grpcStatus } = await journey.recording.until((row) => row.grpcStatus === status.NOT_FOUND);
    expect(grpcStatus).toBe(5);
  });

  test('a stream of requests, a stream of answers and both at once arrive and are stored, message by message', async () => {
    const journey = await travel();
    const whole = Buffer.concat(MESSAGES);

    const uploaded = await new Promise<Buffer>((resolve, reject) => {
      const call = journey.client.makeClientStreamRequest<Buffer, Buffer>(
        `${PATH}Upload`,
        asIs,
        asIs,
        (error, answer) => {
          if (answer === undefined) reject(error ?? new Error('Neither an answer nor an error came.'));
          else resolve(answer);
        },
      );
      for (const message of MESSAGES) call.write(message);
      call.end();
    });
    expect(uploaded.equals(whole)).toBe(true);
    const upload = await stored(journey, 'Upload');
    expect(texts(upload.sent)).toEqual(TEXTS);
    expect(texts(upload.received)).toEqual(texts([whole]));

    const download = journey.client.makeServerStreamRequest(`${PATH}Download`, asIs, asIs, Buffer.from('all'));
    const received = (await download.toArray()) as Buffer[];
    expect(texts(received)).toEqual(TEXTS);
    expect(texts((await stored(journey, 'Download')).received)).toEqual(TEXTS);

    const chat = journey.client.makeBidiStreamRequest(`${PATH}Chat`, asIs, asIs);
    const echoes: Buffer[] = [];
    chat.on('data', (bytes: Buffer) => {
      echoes.push(bytes);
      const next = MESSAGES[echoes.length];
      if (next === undefined) chat.end();
      else chat.write(next);
    });
    chat.write(MESSAGES[0] ?? Buffer.alloc(0));
    await new Promise((resolve) => chat.on('end', resolve));
    expect(texts(echoes)).toEqual(TEXTS);
    const talk = await stored(journey, 'Chat');
    expect([texts(talk.sent), texts(talk.received)]).toEqual([TEXTS, TEXTS]);
  });

  test('a deadline and a cancellation end the call at both ends and in the list', async () => {
    const journey = await travel();
    const endOf = (question: string, options: { readonly deadline?: number }, onMessage: () => void): Promise<Ending> =>
      new Promise((resolve) => {
        const call = journey.client.makeServerStreamRequest(
          `${PATH}Silence`,
          asIs,
          asIs,
          Buffer.from(question),
          options,
        );
        call.on('data', () => {
          onMessage();
          if (options.deadline === undefined) call.cancel();
        });
        call.on('error', (error: Error & Ending) => {
          resolve(error);
        });
      });
    let messages = 0;
    const onMessage = (): void => {
      messages += 1;
    };
    expect((await endOf('cancel', {}, onMessage)).code).toBe(status.CANCELLED);
    expect((await endOf('deadline', { deadline: Date.now() + 1_000 }, onMessage)).code).toBe(status.DEADLINE_EXCEEDED);
    expect(messages).toBe(2);
    await vi.waitFor(() => {
      expect(cancelled.toSorted()).toEqual(['cancel', 'deadline']);
    }, PATIENCE);
    const { row, received } = await stored(journey, 'Silence');
    expect([row.state, row.error?.code, received.join()]).toEqual(['failed', 'client.cancelled', 'one']);
  });
});
