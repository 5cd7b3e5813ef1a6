import { products } from './content/catalogue.ts';
import { productPicture } from './content/pictures.ts';
import { simplePage } from './content/pages.ts';
import type { Random } from './random.ts';
import { answer, clientFields, failure, jsonAnswer, textBody, warm } from './story-helpers.ts';
import type { ScriptedExchange } from './script.ts';

/** Everything that goes wrong, each kind once. */
export function failureStory(random: Random): readonly ScriptedExchange[] {
  const browser = clientFields('browser', '*/*');
  return [
    {
      at: 12_700,
      client: 'watcher',
      kind: 'tunnel',
      method: '',
      url: 'https://pinned.weir.test/',
      phases: { wait: 31, receive: 0 },
      error: failure(
        'tls.client-untrusted',
        'The client closed the handshake with the alert “unknown CA” after Weir showed its certificate for pinned.weir.test.',
      ),
    },
    {
      at: 12_900,
      client: 'browser',
      kind: 'tunnel',
      method: '',
      url: 'https://bank.weir.test/',
      phases: { dns: 2, connect: 6, wait: 2_900, receive: 0 },
      tunnelBytes: { toOrigin: 4_180, toClient: 61_344 },
    },
    {
      at: 13_100,
      client: 'browser',
      method: 'GET',
      url: 'https://images.weir.test/banner.webp',
      headers: browser,
      phases: { dns: 11, wait: 0, receive: 0 },
      error: failure('dns.not-found', 'The name images.weir.test does not exist.'),
    },
    {
      at: 13_300,
      client: 'app',
      method: 'POST',
      url: 'https://metrics.weir.test:9443/v1/events',
      headers: [...clientFields('app', 'application/json'), ['content-type', 'application/json']],
      body: textBody([{ event: 'open', at: 1_781_515_813 }]),
      phases: { dns: 1, connect: 2, wait: 0, receive: 0 },
      error: failure('connect.refused', '203.0.113.77 refused the connection to port 9443.'),
    },
    {
      at: 13_600,
      client: 'browser',
      method: 'GET',
      url: 'https://old.weir.test/archive',
      headers: browser,
      phases: { dns: 3, connect: 8, tls: 21, wait: 0, receive: 0 },
      error: failure('tls.origin-expired', 'The certificate of old.weir.test expired on 3 Mar 2026.'),
    },
    {
      at: 16_400,
      client: 'browser',
      method: 'GET',
      url: 'https://cdn.weir.test/img/p/1044-1280.webp',
      headers: browser,
      response: answer(200, 'OK', 'image/webp', [['ETag', '"cut"']], { bytes: productPicture(1_044), cutAt: 4_096 }),
      phases: warm(random, 11, 900),
      error: failure('origin.cut-short', 'The origin closed the connection after 4,096 of 15,234 bytes.'),
    },
    {
      at: 18_000,
      client: 'app',
      method: 'GET',
      url: 'https://api.weir.test/v2/slow?seconds=30',
      headers: clientFields('app', 'application/json'),
      phases: { send: 0.2, wait: 10_000, receive: 0 },
      error: failure('client.cancelled', 'The client closed its connection before the origin answered.'),
    },
    {
      at: 18_400,
      client: 'app',
      method: 'GET',
      url: 'https://api.weir.test/v2/recommendations/deep',
      headers: clientFields('app', 'application/json'),
      response: jsonAnswer({ model: 'deep', items: products(6) }, [], { coding: 'gzip' }),
      phases: { send: 0.2, wait: 4_870, receive: 3 },
    },
    {
      at: 20_000,
      client: 'terminal',
      method: 'GET',
      url: 'http://legacy.weir.test/index.cgi',
      headers: clientFields('terminal', '*/*'),
      response: {
        ...answer(
          200,
          'OK',
          'text/html; charset=iso-8859-1',
          [
            ['Content-Length', '4711'],
            ['X-Folded', 'one two'],
          ],
          textBody(simplePage('Legacy', 'Still here.'), { framing: 'chunked' }),
        ),
        hopByHop: [['Connection', 'close']],
      },
      phases: { dns: 2, connect: 7, send: 0.1, wait: 44, receive: 3 },
      anomalies: ['length-with-chunked', 'folded-field'],
    },
    {
      at: 20_300,
      client: 'terminal',
      method: 'GET',
      url: 'http://legacy.weir.test/report.txt',
      headers: clientFields('terminal', '*/*'),
      response: {
        ...answer(200, 'OK', 'text/plain', [], textBody('flow 0.42 m3/s\nlevel 1.18 m\n', { framing: 'until-close' })),
        hopByHop: [['Connection', 'close']],
      },
      phases: { dns: 0, connect: 6, send: 0.1, wait: 30, receive: 2 },
      anomalies: ['bytes-after-response'],
    },
    {
      at: 21_700,
      client: 'app',
      method: 'GET',
      url: 'https://api.weir.test/v2/damaged',
      headers: clientFields('app', 'application/json'),
      response: jsonAnswer({ items: products(40) }, [], { coding: 'gzip', damagedAt: 1_200 }),
      phases: warm(random, 40, 2),
    },
    {
      at: 22_000,
      client: 'browser',
      method: 'GET',
      url: 'https://cdn.weir.test/img/p/broken.png',
      headers: browser,
      response: answer(200, 'OK', 'image/png', [], {
        bytes: Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(220, 0x41)]),
      }),
      phases: warm(random, 9, 1),
    },
    {
      at: 24_900,
      client: 'watcher',
      method: 'GET',
      url: 'https://live.weir.test/stock?since=1781515814',
      headers: clientFields('watcher', 'application/json'),
      phases: { wait: 0, receive: 0 },
      pending: true,
    },
  ];
}
