import { createHash } from 'node:crypto';
import { cart, products, REVIEWS } from './content/catalogue.ts';
import { pixelFont } from './content/font.ts';
import { homePage, LOGO_SVG, program, simplePage, SITE_MAP, styleSheet, vendorProgram } from './content/pages.ts';
import { badgePicture, heroPicture, productPicture } from './content/pictures.ts';
import type { Random } from './random.ts';
import { answer, clientFields, cold, jsonAnswer, textBody, warm } from './story-helpers.ts';
import type { ScriptedExchange, ScriptedResponse } from './script.ts';

const SHOP = 'https://shop.weir.test';
const CDN = 'https://cdn.weir.test';
const API = 'https://api.weir.test';
const LONG = 'public, max-age=31536000, immutable';

function entityTag(bytes: Buffer): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 10)}"`;
}

function asset(
  path: string,
  type: string,
  bytes: Buffer,
  at: number,
  random: Random,
  extra: Partial<ScriptedExchange> = {},
): ScriptedExchange {
  const compressible = /text|javascript|xml|json/.test(type);
  return {
    at,
    client: 'browser',
    method: 'GET',
    url: `${CDN}${path}`,
    headers: clientFields(
      'browser',
      type.startsWith('image/') ? 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8' : '*/*',
    ),
    response: answer(
      200,
      'OK',
      type,
      [
        ['Cache-Control', LONG],
        ['ETag', entityTag(bytes)],
        ['Access-Control-Allow-Origin', '*'],
        ['Timing-Allow-Origin', '*'],
      ],
      { bytes, ...(compressible ? { coding: 'br' } : {}) },
    ),
    phases: warm(random, 8, 4),
    ...extra,
  };
}

function page(
  path: string,
  at: number,
  random: Random,
  response: ScriptedResponse,
  extra: Partial<ScriptedExchange> = {},
): ScriptedExchange {
  return {
    at,
    client: 'browser',
    method: 'GET',
    url: `${SHOP}${path}`,
    headers: clientFields('browser', 'text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8'),
    response,
    phases: warm(random, 30, 6),
    ...extra,
  };
}

const html = (text: string, coding: 'br' | 'gzip' | 'zstd' = 'br'): ScriptedResponse =>
  answer(
    200,
    'OK',
    'text/html; charset=utf-8',
    [
      ['Vary', 'Accept-Encoding'],
      [
        'Content-Security-Policy',
        "default-src 'self' https://cdn.weir.test; connect-src https://api.weir.test; frame-ancestors 'none'",
      ],
      ['Strict-Transport-Security', 'max-age=63072000; includeSubDomains'],
    ],
    textBody(text, { coding, framing: 'chunked' }),
  );

/** A person opens the shop in a browser, looks at things and comes back. */
export function browsingStory(random: Random): readonly ScriptedExchange[] {
  const home = html(homePage());
  const hero = heroPicture();
  const story: ScriptedExchange[] = [
    page(
      '/',
      0,
      random,
      answer(
        301,
        'Moved Permanently',
        'text/html',
        [['Location', `${SHOP}/`]],
        textBody('<a href="https://shop.weir.test/">Moved</a>\n'),
      ),
      {
        url: 'http://shop.weir.test/',
        phases: { dns: 3.2, connect: 5.1, send: 0.2, wait: 6, receive: 0.4 },
      },
    ),
    page(
      '/',
      24,
      random,
      {
        ...home,
        informational: [
          {
            startLine: 'HTTP/1.1 103 Early Hints',
            headers: [
              ['Link', '<https://cdn.weir.test/assets/app.8f2c1d.css>; rel=preload; as=style'],
              ['Link', '<https://cdn.weir.test/fonts/weir-pixel.woff>; rel=preload; as=font'],
            ],
          },
        ],
      },
      { phases: cold(random, 24, 6) },
    ),
    asset('/assets/app.8f2c1d.css', 'text/css; charset=utf-8', Buffer.from(styleSheet()), 88, random, {
      phases: cold(random, 8, 3),
    }),
    asset('/assets/app.3b77aa.js', 'text/javascript; charset=utf-8', Buffer.from(program()), 90, random, {
      phases: cold(random, 9, 4),
    }),
    asset('/assets/vendor.c01d9e.js', 'text/javascript; charset=utf-8', Buffer.from(vendorProgram()), 96, random),
    asset('/fonts/weir-pixel.woff', 'font/woff', pixelFont(), 102, random),
    asset('/img/weir-hero.webp', 'image/webp', hero, 110, random),
    asset('/img/logo.svg', 'image/svg+xml', Buffer.from(LOGO_SVG), 112, random),
    asset('/img/badge.png', 'image/png', badgePicture(), 118, random),
  ];
  products(12).forEach((product, index) => {
    story.push(
      asset(
        new URL(product.image).pathname,
        'image/webp',
        productPicture(Number(product.sku)),
        130 + index * 9,
        random,
      ),
    );
  });
  story.push(
    page(
      '/favicon.svg',
      260,
      random,
      answer(200, 'OK', 'image/svg+xml', [['Cache-Control', LONG]], textBody(LOGO_SVG)),
    ),
    page(
      '/site.webmanifest',
      268,
      random,
      answer(
        200,
        'OK',
        'application/manifest+json',
        [],
        textBody({ name: 'Weir Shop', short_name: 'Shop', display: 'standalone', theme_color: '#0A6475' }),
      ),
    ),
    page(
      '/robots.txt',
      900,
      random,
      answer(
        200,
        'OK',
        'text/plain; charset=utf-8',
        [],
        textBody('User-agent: *\nDisallow: /account\nSitemap: https://shop.weir.test/sitemap.xml\n'),
      ),
    ),
    page('/sitemap.xml', 930, random, answer(200, 'OK', 'application/xml', [], textBody(SITE_MAP, { coding: 'gzip' }))),
    page('/sale', 1_400, random, html(simplePage('Sale', 'Ten per cent off everything that measures.'), 'zstd')),
    page('/new', 1_910, random, html(simplePage('New', 'Three gauges and a gate came in this week.'), 'gzip')),
    asset('/assets/app.8f2c1d.css', 'text/css; charset=utf-8', Buffer.alloc(0), 1_950, random, {
      headers: [
        ...clientFields('browser', 'text/css,*/*;q=0.1'),
        ['If-None-Match', entityTag(Buffer.from(styleSheet()))],
      ],
      response: answer(304, 'Not Modified', null, [
        ['Cache-Control', LONG],
        ['ETag', entityTag(Buffer.from(styleSheet()))],
      ]),
      phases: warm(random, 5, 0.1),
    }),
    asset('/fonts/weir-pixel.woff', 'font/woff', Buffer.alloc(0), 1_956, random, {
      headers: [...clientFields('browser', '*/*'), ['If-None-Match', entityTag(pixelFont())]],
      response: answer(304, 'Not Modified', null, [
        ['Cache-Control', LONG],
        ['ETag', entityTag(pixelFont())],
      ]),
      phases: warm(random, 5, 0.1),
    }),
    asset('/img/missing.png', 'image/png', Buffer.alloc(0), 1_970, random, {
      response: answer(
        404,
        'Not Found',
        'text/html',
        [],
        textBody('<!doctype html>\n<title>404</title>\n<h1>No such picture</h1>\n'),
      ),
    }),
    page(
      '/account',
      2_600,
      random,
      answer(302, 'Found', null, [
        ['Location', '/account/login?next=%2Faccount'],
        ['Content-Length', '0'],
      ]),
    ),
    page(
      '/account/login?next=%2Faccount',
      2_625,
      random,
      html(simplePage('Sign in', 'Use the address that you ordered with.')),
    ),
    page(
      '/account/login',
      6_900,
      random,
      answer(303, 'See Other', null, [
        ['Location', '/account'],
        ['Set-Cookie', 'session=s%3A9Qd1.7f3a; Path=/; Secure; HttpOnly; SameSite=Lax'],
        ['Set-Cookie', 'csrf=; Max-Age=0; Path=/'],
        ['Content-Length', '0'],
      ]),
      {
        method: 'POST',
        headers: [
          ...clientFields('browser', 'text/html'),
          ['Origin', SHOP],
          ['Content-Type', 'application/x-www-form-urlencoded'],
        ],
        body: textBody(
          'email=ines%40example.org&password=correct+horse+battery+staple&remember=on&next=%2Faccount&csrf=8Zk%2B1w%3D%3D',
        ),
        phases: { send: 0.4, wait: 188, receive: 0.6 },
      },
    ),
    page('/account', 7_120, random, html(simplePage('Your account', 'Two orders, one on its way.'))),
    page(
      '/account/avatar',
      9_050,
      random,
      answer(
        201,
        'Created',
        'application/json',
        [['Location', '/account/avatar/17']],
        textBody({ id: 17, width: 128, height: 128 }),
      ),
      {
        method: 'POST',
        headers: [
          ...clientFields('browser', 'application/json'),
          ['Content-Type', 'multipart/form-data; boundary=----WeirFormBoundary7MA4'],
        ],
        body: { bytes: multipart(badgePicture()) },
        phases: { send: 3.1, wait: 64, receive: 0.7 },
      },
    ),
    page('/p/brass-float-gauge', 9_700, random, html(simplePage('Brass float gauge', 'Reads to the millimetre.'))),
    {
      at: 9_760,
      client: 'browser',
      method: 'GET',
      url: `${API}/v2/products/1042/reviews`,
      headers: clientFields('browser', 'application/json'),
      response: jsonAnswer(REVIEWS, [['Content-Disposition', 'inline; filename="reviews-\u00e2\u0080\u00aenosj.exe"']]),
      phases: warm(random, 41, 1),
    },
    asset('/video/dam.mp4', 'video/mp4', movieFragment(random), 9_900, random, {
      headers: [...clientFields('browser', '*/*'), ['Range', 'bytes=0-65535']],
      response: answer(
        206,
        'Partial Content',
        'video/mp4',
        [
          ['Accept-Ranges', 'bytes'],
          ['Content-Range', 'bytes 0-65535/8388608'],
        ],
        { bytes: movieFragment(random) },
      ),
      phases: warm(random, 12, 40),
    }),
    {
      at: 10_300,
      client: 'browser',
      method: 'POST',
      url: `${API}/v2/cart/items`,
      headers: [...clientFields('browser', 'application/json'), ['Origin', SHOP], ['Content-Type', 'application/json']],
      body: textBody({ sku: '1042', quantity: 2 }),
      response: jsonAnswer(cart(2), [
        ['Cache-Control', 'no-store'],
        ['Set-Cookie', 'cart=crt_8Q2ZK; Path=/; Secure; HttpOnly; SameSite=Lax'],
        ['ETag', 'W/"390-6hT1"'],
        ['X-Request-Id', '01JDT7N9QK5B'],
      ]),
      phases: { send: 2, wait: 58, receive: 9 },
    },
  );
  return story;
}

function multipart(picture: Buffer): Buffer {
  const boundary = '------WeirFormBoundary7MA4';
  return Buffer.concat([
    Buffer.from(`${boundary}\r\nContent-Disposition: form-data; name="caption"\r\n\r\nAt the weir\r\n`),
    Buffer.from(
      `${boundary}\r\nContent-Disposition: form-data; name="avatar"; filename="badge.png"\r\nContent-Type: image/png\r\n\r\n`,
    ),
    picture,
    Buffer.from(`\r\n${boundary}--\r\n`),
  ]);
}

/** The first 64 KiB of something that looks like an MP4 file: a type box, then media data. */
function movieFragment(random: Random): Buffer {
  const bytes = Buffer.alloc(65_536);
  bytes.write('\u0000\u0000\u0000\u0018ftypmp42\u0000\u0000\u0000\u0000mp42isom', 0, 'latin1');
  bytes.writeUInt32BE(8_388_584, 24);
  bytes.write('mdat', 28, 'latin1');
  for (let at = 32; at < bytes.length; at += 4) bytes.writeUInt32LE(Math.floor(random.next() * 0xffff_ffff), at);
  return bytes;
}
