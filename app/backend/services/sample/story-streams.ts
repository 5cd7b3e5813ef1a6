import { closeFramePayload, grpcMessage, protobuf, webSocketFrame } from './content/stream-bytes.ts';
import type { Random } from './random.ts';
import { answer, clientFields, cold } from './story-helpers.ts';
import type { ScriptedExchange, StreamPiece } from './script.ts';

const LIVE = 'https://live.weir.test';
const API = 'https://api.weir.test';
const LLM = 'https://llm.weir.test';

const REPLY =
  'A weir stands in a stream and measures what flows over it, without stopping the water. The brass float gauge (sku 1042) reads ' +
  'levels from 0 to 2 m and stays true after a flood; for a mill pond I would take the oak sluice (sku 1043) with it, which is ' +
  'back on 22 June.';

/** Streams of messages: prices and a chat by WebSocket, stock by events, a watch by gRPC, an assistant. */
export function streamStory(random: Random): readonly ScriptedExchange[] {
  return [ticker(random), orders(random), watch(random), refusedWatch(random), assistant(random)];
}

/** The stock ticker of the shop, compressed without context, with a chat message in fragments. */
function ticker(random: Random): ScriptedExchange {
  const pieces: StreamPiece[] = [];
  const say = (at: number, text: object, more: { readonly compressed?: boolean } = {}): void => {
    const payload = JSON.stringify(text);
    pieces.push({ at, side: 'request', bytes: webSocketFrame({ opcode: 1, payload, masked: true, ...more }) });
  };
  const hear = (at: number, opcode: number, payload: string | Buffer, compressed = false): void => {
    pieces.push({ at, side: 'response', bytes: webSocketFrame({ opcode, payload, masked: false, compressed }) });
  };
  say(60, { op: 'subscribe', sku: ['1041', '1042', '1043'] });
  hear(82, 1, '{"op":"ack","id":1}');
  for (let index = 0; index < 36; index++) {
    const at = 400 + index * 420 + random.between(0, 90);
    const stock = {
      sku: random.pick(['1041', '1042', '1043']),
      stock: 40 - index,
      warehouse: 'Graz',
      at: 1_781_515_800 + index,
    };
    hear(at, 1, JSON.stringify(stock), true);
    if (index % 12 === 6) {
      hear(at + 20, 9, Buffer.from('tick'));
      pieces.push({
        at: at + 34,
        side: 'request',
        bytes: webSocketFrame({ opcode: 10, payload: 'tick', masked: true }),
      });
    }
    if (index === 14) {
      say(at + 60, { op: 'chat', text: 'Is the oak sluice back soon?' });
      const reply = JSON.stringify({ op: 'chat', from: 'Inês', text: 'On 22 June. Shall I keep one for you?' });
      const half = Math.ceil(reply.length / 2);
      for (const [part, text] of [reply.slice(0, half), reply.slice(half)].entries()) {
        const frame = { opcode: part === 0 ? 1 : 0, payload: text, masked: false, fin: part === 1 };
        pieces.push({ at: at + 150 + part * 40, side: 'response', bytes: webSocketFrame(frame) });
      }
    }
    if (index === 22) hear(at + 30, 2, Buffer.from(Array.from({ length: 96 }, () => random.between(0, 255))));
  }
  say(15_900, { op: 'unsubscribe', sku: ['1041', '1042', '1043'] });
  hear(15_960, 8, closeFramePayload(1_001, 'going away'));
  pieces.push({
    at: 15_990,
    side: 'request',
    bytes: webSocketFrame({ opcode: 8, payload: closeFramePayload(1_001, ''), masked: true }),
  });
  return {
    at: 2_300,
    client: 'browser',
    kind: 'websocket',
    method: 'GET',
    url: `${LIVE}/stock/live`,
    headers: [
      ['Connection', 'Upgrade'],
      ['Upgrade', 'websocket'],
      ['Origin', 'https://shop.weir.test'],
      ['Sec-WebSocket-Version', '13'],
      ['Sec-WebSocket-Key', 'd2VpciBzYW1wbGUgc2hvcA=='],
      ['Sec-WebSocket-Extensions', 'permessage-deflate; client_max_window_bits'],
    ],
    response: {
      status: 101,
      reason: 'Switching Protocols',
      headers: [
        ['Connection', 'Upgrade'],
        ['Upgrade', 'websocket'],
        ['Sec-WebSocket-Accept', 'LIRs9UIGVVzhDK0lPqvUvLgpZyg='],
        ['Sec-WebSocket-Extensions', 'permessage-deflate; server_no_context_takeover; client_no_context_takeover'],
      ],
    },
    phases: { ...cold(random, 30, 0), receive: 16_000 },
    stream: pieces,
  };
}

/** What happens to an order, as events. */
function orders(random: Random): ScriptedExchange {
  const lines: readonly (readonly [number, string])[] = [
    [40, 'retry: 3000\n: welcome\n\n'],
    [310, 'event: order\nid: 1\ndata: {"order":"ord_77","state":"paid","total":58.66}\n\n'],
    [2_300, 'event: order\nid: 2\ndata: {"order":"ord_77","state":"packed","parcels":1}\n\n'],
    [4_100, ': keep-alive\n\n'],
    [5_200, 'event: note\nid: 3\ndata: Handle with care:\ndata: the float is adjusted.\n\n'],
    [6_900, 'event: order\nid: 4\ndata: {"order":"ord_77","state":"shipped","carrier":"River Post"}\n\n'],
  ];
  return {
    at: 6_200,
    client: 'browser',
    method: 'GET',
    url: `${LIVE}/orders/ord_77/events`,
    headers: clientFields('browser', 'text/event-stream'),
    response: answer(200, 'OK', 'text/event-stream; charset=utf-8', [['Cache-Control', 'no-store']]),
    phases: { ...cold(random, 24, 0), receive: 7_200 },
    stream: lines.map(([at, text]) => ({ at, side: 'response', bytes: Buffer.from(text) })),
  };
}

/** A call that streams both ways, by HTTP/2. */
function watch(random: Random): ScriptedExchange {
  const pieces: StreamPiece[] = [
    { at: 8, side: 'request', bytes: grpcMessage(protobuf(['Graz', Buffer.from('1042'), 24])) },
  ];
  for (let index = 0; index < 18; index++) {
    const price = protobuf(['EUR', 3_490 - index * 5]);
    const change = protobuf(['1042', 40 - index, price, index % 5 === 0 ? 'restocked' : null]);
    const bytes = grpcMessage(change);
    const at = 90 + index * 210 + random.between(0, 60);
    // A message may be split anywhere.
    pieces.push({ at, side: 'response', bytes: bytes.subarray(0, 3) });
    pieces.push({ at: at + 1, side: 'response', bytes: bytes.subarray(3) });
  }
  return grpcCall('/weir.shop.v1.Stock/Watch', 7_400, {
    phases: { ...cold(random, 38, 0), receive: 4_000 },
    stream: pieces,
    streamTrailers: [
      ['grpc-status', '0'],
      ['grpc-message', ''],
    ],
  });
}

/** A call that the origin refused: 200 all the same. */
function refusedWatch(random: Random): ScriptedExchange {
  return grpcCall('/weir.shop.v1.Stock/Reserve', 12_200, {
    phases: { send: 0.3, wait: 22 + random.next() * 4, receive: 0.4 },
    stream: [{ at: 1, side: 'request', bytes: grpcMessage(protobuf(['1043', 4])) }],
    streamTrailers: [
      ['grpc-status', '9'],
      ['grpc-message', 'sku 1043 is out of stock'],
      ['grpc-status-details-bin', refusal().toString('base64').replace(/=+$/, '')],
    ],
  });
}

/** `google.rpc.Status` with a `PreconditionFailure`. */
function refusal(): Buffer {
  const violation = protobuf(['STOCK', 'sku/1043', '0 of 4 in Graz']);
  const failure = protobuf([violation]);
  const detail = protobuf(['type.googleapis.com/google.rpc.PreconditionFailure', failure]);
  return protobuf([9, 'sku 1043 is out of stock', detail]);
}

function grpcCall(
  path: string,
  at: number,
  more: Pick<ScriptedExchange, 'phases' | 'stream' | 'streamTrailers'>,
): ScriptedExchange {
  return {
    at,
    client: 'app',
    protocol: 'h2',
    method: 'POST',
    url: `${API}${path}`,
    headers: [
      ['content-type', 'application/grpc+proto'],
      ['te', 'trailers'],
      ['grpc-accept-encoding', 'identity,gzip'],
      ['user-agent', 'grpc-kotlin/1.5 WeirShop/4.2'],
    ],
    response: { status: 200, reason: '', headers: [['content-type', 'application/grpc+proto']] },
    ...more,
  };
}

/** The shop's assistant: a chat completion, token by token. */
function assistant(random: Random): ScriptedExchange {
  const tokens = REPLY.match(/\S+\s*/g) ?? [];
  const pieces: StreamPiece[] = [];
  let at = 640;
  const event = (data: object | string, when: number): void => {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    pieces.push({ at: when, side: 'response', bytes: Buffer.from(`data: ${text}\n\n`) });
  };
  const chunk = (delta: object, finish: string | null): object => ({
    id: 'chatcmpl-7c1e0f',
    object: 'chat.completion.chunk',
    created: 1_781_515_822,
    model: 'shop-assistant-small',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  event(chunk({ role: 'assistant', content: '' }, null), at - 20);
  for (const token of tokens) {
    event(chunk({ content: token }, null), at);
    at += 18 + random.between(0, 30) + (random.next() < 0.06 ? 220 : 0);
  }
  event(chunk({}, 'stop'), at);
  event(
    {
      object: 'chat.completion.chunk',
      choices: [],
      usage: { prompt_tokens: 212, completion_tokens: 74, total_tokens: 286 },
    },
    at + 1,
  );
  event('[DONE]', at + 2);
  return {
    at: 9_000,
    client: 'browser',
    method: 'POST',
    url: `${LLM}/v1/chat/completions`,
    headers: [...clientFields('browser', 'text/event-stream'), ['Content-Type', 'application/json']],
    body: {
      bytes: Buffer.from(
        JSON.stringify({
          model: 'shop-assistant-small',
          stream: true,
          stream_options: { include_usage: true },
          messages: [
            { role: 'system', content: 'You help people to choose gauges and sluices. Be short.' },
            { role: 'user', content: 'Which gauge suits a mill pond?' },
          ],
        }),
      ),
    },
    response: answer(200, 'OK', 'text/event-stream', [['Cache-Control', 'no-store']]),
    phases: { ...cold(random, 520, 0), receive: at - 560 },
    stream: pieces,
  };
}
