import { describe, expect, test } from 'vitest';
import { EventReader } from '../../proxy-engine/protocol/event-stream/index.ts';
import { GrpcReader } from '../../proxy-engine/protocol/grpc/index.ts';
import { MessageReader, readExtensions } from '../../proxy-engine/protocol/websocket/index.ts';
import type { MessageSide } from '../../proxy-engine/model/exchange.ts';
import type { Row } from '../support/engine-kit.ts';
import { closePayload, frame, MASK } from '../support/websocket-frames.ts';
import type { FrameSpec } from '../support/websocket-frames.ts';
import type { Wire } from '../support/wire.ts';
import { codes, useStage } from './stage.ts';

const stage = useStage('messages');

const UPGRADE =
  'GET /live HTTP/1.1\r\nHost: ORIGIN\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: chat, x-Odd\r\nSec-WebSocket-Extensions: permessage-deflate; client_max_window_bits, x-unheard-of;a="b c"\r\n\r\n';
const ACCEPT =
  'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n';

/** Kinds and anomalies of what the store reads out of one side. */
function told(row: Row, side: MessageSide): string[] {
  const head = row.response?.head.toString('latin1') ?? '';
  const reader = new MessageReader(side, readExtensions(/sec-websocket-extensions: *(.*)/i.exec(head)?.[1] ?? null));
  const lines: string[] = [];
  let kind = '';
  const sink = {
    begin: (start: { readonly kind: string }) => (kind = start.kind),
    payload: () => undefined,
    end: ({ anomalies }: { readonly anomalies: readonly string[] }) => lines.push([kind, ...anomalies].join(' ')),
    control: (control: { readonly kind: string; readonly anomalies: readonly string[] }) =>
      lines.push([control.kind, ...control.anomalies].join(' ')),
  };
  reader.receive(side === 'request' ? row.request : row.responseBody, sink);
  reader.receiveEof(sink);
  return lines;
}

/** Opens a WebSocket by hand; both ends then speak in frames. */
async function open(more = ''): Promise<{ client: Wire; server: Wire }> {
  const client = await stage.current.connect();
  client.send(stage.current.fill(UPGRADE));
  const server = await stage.current.origin.next();
  await server.head();
  server.send(`${ACCEPT}${more}\r\n`);
  await client.head();
  return { client, server };
}

async function over(client: Wire, server: Wire): Promise<Row> {
  client.end();
  server.end();
  await Promise.all([client.rest(), server.rest()]);
  const [row] = await stage.current.weir.rows.ended(1);
  if (row === undefined) throw new Error('no row');
  return row;
}

describe('rule 30: the handshake of a WebSocket', () => {
  test('rule 30: extensions and sub-protocols pass as they are, odd ones too, and bytes behind each head are not lost', async () => {
    const client = await stage.current.connect();
    const early = frame({ opcode: 1, payload: 'early', mask: MASK }).toString('latin1');
    const greeting = frame({ opcode: 1, payload: 'greeting' }).toString('latin1');
    client.send(Buffer.from(stage.current.fill(UPGRADE) + early, 'latin1'));
    const server = await stage.current.origin.next();
    const head = await server.head();
    const answer = `${ACCEPT}Sec-WebSocket-Protocol: x-Odd\r\nSec-WebSocket-Extensions: x-unheard-of;a="b c"\r\n\r\n${greeting}`;
    server.send(Buffer.from(answer, 'latin1'));
    const atClient = (await client.head()) + (await client.bytes(greeting.length)).toString('latin1');
    const atOrigin = head + (await server.bytes(early.length)).toString('latin1');
    expect(stage.current.blank(atOrigin)).toBe(UPGRADE + early);
    expect(atClient).toBe(answer);
    const row = await over(client, server);
    expect([told(row, 'request'), told(row, 'response')]).toEqual([['text'], ['text']]);
    stage.current.note({ fromClient: UPGRADE + early, atOrigin, fromOrigin: answer, atClient, recorded: codes(row) });
  });

  test.each([200, 403, 426])('rule 30: an upgrade that is refused by %i is an ordinary answer', async (status) => {
    const client = await stage.current.connect();
    client.send(stage.current.fill(UPGRADE));
    const server = await stage.current.origin.next();
    const atOrigin = await server.head();
    const answer = `HTTP/1.1 ${String(status)} No\r\nContent-Length: 5\r\n\r\nsorry`;
    server.send(answer);
    const atClient = await client.until('sorry');
    expect(atClient).toBe(answer);
    client.send(stage.current.fill('GET /next HTTP/1.1\r\nHost: ORIGIN\r\n\r\n'));
    expect(await server.head()).toContain('GET /next ');
    const [row] = await stage.current.weir.rows.ended(1);
    expect(row?.responseBody.toString()).toBe('sorry');
    stage.current.note({ fromClient: UPGRADE, atOrigin, fromOrigin: answer, atClient, recorded: [] });
  });
});

describe('rule 31: frames pass as they are, whatever is wrong with them', () => {
  test.each<[string, readonly FrameSpec[], readonly string[]]>([
    [
      'control frames inside of fragments',
      [
        { opcode: 1, payload: 'a', fin: false },
        { opcode: 9, payload: 'p' },
        { opcode: 0, payload: 'b' },
      ],
      ['ping', 'text'],
    ],
    [
      'RSV bits that nobody agreed on',
      [{ opcode: 1, payload: 'x', reservedBits: 7 }],
      ['text websocket-reserved-bits'],
    ],
    ['text that is no UTF-8', [{ opcode: 1, payload: Buffer.from([0xff, 0xfe]) }], ['text websocket-utf-8']],
    ['a reserved data opcode', [{ opcode: 5, payload: 'x' }], ['unknown websocket-opcode']],
    ['a reserved control opcode', [{ opcode: 12 }], ['unknown websocket-opcode']],
    ['a fragmented close', [{ opcode: 8, payload: closePayload(1_000), fin: false }], ['close websocket-control']],
    [
      'a close code that must not be sent',
      [{ opcode: 8, payload: closePayload(1_006) }],
      ['close websocket-close-code'],
    ],
    ['a continuation of nothing', [{ opcode: 0, payload: 'x' }], ['unknown websocket-sequence']],
    ['a length in eight bytes', [{ opcode: 2, payload: 'x', lengthBytes: 8 }], ['binary websocket-length']],
    ['a mask of the origin', [{ opcode: 2, payload: 'x', mask: [1, 2, 3, 4] }], ['binary websocket-mask']],
  ])('rule 31: %s', async (_name, frames, lines) => {
    const { client, server } = await open();
    const fromOrigin = Buffer.concat(frames.map(frame));
    server.send(fromOrigin);
    const atClient = await client.bytes(fromOrigin.length);
    expect(atClient.equals(fromOrigin)).toBe(true);
    // The same from the client, as clients mask.
    const fromClient = Buffer.concat(frames.map((spec) => frame({ ...spec, mask: MASK })));
    client.send(fromClient);
    const atOrigin = await server.bytes(fromClient.length);
    expect(atOrigin.equals(fromClient)).toBe(true);
    const row = await over(client, server);
    expect(told(row, 'response')).toEqual(lines);
    const latin1 = (bytes: Buffer): string => bytes.toString('latin1');
    stage.current.note({
      fromClient: latin1(fromClient),
      atOrigin: latin1(atOrigin),
      fromOrigin: latin1(fromOrigin),
      atClient: latin1(atClient),
      recorded: told(row, 'response').flatMap((line) => line.split(' ').slice(1)),
    });
  });
});

describe('rule 32: streams are not buffered', () => {
  test('rule 32: each event is at the client before the next one is sent', async () => {
    const client = await stage.current.connect();
    const request = 'GET /events HTTP/1.1\r\nHost: ORIGIN\r\nAccept: text/event-stream\r\n\r\n';
    client.send(stage.current.fill(request));
    const server = await stage.current.origin.next();
    const atOrigin = await server.head();
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
    server.send(head);
    let atClient = await client.head();
    let fromOrigin = head;
    for (let count = 1; count <= 200; count += 1) {
      const event = `data: ${String(count)}\n\n`;
      const chunk = `${event.length.toString(16)}\r\n${event}\r\n`;
      server.send(chunk);
      fromOrigin += chunk;
      // Nothing else is sent until it is here: what buffers would wait for ever.
      atClient += await client.until(`data: ${String(count)}\n\n\r\n`);
    }
    server.send('0\r\n\r\n');
    atClient += await client.until('0\r\n\r\n');
    expect(atClient).toBe(`${fromOrigin}0\r\n\r\n`);
    const [row] = await stage.current.weir.rows.ended(1);
    expect(row?.end?.complete).toBe(true);
    stage.current.note({ fromClient: request, atOrigin, fromOrigin, atClient, recorded: [] });
  });

  test('rule 32: a view splits events at CR, LF and CRLF, and characters that came in two pieces', async () => {
    const stream = '\ufeffdata: a\rdata: b\r\r: comment\r\n\r\nevent: é\nid: 7\ndata: 🎈\n\n';
    const played = await stage.current.play({
      request: 'GET /events HTTP/1.1\r\nHost: ORIGIN\r\n\r\n',
      response: `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n${Buffer.from(stream).toString('latin1')}`,
      originCloses: true,
      responseEnd: 'close',
    });
    const reader = new EventReader();
    const lines: string[] = [];
    for (const byte of Buffer.from(stream)) {
      reader.receive(Buffer.from([byte]), ({ kind, data, name, id }) =>
        lines.push([kind, data.toString(), name, id].filter((part) => part !== null).join(' ')),
      );
    }
    expect(lines).toEqual(['event a\nb', 'comment comment', 'event 🎈 é 7']);
    expect(played.row.responseBody.toString()).toContain('data: a\rdata: b\r\r');
  });
});

test('rule 27: a view splits messages wherever their pieces are split', () => {
  const message = (payload: string): Buffer => {
    const prefix = Buffer.alloc(5);
    prefix.writeUInt32BE(Buffer.byteLength(payload), 1);
    return Buffer.concat([prefix, Buffer.from(payload)]);
  };
  const wire = Buffer.concat([message('first'), message(''), message('third')]);
  for (let cut = 0; cut <= wire.length; cut += 1) {
    const reader = new GrpcReader('grpc');
    const seen: string[] = [];
    let payload = '';
    const sink = {
      begin: () => (payload = ''),
      payload: (bytes: Buffer) => (payload += bytes.toString()),
      end: () => seen.push(payload),
      broken: () => seen.push('broken'),
    };
    reader.receive(wire.subarray(0, cut), sink);
    reader.receive(wire.subarray(cut), sink);
    expect(seen).toEqual(['first', '', 'third']);
  }
  const text = wire.toString('latin1');
  stage.current.note({ fromClient: null, atOrigin: null, fromOrigin: text, atClient: text, recorded: [] });
});
