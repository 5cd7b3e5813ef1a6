import { brotliCompressSync, constants, deflateRawSync, gzipSync, createDeflateRaw } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MessageSummary } from '#contract';
import {
  allMessages,
  beginStream,
  EVERY_MESSAGE,
  STREAM_STARTED_AT,
  wholePayload,
  type StreamOnTap,
} from '../../../../test/support/message-kit.ts';
import { openStoreKit, type StoreKit } from '../../../../test/support/store-kit.ts';
import { closePayload, frame, MASK } from '../../../../test/support/websocket-frames.ts';
import { StoreReader } from '../store-reader.ts';

let kit: StoreKit;

beforeEach(() => {
  kit = openStoreKit();
});

afterEach(() => {
  kit[Symbol.dispose]();
});

const HANDSHAKE = { kind: 'websocket', status: 101 } as const;

function webSocket(id: number, extensions?: string): StreamOnTap {
  const stream = beginStream(kit.tap, id, {
    ...HANDSHAKE,
    responseFields: [
      'Upgrade: websocket',
      ...(extensions === undefined ? [] : [`Sec-WebSocket-Extensions: ${extensions}`]),
    ],
  });
  stream.answer();
  return stream;
}

/** One line a message: direction, kind, text or hex, marks and the like. */
function lineOf({ side, kind, preview, marks, anomalies, facts }: MessageSummary): string {
  const more = [...marks, ...anomalies, ...Object.entries(facts).map(([name, value]) => `${name}=${value}`)];
  return [`${side === 'request' ? '>' : '<'} ${kind} ${preview}`.trim(), ...more].join(', ');
}

async function lines(id: number, reader = kit.reader()): Promise<string[]> {
  return (await allMessages(reader, id)).map(lineOf);
}

describe('a WebSocket', () => {
  test('its messages of both sides stand in the order in which they were complete', async () => {
    const stream = webSocket(1);
    stream.send('request', frame({ opcode: 1, payload: 'hello', mask: MASK }));
    stream.send('response', frame({ opcode: 1, payload: 'wel', fin: false }));
    stream.send('request', frame({ opcode: 9, payload: 'p', mask: MASK }));
    stream.send(
      'response',
      Buffer.concat([frame({ opcode: 10, payload: 'p' }), frame({ opcode: 0, payload: 'come' })]),
    );
    stream.send('response', frame({ opcode: 2, payload: Buffer.from([0, 1, 0xff]) }));
    stream.send('request', frame({ opcode: 8, payload: closePayload(1_000, 'bye'), mask: MASK }));
    stream.end();
    kit.commit();

    expect(await lines(1)).toEqual([
      '> text hello',
      '> ping p',
      '< pong p',
      '< text welcome, fragmented',
      '< binary 00 01 ff',
      '> close 1000 bye, code=1000, reason=bye',
    ]);
    const reader = kit.reader();
    expect([1, 2, 4, 5].map((sequence) => wholePayload(reader, 1, sequence).toString('latin1'))).toEqual([
      'hello',
      'p',
      'welcome',
      '\0\x01\xff',
    ]);
  });

  test('a message is there as soon as it is committed, while the exchange goes on', async () => {
    const stream = webSocket(1);
    stream.send('response', frame({ opcode: 1, payload: 'first' }));
    kit.commit();
    const reader = kit.reader();
    expect(await lines(1, reader)).toEqual(['< text first']);
    expect(kit.changed.at(-1)).toMatchObject({ state: 'active', messages: 1 });

    const second = frame({ opcode: 1, payload: 'second', mask: MASK });
    stream.send('request', second.subarray(0, 4));
    kit.commit();
    stream.send('request', second.subarray(4));
    kit.commit();
    expect(await lines(1, reader)).toEqual(['< text first', '> text second']);
    expect(wholePayload(reader, 1, 2).toString()).toBe('second');
  });

  test('times are those at which messages were complete, sizes those on the wire', async () => {
    const stream = webSocket(1);
    stream.send('request', frame({ opcode: 1, payload: 'hi', mask: MASK }));
    stream.send('response', frame({ opcode: 1, payload: 'there' }));
    kit.commit();

    const [first, second] = await allMessages(kit.reader(), 1);
    expect([first?.wireBytes, first?.bytes, second?.wireBytes, second?.bytes]).toEqual([8, 2, 7, 5]);
    expect((second?.time ?? 0) - (first?.time ?? 0)).toBe(1_000);
  });

  test('the exact bytes of the wire stay the body of their side', async () => {
    const stream = webSocket(1);
    const wire = frame({ opcode: 1, payload: 'hello', mask: MASK });
    stream.send('request', wire);
    stream.end({ requestBodyBytes: wire.length });
    kit.commit();

    const body = await kit.reader().readBody({ id: 1, side: 'request', form: 'stored', offset: 0, length: 100 });
    expect(Buffer.from(body.bytes)).toEqual(wire);
  });

  test.each([
    ['with context takeover', 'permessage-deflate', false],
    ['without', 'permessage-deflate; server_no_context_takeover; client_no_context_takeover', true],
  ])('compressed messages are inflated, %s', async (_name, extensions, forgets) => {
    const stream = webSocket(1, extensions);
    const texts = Array.from(
      { length: 40 },
      (_, index) => `price of item ${String(index)} is ${'same '.repeat(300)}${String(index)}`,
    );
    const deflated = await deflateMessages(texts, forgets);
    for (const payload of deflated) stream.send('response', frame({ opcode: 1, payload, reservedBits: 4 }));
    stream.end();
    kit.commit();

    const reader = kit.reader();
    const messages = await allMessages(reader, 1);
    expect(messages.every(({ marks, kind }) => kind === 'text' && marks.join() === 'compressed')).toBe(true);
    expect(messages.map(({ sequence }) => wholePayload(reader, 1, sequence).toString())).toEqual(texts);
    expect(messages[3]?.bytes).toBe(texts[3]?.length);
    expect(messages[3]?.wireBytes).toBe((deflated[3]?.length ?? 0) + 2);
  });

  test('a compressed message may be fragmented and consist of several streams (RFC 7692 §7.2.3)', async () => {
    const stream = webSocket(1, 'permessage-deflate');
    const [whole = Buffer.alloc(0)] = await deflateMessages(['Hello'], true);
    stream.send('response', frame({ opcode: 1, payload: whole.subarray(0, 3), reservedBits: 4, fin: false }));
    stream.send('response', frame({ opcode: 0, payload: whole.subarray(3) }));
    // A final block, and what makes the message end like any other.
    stream.send('response', frame({ opcode: 1, payload: Buffer.from('f348cdc9c9070000', 'hex'), reservedBits: 4 }));
    kit.commit();

    expect(await lines(1)).toEqual(['< text Hello, fragmented, compressed', '< text Hello, compressed']);
  });

  test('what cannot be inflated is kept as it was, and with a context nothing can be read behind it', async () => {
    const stream = webSocket(1, 'permessage-deflate');
    const [good = Buffer.alloc(0), next = Buffer.alloc(0)] = await deflateMessages(['first', 'first again'], false);
    stream.send('response', frame({ opcode: 1, payload: good, reservedBits: 4 }));
    stream.send('response', frame({ opcode: 1, payload: Buffer.from('ffff', 'hex'), reservedBits: 4 }));
    stream.send('response', frame({ opcode: 1, payload: next, reservedBits: 4 }));
    stream.send('response', frame({ opcode: 1, payload: 'plain' }));
    stream.end();
    kit.commit();

    const found = await lines(1);
    expect(found[1]).toBe('< binary ff ff, not-inflated, websocket-compression');
    expect(found[2]).toMatch(/not-inflated/);
    expect(found[3]).toBe('< text plain');
    expect(kit.changed.at(-1)?.anomalies).toEqual(['websocket-compression']);
  });

  test('a bomb stops at its budget, is flagged, and costs no later message without a context', async () => {
    const stream = webSocket(1, 'permessage-deflate; server_no_context_takeover');
    const bomb = deflateRawSync(Buffer.alloc(80_000_000), { finishFlush: constants.Z_SYNC_FLUSH }).subarray(0, -4);
    const [small = Buffer.alloc(0)] = await deflateMessages(['after'], true);
    stream.send('response', frame({ opcode: 2, payload: bomb, reservedBits: 4 }));
    stream.send('response', frame({ opcode: 1, payload: small, reservedBits: 4 }));
    kit.commit();

    const [first, second] = await allMessages(kit.reader(), 1);
    expect(first).toMatchObject({ marks: ['bomb'], bytes: bomb.length });
    expect(second).toMatchObject({ preview: 'after', marks: ['compressed'] });
  });

  test('16 MiB are read by windows, from either side', async () => {
    const stream = webSocket(1);
    const big = Buffer.alloc(16_777_216);
    for (let at = 0; at < big.length; at += 4) big.writeUInt32LE(at, at);
    const toClient = frame({ opcode: 2, payload: big });
    const toOrigin = frame({ opcode: 2, payload: big, mask: MASK });
    for (let at = 0; at < toClient.length; at += 65_536) stream.send('response', toClient.subarray(at, at + 65_536));
    for (let at = 0; at < toOrigin.length; at += 65_536) stream.send('request', toOrigin.subarray(at, at + 65_536));
    stream.end();
    kit.commit();

    const reader = kit.reader();
    expect(wholePayload(reader, 1, 1).equals(big)).toBe(true);
    expect(wholePayload(reader, 1, 2).equals(big)).toBe(true);
    const window = reader.messageRead({ exchange: 1, sequence: 2, offset: 8_000_000, length: 4 });
    expect(Buffer.from(window.bytes).readUInt32LE()).toBe(8_000_000);
  });

  test('an upgrade that was refused carries no messages', async () => {
    const stream = beginStream(kit.tap, 1, { kind: 'websocket', status: 200 });
    stream.answer();
    stream.send('response', 'plain answer');
    stream.end();
    kit.commit();

    expect(await lines(1)).toEqual([]);
  });

  test('extended CONNECT is answered by 200', async () => {
    const stream = beginStream(kit.tap, 1, { kind: 'websocket', status: 200, byHttp2: true });
    stream.answer();
    stream.send('response', frame({ opcode: 1, payload: 'over h2' }));
    kit.commit();

    expect(await lines(1)).toEqual(['< text over h2']);
  });

  test('messages survive a crash of the store', async () => {
    const stream = webSocket(1);
    const long = 'x'.repeat(30_000);
    stream.send('request', frame({ opcode: 1, payload: long, mask: MASK }));
    stream.send('response', frame({ opcode: 1, payload: 'short' }));
    kit.commit();
    using again = openStoreKit(kit.folder);

    const reader = new StoreReader(kit.folder);
    expect((await allMessages(reader, 1)).map(({ bytes }) => bytes)).toEqual([30_000, 5]);
    expect(wholePayload(reader, 1, 1).toString()).toBe(long);
    expect(again.opened.recovered).toBe(1);
    reader.close();
  });
});

describe('an event stream', () => {
  test('its events come one by one, with name, id and retry', async () => {
    const stream = beginStream(kit.tap, 1, { responseFields: ['Content-Type: text/event-stream; charset=utf-8'] });
    stream.answer();
    stream.send('response', 'event: price\nid: 7\ndata: {"a":');
    kit.commit();
    stream.send('response', '1}\n\n: still here\n\nretry: 100\ndata: x\ndata: y\n\nda');
    kit.commit();

    expect(await lines(1)).toEqual([
      '< event {"a":1}, event=price, id=7',
      '< comment still here',
      '< event x\ny, retry=100',
    ]);
    stream.end();
    kit.commit();
    expect((await lines(1)).at(-1)).toBe('< comment, cut');
  });

  test.each([
    ['gzip', (text: string) => gzipSync(text)],
    ['br', (text: string) => brotliCompressSync(text)],
  ])('its events are read out of %s, and a flush waits for them', async (coding, encode) => {
    const stream = beginStream(kit.tap, 1, {
      responseFields: ['Content-Type: text/event-stream', `Content-Encoding: ${coding}`],
    });
    stream.answer();
    const encoded = encode(Array.from({ length: 500 }, (_, index) => `data: event ${String(index)}\n\n`).join(''));
    for (let at = 0; at < encoded.length; at += 100) stream.send('response', encoded.subarray(at, at + 100));
    stream.end();
    kit.tap.flush();
    await kit.writer.flush();

    const events = await allMessages(kit.reader(), 1);
    expect(events.map(({ preview }) => preview)).toEqual(
      Array.from({ length: 500 }, (_, index) => `event ${String(index)}`),
    );
    expect(kit.changed.at(-1)).toMatchObject({ state: 'complete', messages: 500 });
  });
});

describe('gRPC', () => {
  const TYPE = 'Content-Type: application/grpc+proto';

  test('messages of both sides are split, compressed ones inflated, the status comes from the trailers', async () => {
    const stream = beginStream(kit.tap, 1, {
      requestFields: [TYPE],
      responseFields: [TYPE, 'grpc-encoding: gzip'],
    });
    stream.send('request', grpc(0, Buffer.from([8, 1])));
    stream.answer();
    const packed = grpc(1, gzipSync(Buffer.from([8, 150, 1])));
    stream.send('response', packed.subarray(0, 7));
    stream.send('response', packed.subarray(7));
    stream.trailers(['grpc-status: 5', 'grpc-message: not here']);
    stream.end();
    kit.commit();

    expect(await lines(1)).toEqual(['> grpc 08 01', '< grpc 08 96 01, compressed']);
    expect(kit.changed.at(-1)?.grpcStatus).toBe(5);
    expect((await kit.reader().get(1)).summary.grpcStatus).toBe(5);
  });

  test('an answer of trailers alone has its status in the head', () => {
    const stream = beginStream(kit.tap, 1, { requestFields: [TYPE], responseFields: [TYPE, 'grpc-status: 16'] });
    stream.answer();
    stream.end();
    kit.commit();

    expect(kit.changed.at(-1)?.grpcStatus).toBe(16);
  });

  test.each([
    ['application/grpc-web+proto', (bytes: Buffer) => bytes],
    ['application/grpc-web-text', (bytes: Buffer) => Buffer.from(bytes.toString('base64'))],
  ])('%s ends in a message of trailers', async (type, encode) => {
    const stream = beginStream(kit.tap, 1, { responseFields: [`Content-Type: ${type}`] });
    stream.answer();
    const body = encode(
      Buffer.concat([grpc(0, Buffer.from([1, 2, 3])), grpc(0x80, Buffer.from('grpc-status: 0\r\n'))]),
    );
    for (let at = 0; at < body.length; at += 3) stream.send('response', body.subarray(at, at + 3));
    stream.end();
    kit.commit();

    expect(await lines(1)).toEqual(['< grpc 01 02 03', '< trailers grpc-status: 0']);
    expect(kit.changed.at(-1)?.grpcStatus).toBe(0);
  });
});

describe('a stream of Connect', () => {
  const JSON_TYPE = 'Content-Type: application/connect+json';

  test('its messages of JSON are text, and its last one says how the call went', async () => {
    const stream = beginStream(kit.tap, 1, { requestFields: [JSON_TYPE], responseFields: [JSON_TYPE] });
    stream.send('request', grpc(0, Buffer.from('{"name": "Buf"}')));
    stream.answer();
    stream.send('response', grpc(0, Buffer.from('{"greeting": "Hello"}')));
    stream.send('response', grpc(2, Buffer.from('{"metadata": {"cost": ["237"]}}')));
    stream.end();
    kit.commit();

    expect(await lines(1)).toEqual([
      '> text {"name": "Buf"}',
      '< text {"greeting": "Hello"}',
      '< end-stream {"metadata": {"cost": ["237"]}}',
    ]);
    expect((await kit.reader().get(1)).summary.grpcStatus).toBe(0);
  });

  test('its messages of protobuf are told like those of gRPC, compressed ones inflated, and an error by its code', async () => {
    const type = 'content-type: application/connect+proto';
    const fields = [type, 'connect-content-encoding: gzip'];
    const stream = beginStream(kit.tap, 1, { byHttp2: true, requestFields: [type], responseFields: fields });
    stream.send('request', grpc(0, Buffer.from([8, 1])));
    stream.answer();
    stream.send('response', grpc(1, gzipSync(Buffer.from([8, 150, 1]))));
    stream.send('response', grpc(3, gzipSync('{"error": {"code": "unavailable", "message": "overloaded"}}')));
    stream.end();
    kit.commit();

    expect(await lines(1)).toEqual([
      '> grpc 08 01',
      '< grpc 08 96 01, compressed',
      '< end-stream {"error": {"code": "unavailable", "message": "overloaded"}}, compressed, code=unavailable, message=overloaded',
    ]);
    expect(kit.changed.at(-1)?.grpcStatus).toBe(14);
  });

  test('it is read the same wherever its pieces are split', async () => {
    const wire = Buffer.concat([
      grpc(0, Buffer.from('{"n":1}')),
      grpc(1, gzipSync('{"n":2}')),
      grpc(0, Buffer.alloc(0)),
      grpc(2, Buffer.from('{}')),
    ]);
    const fields = [JSON_TYPE, 'Connect-Content-Encoding: gzip'];
    for (let cut = 1; cut < wire.length; cut += 1) {
      const stream = beginStream(kit.tap, cut, { responseFields: fields });
      stream.answer();
      stream.send('response', wire.subarray(0, cut));
      stream.send('response', wire.subarray(cut));
      stream.end();
    }
    kit.commit();

    const reader = kit.reader();
    for (let cut = 1; cut < wire.length; cut += 1) {
      expect(await lines(cut, reader)).toEqual([
        '< text {"n":1}',
        '< text {"n":2}, compressed',
        '< text',
        '< end-stream {}',
      ]);
    }
  });

  test('a message that stays compressed is no text', async () => {
    const stream = beginStream(kit.tap, 1, { responseFields: [JSON_TYPE] });
    stream.answer();
    stream.send('response', grpc(1, Buffer.from([1, 2])));
    stream.send('response', grpc(3, Buffer.from([3, 4])));
    stream.end();
    kit.commit();

    expect(await lines(1)).toEqual([
      '< binary 01 02, not-inflated, connect-message',
      '< binary 03 04, not-inflated, connect-message',
    ]);
    expect(kit.changed.at(-1)).toMatchObject({ anomalies: ['connect-message'], grpcStatus: null });
  });

  test('messages of a codec that nobody knows are bytes', async () => {
    const stream = beginStream(kit.tap, 1, { responseFields: ['Content-Type: application/connect+thrift'] });
    stream.answer();
    stream.send('response', Buffer.concat([grpc(0, Buffer.from([1, 2])), grpc(2, Buffer.from('{}'))]));
    stream.end();
    kit.commit();

    expect(await lines(1)).toEqual(['< binary 01 02', '< end-stream {}']);
  });

  test('an end of the stream in another place is told apart', async () => {
    const stream = beginStream(kit.tap, 1, { requestFields: [JSON_TYPE], responseFields: [JSON_TYPE] });
    stream.send('request', grpc(2, Buffer.from('{"error":{"code":"aborted"}}')));
    stream.answer();
    stream.send('response', Buffer.concat([grpc(2, Buffer.from('{}')), grpc(0, Buffer.from('{"n":1}'))]));
    stream.end();
    kit.commit();

    expect(await lines(1)).toEqual([
      '> end-stream {"error":{"code":"aborted"}}, connect-message, code=aborted',
      '< end-stream {}',
      '< text {"n":1}, connect-message',
    ]);
    expect(kit.changed.at(-1)?.grpcStatus).toBe(0);
  });

  test('an answer that is no stream has none', async () => {
    const stream = beginStream(kit.tap, 1, {
      requestFields: [JSON_TYPE],
      status: 415,
      responseFields: ['Content-Type: application/json'],
    });
    stream.send('request', grpc(0, Buffer.from('{}')));
    stream.answer();
    stream.send('response', '{"code":"unimplemented"}');
    stream.end();
    kit.commit();

    expect(await lines(1)).toEqual(['> text {}']);
  });
});

test('whoever watches an exchange is told its messages as they are committed', () => {
  kit.writer.watchedMessages = new Set([2]);
  for (const id of [1, 2]) webSocket(id).send('response', frame({ opcode: 1, payload: `of ${String(id)}` }));
  kit.commit();

  expect(kit.messages).toEqual([
    {
      exchange: 2,
      sequence: 1,
      side: 'response',
      kind: 'text',
      time: expect.any(Number) as number,
      bytes: 4,
      wireBytes: 6,
      marks: [],
      anomalies: [],
      facts: {},
      preview: 'of 2',
    },
  ]);
});

test('a call of a language model is recognised by what is stored of it', async () => {
  const stream = beginStream(kit.tap, 1, { responseFields: ['Content-Type: text/event-stream'] });
  stream.send('request', JSON.stringify({ model: 'shop-small', stream: true }));
  stream.answer();
  stream.send(
    'response',
    'data: {"object":"chat.completion.chunk","choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n',
  );
  stream.end();
  kit.commit();

  const { facts } = await kit.reader().llm(1);
  expect(facts).toMatchObject({ model: 'shop-small', streamed: true, output: 'Hi', finishReason: 'stop' });
});

test('datagrams are messages whose bytes stand in the body', async () => {
  const stream = beginStream(kit.tap, 1, {});
  for (const text of ['one', 'two']) kit.tap.datagram(1, 'request', Buffer.from(text), 0, 3);
  kit.tap.datagram(1, 'response', Buffer.from('answer'), 0, 6);
  stream.end();
  kit.commit();

  const reader = kit.reader();
  expect(await lines(1)).toEqual(['> datagram 6f 6e 65', '> datagram 74 77 6f', '< datagram 61 6e 73 77 65 72']);
  expect([1, 2, 3].map((sequence) => wholePayload(reader, 1, sequence).toString())).toEqual(['one', 'two', 'answer']);
});

describe('asking for messages', () => {
  beforeEach(() => {
    const stream = webSocket(1);
    for (let index = 1; index <= 1_200; index += 1) {
      stream.send(
        index % 2 === 0 ? 'response' : 'request',
        frame({
          opcode: index % 10 === 0 ? 2 : 1,
          payload: `${'-'.repeat(index % 7 === 0 ? 400 : 0)} Number ${String(index)}`,
          ...(index % 2 === 0 ? {} : { mask: MASK }),
        }),
      );
    }
    kit.commit();
  });

  test('pages follow each other by their key', async () => {
    const reader = kit.reader();
    const first = await reader.messagePage({ exchange: 1, filter: EVERY_MESSAGE, after: 0, limit: 200 });
    const second = await reader.messagePage({ exchange: 1, filter: EVERY_MESSAGE, after: first.next ?? 0, limit: 200 });
    expect([first.rows.length, second.rows[0]?.sequence, second.next]).toEqual([200, 201, 400]);
  });

  test('filters leave a side, kinds, or what contains a text, beyond previews too and whatever the case', async () => {
    const reader = kit.reader();
    const find = async (filter: Partial<typeof EVERY_MESSAGE>): Promise<readonly number[]> => {
      const found: number[] = [];
      for (let after: number | null = 0; after !== null;) {
        const input = { exchange: 1, filter: { ...EVERY_MESSAGE, ...filter }, after, limit: 10_000 };
        const { sequences, next } = await reader.messageFind(input);
        found.push(...sequences);
        after = next;
      }
      return found;
    };
    expect(await find({ side: 'request' })).toHaveLength(600);
    expect(await find({ kinds: ['binary'], side: 'response' })).toHaveLength(120);
    expect(await find({ text: 'number 77' })).toEqual([77, 770, 771, 772, 773, 774, 775, 776, 777, 778, 779]);
    expect(await find({ text: 'nowhere' })).toEqual([]);
  });

  test('an exchange that does not exist is said', async () => {
    const reader = kit.reader();
    await expect(reader.messagePage({ exchange: 9, filter: EVERY_MESSAGE, after: 0, limit: 1 })).rejects.toHaveProperty(
      'code',
      'not-found',
    );
    expect(() => reader.messageRead({ exchange: 1, sequence: 5_000, offset: 0, length: 1 })).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    );
  });
});

test('the messages go with their exchange, and their files with them', async () => {
  const stream = webSocket(1);
  stream.send('request', frame({ opcode: 2, payload: Buffer.alloc(40_000, 7), mask: MASK }));
  stream.end({ timing: { dns: null, connect: null, tls: null, sent: null, firstByte: null, end: STREAM_STARTED_AT } });
  kit.commit();
  kit.writer.remove([1]);
  await kit.writer.compact();

  const reader = kit.reader();
  await expect(reader.messagePage({ exchange: 1, filter: EVERY_MESSAGE, after: 0, limit: 1 })).rejects.toHaveProperty(
    'code',
    'not-found',
  );
  expect(reader.space().bodyBytes).toBe(0);
});

function grpc(flags: number, payload: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flags;
  prefix.writeUInt32BE(payload.length, 1);
  return Buffer.concat([prefix, payload]);
}

/** Payloads as a sender of RFC 7692 makes them: a sync flush each, without its tail. */
async function deflateMessages(texts: readonly string[], forgets: boolean): Promise<Buffer[]> {
  const payloads: Buffer[] = [];
  let deflate = createDeflateRaw();
  for (const text of texts) {
    const chunks: Buffer[] = [];
    const take = (chunk: Buffer): void => {
      chunks.push(chunk);
    };
    deflate.on('data', take);
    deflate.write(text);
    await new Promise<void>((resolve) => {
      deflate.flush(constants.Z_SYNC_FLUSH, resolve);
    });
    deflate.off('data', take);
    payloads.push(Buffer.concat(chunks).subarray(0, -4));
    if (forgets) deflate = createDeflateRaw();
  }
  return payloads;
}
