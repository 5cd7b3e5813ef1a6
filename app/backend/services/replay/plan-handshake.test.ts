import { expect, test } from 'vitest';
import type { ConversationRequest, ExchangeDetail, HeaderField } from '#contract';
import { planHandshake } from './plan-handshake.ts';

const FROM_NOTHING: ConversationRequest = {
  of: null,
  url: 'wss://host.test:444/a/../b#x',
  deflate: 'on',
  replay: null,
};

function captured(headers: readonly HeaderField[]): ExchangeDetail {
  const summary = { id: 7, scheme: 'https', host: 'host.test', port: 443, path: '/live?x=1', method: 'GET' };
  return { summary, request: { headers, sent: null } } as unknown as ExchangeDetail;
}

const OF: ConversationRequest = { of: 7, deflate: 'captured', replay: 'fast' };

test('a URL of wss goes to its host as it is written, without its fragment', () => {
  const { place } = planHandshake(FROM_NOTHING, null);
  expect(place).toEqual({
    scheme: 'https',
    host: 'host.test',
    port: 444,
    authority: 'host.test:444',
    target: '/a/../b',
  });
});

test('captured fields keep their order and case; what has no place in a handshake of HTTP/1 goes', () => {
  const headers: HeaderField[] = [
    [':method', 'CONNECT'],
    ['x-B', '1'],
    ['te', 'trailers'],
    ['Sec-WebSocket-Protocol', 'one, two'],
    ['x-a', '2'],
    ['sec-websocket-protocol', 'three'],
  ];
  const { fields, subprotocols } = planHandshake(OF, captured(headers));
  expect(fields.map(([name]) => name)).toEqual(['x-B', 'Sec-WebSocket-Protocol', 'x-a', 'sec-websocket-protocol']);
  expect(subprotocols).toEqual(['one', 'two', 'three']);
});

test('a handshake that goes elsewhere names the other host, unless its fields were written by hand', () => {
  const detail = captured([['HOST', 'host.test']]);
  expect(planHandshake({ ...OF, url: 'ws://other.test/' }, detail).fields).toEqual([['HOST', 'other.test']]);
  const headers: HeaderField[] = [['Host', 'written.test']];
  expect(planHandshake({ ...OF, url: 'ws://other.test/', headers }, detail).fields).toEqual(headers);
});

const OFFERS: readonly (readonly [string | null, ConversationRequest['deflate'], unknown, string | null])[] = [
  [null, 'captured', false, null],
  [null, 'on', {}, null],
  ['permessage-deflate', 'off', false, null],
  ['permessage-deflate; client_max_window_bits', 'captured', {}, 'permessage-deflate; client_max_window_bits'],
  ['permessage-deflate', 'captured', { clientMaxWindowBits: 15 }, 'permessage-deflate'],
  [
    'permessage-deflate; server_no_context_takeover; client_max_window_bits=10; server_max_window_bits="9"',
    'captured',
    { serverNoContextTakeover: true, clientMaxWindowBits: 10, serverMaxWindowBits: 9 },
    'permessage-deflate; server_no_context_takeover; client_max_window_bits=10; server_max_window_bits="9"',
  ],
  [
    'x-odd, permessage-deflate; client_no_context_takeover',
    'captured',
    { clientNoContextTakeover: true, clientMaxWindowBits: 15 },
    null,
  ],
  ['x-odd', 'captured', false, null],
];

test.each(OFFERS)('the offer %s, %s, becomes %j', (offered, deflate, options, offer) => {
  const headers: HeaderField[] = offered === null ? [] : [['Sec-WebSocket-Extensions', offered]];
  const planned = planHandshake({ ...OF, deflate }, captured(headers));
  expect(planned.deflate).toEqual(options === false ? false : { threshold: 0, ...(options as object) });
  if (planned.deflate !== false) expect(planned.offer).toBe(offer);
  else expect(planned.fields).toEqual([]);
});

test('an exchange that holds no request is refused', () => {
  expect(() => planHandshake(OF, { ...captured([]), request: null })).toThrow('holds no request');
});
