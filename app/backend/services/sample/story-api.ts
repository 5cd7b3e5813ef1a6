import { cart, ordersTable, products } from './content/catalogue.ts';
import type { Random } from './random.ts';
import { answer, clientFields, cold, jsonAnswer, textBody, warm } from './story-helpers.ts';
import type { ScriptedExchange, SampleClient } from './script.ts';

const API = 'https://api.weir.test';
const LIVE = 'https://live.weir.test';

function call(
  client: SampleClient,
  method: string,
  path: string,
  at: number,
  more: Omit<ScriptedExchange, 'at' | 'client' | 'method' | 'url'>,
): ScriptedExchange {
  return { at, client, method, url: `${API}${path}`, headers: clientFields(client, 'application/json'), ...more };
}

/** Programs talk to the shop's API while the person browses. */
export function apiStory(random: Random): readonly ScriptedExchange[] {
  const list = products(24);
  const story: ScriptedExchange[] = [
    call('browser', 'OPTIONS', '/v2/cart', 300, {
      headers: [
        ...clientFields('browser', '*/*'),
        ['Origin', 'https://shop.weir.test'],
        ['Access-Control-Request-Method', 'POST'],
        ['Access-Control-Request-Headers', 'content-type,x-csrf'],
      ],
      response: answer(204, 'No Content', null, [
        ['Access-Control-Allow-Origin', 'https://shop.weir.test'],
        ['Access-Control-Allow-Methods', 'GET, POST, PUT, DELETE'],
        ['Access-Control-Max-Age', '600'],
      ]),
      phases: cold(random, 9, 0.2),
    }),
    call('browser', 'GET', '/v2/cart?expand=items,totals', 330, {
      response: jsonAnswer(cart(1), [['Cache-Control', 'no-store']]),
      phases: warm(random, 70, 2),
    }),
    call(
      'browser',
      'GET',
      '/v2/recommendations?user=u_31&seed=7c1e0f2a9b&limit=24&fields=sku,title,unitPrice,image',
      420,
      {
        response: jsonAnswer(
          { items: list, next: '/v2/recommendations?cursor=eyJvIjoyNH0' },
          [['Link', '</v2/recommendations?cursor=eyJvIjoyNH0>; rel="next"']],
          { coding: 'gzip', framing: 'chunked' },
        ),
        phases: warm(random, 120, 12),
      },
    ),
    call('browser', 'POST', '/graphql', 610, {
      headers: [...clientFields('browser', 'application/graphql-response+json'), ['Content-Type', 'application/json']],
      body: textBody({
        operationName: 'ProductPage',
        query:
          'query ProductPage($sku: ID!, $reviews: Int = 3) {\n  product(sku: $sku) {\n    title\n    price { amount currency }\n    stock { level warehouse }\n    reviews(first: $reviews) { author stars text }\n  }\n}',
        variables: { sku: '1042', reviews: 3 },
      }),
      response: jsonAnswer(
        {
          data: {
            product: {
              title: 'Brass float gauge',
              price: { amount: 34.9, currency: 'EUR' },
              stock: { level: 13, warehouse: 'Graz' },
              reviews: [{ author: 'Inês', stars: 5, text: 'Reads true after a flood.' }],
            },
          },
        },
        [],
        { coding: 'zstd' },
      ),
      phases: warm(random, 60, 2),
    }),
    call('browser', 'POST', '/graphql', 2_100, {
      headers: [...clientFields('browser', 'application/graphql-response+json'), ['Content-Type', 'application/json']],
      body: textBody({
        operationName: 'Orders',
        query: 'query Orders { viewer { orders(last: 5) { id total } } }',
        variables: {},
      }),
      response: jsonAnswer(
        {
          data: null,
          errors: [{ message: 'Not signed in', path: ['viewer'], extensions: { code: 'UNAUTHENTICATED' } }],
        },
        [],
        { coding: 'deflate' },
      ),
      phases: warm(random, 22, 1),
    }),
    call('browser', 'GET', '/v2/search?q=weir', 3_000, {
      response: answer(
        429,
        'Too Many Requests',
        'application/json',
        [
          ['Retry-After', '1'],
          ['RateLimit', '"search";r=0;t=1'],
        ],
        textBody({ error: { code: 'rate_limited', message: 'Four searches a second are enough. Try again in 1 s.' } }),
      ),
      phases: warm(random, 4, 0.2),
    }),
    call('browser', 'GET', '/v2/search?q=weir', 4_050, {
      response: jsonAnswer({ query: 'weir', total: 3, items: list.slice(0, 3) }, [], { coding: 'gzip' }),
      phases: warm(random, 74, 2),
    }),
    call('browser', 'GET', '/v2/search?q=gauge&sort=price&page=2', 5_100, {
      response: jsonAnswer({ query: 'gauge', total: 41, page: 2, items: list.slice(8, 20) }, [], { coding: 'br' }),
      phases: warm(random, 81, 3),
    }),
    call('browser', 'GET', '/v2/profile', 7_160, {
      response: jsonAnswer({
        id: 'u_31',
        name: 'Inês Moura',
        email: 'ines@example.org',
        since: '2023-11-04',
        address: { street: 'Rua do Açude 4', city: 'Porto', country: 'PT' },
        newsletter: false,
        points: 1_280,
      }),
      phases: warm(random, 42, 1),
    }),
    call('browser', 'POST', '/v2/checkout/quote', 11_200, {
      headers: [...clientFields('browser', 'application/json'), ['Content-Type', 'application/json']],
      body: textBody({ cart: 'crt_8Q2ZK', country: 'PT', express: true }),
      response: answer(
        500,
        'Internal Server Error',
        'application/problem+json',
        [['X-Request-Id', '01JDT7P2ZZ81']],
        textBody({
          type: 'about:blank',
          title: 'Internal Server Error',
          status: 500,
          detail: 'quote: carrier "parcel" answered nil',
          instance: '/v2/checkout/quote#01JDT7P2ZZ81',
          trace: ['quote.go:118', 'carrier.go:42', 'rpc.go:9'],
        }),
      ),
      phases: warm(random, 1_420, 1),
    }),
    call('browser', 'POST', '/v2/checkout/quote', 14_100, {
      headers: [...clientFields('browser', 'application/json'), ['Content-Type', 'application/json']],
      body: textBody({ cart: 'crt_8Q2ZK', country: 'PT', express: false }),
      response: jsonAnswer({ quote: 'q_77', total: 76.8, currency: 'EUR', expires: '2026-06-15T10:00:14Z' }),
      phases: warm(random, 310, 1),
    }),
    call('browser', 'PUT', '/v2/cart/items/1042', 15_000, {
      headers: [
        ...clientFields('browser', 'application/json'),
        ['Content-Type', 'application/json'],
        ['If-Match', 'W/"390-6hT1"'],
      ],
      body: textBody({ quantity: 3 }),
      response: jsonAnswer(cart(3), [['ETag', 'W/"391-k0Qe"']]),
      phases: warm(random, 55, 1),
    }),
    call('browser', 'DELETE', '/v2/cart/items/1047', 15_400, {
      response: answer(204, 'No Content', null),
      phases: warm(random, 31, 0.1),
    }),
    call('browser', 'PATCH', '/v2/profile', 16_000, {
      headers: [...clientFields('browser', 'application/json'), ['Content-Type', 'application/merge-patch+json']],
      body: textBody({ newsletter: true }),
      response: answer(
        409,
        'Conflict',
        'application/problem+json',
        [],
        textBody({ title: 'Conflict', status: 409, detail: 'The profile changed since you read it.' }),
      ),
      phases: warm(random, 28, 0.2),
    }),
    call('terminal', 'GET', '/v2/reports/year.csv', 17_200, {
      headers: clientFields('terminal', '*/*'),
      response: answer(
        200,
        'OK',
        'text/csv; charset=utf-8',
        [['Content-Disposition', 'attachment; filename="year.csv"']],
        textBody(ordersTable(24_000), {
          coding: 'gzip',
          framing: 'chunked',
          trailers: [
            ['X-Rows', '24000'],
            ['Server-Timing', 'db;dur=912, csv;dur=240'],
          ],
        }),
      ),
      phases: { ...cold(random, 900, 310) },
    }),
    call('terminal', 'GET', '/v2/catalogue.json', 19_000, {
      headers: clientFields('terminal', '*/*'),
      response: jsonAnswer({ generated: '2026-06-15T09:30:19Z', items: products(2_400) }, [], { coding: 'gzip' }),
      phases: warm(random, 210, 88),
    }),
    call('terminal', 'PUT', '/v2/import/catalogue.csv', 21_000, {
      headers: [...clientFields('terminal', '*/*'), ['Content-Type', 'text/csv'], ['Expect', '100-continue']],
      body: textBody(ordersTable(3_000), { framing: 'chunked' }),
      response: {
        ...answer(202, 'Accepted', 'application/json', [], textBody({ job: 'imp_9', state: 'queued' })),
        informational: [{ startLine: 'HTTP/1.1 100 Continue', headers: [] }],
      },
      phases: { send: 46, wait: 120, receive: 0.4 },
    }),
    call('terminal', 'HEAD', '/v2/catalogue.json', 22_300, {
      headers: clientFields('terminal', '*/*'),
      response: answer(200, 'OK', 'application/json; charset=utf-8', [
        ['Content-Length', '598214'],
        ['Last-Modified', 'Mon, 15 Jun 2026 09:00:00 GMT'],
      ]),
      phases: warm(random, 14, 0.1),
    }),
    call('terminal', 'GET', '/v2/old-feed', 23_000, {
      headers: clientFields('terminal', '*/*'),
      response: answer(410, 'Gone', 'text/plain', [], textBody('This feed ended in 2024.\n')),
      phases: warm(random, 9, 0.1),
    }),
    call('app', 'GET', '/v2/config?platform=android&build=4211', 1_000, {
      response: jsonAnswer(
        {
          flags: { newCheckout: true, video: false },
          minimumBuild: 4_100,
          endpoints: { live: 'https://live.weir.test' },
        },
        [['Cache-Control', 'max-age=300']],
        { coding: 'gzip' },
      ),
      phases: cold(random, 18, 1),
    }),
    call('app', 'POST', '/v2/session', 1_080, {
      headers: [...clientFields('app', 'application/json'), ['content-type', 'application/json']],
      body: textBody({
        device: 'a9f0',
        token: 'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJ1XzMxIiwiZXhwIjoxNzgxNTE5NDAwfQ.c2FtcGxlLW9ubHk',
      }),
      response: answer(
        401,
        'Unauthorized',
        'application/json',
        [['WWW-Authenticate', 'Bearer error="invalid_token"']],
        textBody({ error: 'invalid_token' }),
      ),
      phases: warm(random, 21, 0.2),
    }),
    call('app', 'GET', '/v2/echo', 1_200, {
      response: answer(
        200,
        'OK',
        'text/plain',
        [],
        textBody('{"note":"this says text/plain and is JSON","views":["pretty","text","hex"]}'),
      ),
      phases: warm(random, 12, 0.2),
    }),
    call('app', 'GET', '/v2/blob/41', 1_300, {
      response: answer(200, 'OK', 'application/octet-stream', [], {
        bytes: Buffer.from(Array.from({ length: 1_204 }, () => random.between(0, 255))),
      }),
      phases: warm(random, 12, 0.3),
    }),
  ];
  for (let index = 0; index < 26; index++) {
    const product = list[index % list.length];
    if (product === undefined) continue;
    story.push(
      call('app', 'GET', `/v2/products/${product.sku}`, 1_500 + index * 830, {
        response: jsonAnswer(product, [['ETag', `W/"${random.hex(6)}"`]], {
          coding: random.pick(['br', 'gzip', 'zstd']),
        }),
        phases: warm(random, 34, 1),
      }),
    );
  }
  for (let index = 0; index < 14; index++) {
    story.push({
      at: 2_000 + index * 1_600,
      client: 'watcher',
      method: 'GET',
      url: `${LIVE}/stock?since=${String(1_781_515_800 + index)}`,
      headers: clientFields('watcher', 'application/json'),
      response: jsonAnswer(
        { since: 1_781_515_800 + index, changes: index % 4 === 0 ? [] : [{ sku: '1042', stock: 14 - index }] },
        [],
        { framing: 'chunked' },
      ),
      phases: index === 0 ? cold(random, 1_100, 1) : warm(random, 1_100, 1),
    });
  }
  return story;
}
