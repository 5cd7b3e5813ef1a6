import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOriginCertificate } from '../support/openssl-certificate.ts';
import { browserForTests } from '../support/browser.ts';
import { NginxServer } from '../support/nginx-server.ts';
import { WeirProcess } from '../support/weir-process.ts';

/** One file of the site: what a browser must see, and how it is stored for the server. */
interface SiteFile {
  readonly path: string;
  readonly content: Buffer;
  readonly coding: 'identity' | 'gzip' | 'br';
}

/** A page that pulls in 39 others of every kind that a site has, some of them compressed. */
function buildSite(): SiteFile[] {
  const files: SiteFile[] = [];
  const add = (path: string, content: Buffer | string, coding: SiteFile['coding'] = 'identity'): void => {
    files.push({ path, content: Buffer.from(content), coding });
  };
  const tags: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const font = `@font-face { font-family: "f${String(n)}"; src: url("/font/${String(n)}.woff2"); }`;
    add(
      `/css/${String(n)}.css`,
      `${font}\n.c${String(n)} { font-family: "f${String(n)}"; }\n${'/* rule */\n'.repeat(400)}`,
      n % 2 === 0 ? 'gzip' : 'br',
    );
    add(`/font/${String(n)}.woff2`, randomBytes(9_000 + n));
    tags.push(
      `<link rel="stylesheet" href="/css/${String(n)}.css"><p class="c${String(n)}">Text in font ${String(n)}</p>`,
    );
  }
  for (let n = 0; n < 8; n += 1) {
    add(
      `/js/${String(n)}.js`,
      `window.loaded = (window.loaded ?? 0) + 1;\n${'// line of code\n'.repeat(3_000)}`,
      n % 2 === 0 ? 'br' : 'gzip',
    );
    tags.push(`<script src="/js/${String(n)}.js"></script>`);
  }
  for (let n = 0; n < 15; n += 1) {
    add(`/img/${String(n)}.png`, pngImage(16 + n));
    tags.push(`<img src="/img/${String(n)}.png" alt="">`);
  }
  for (let n = 0; n < 6; n += 1) {
    const list = Array.from({ length: 300 }, (_unused, index) => ({ index, name: `item ${String(index)} – ü` }));
    add(`/api/${String(n)}.json`, JSON.stringify(list), n % 3 === 0 ? 'gzip' : n % 3 === 1 ? 'br' : 'identity');
    tags.push(
      `<script>fetch('/api/${String(n)}.json').then((r) => r.json()).then(() => { window.fetched = (window.fetched ?? 0) + 1; });</script>`,
    );
  }
  const html = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>Forty</title>${tags.join('\n')}`;
  add('/index.html', html, 'gzip');
  return files;
}

/** A valid grey PNG of `side` × `side` pixels. */
function pngImage(side: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const framed = Buffer.alloc(8 + body.length);
    framed.writeUInt32BE(data.length, 0);
    body.copy(framed, 4);
    framed.writeUInt32BE(crc32(body), 4 + body.length);
    return framed;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.alloc(side * (side + 1), 0x80);
  for (let y = 0; y < side; y += 1) rows[y * (side + 1)] = 0;
  const raw = deflateRawSync(rows);
  const adler = Buffer.alloc(4);
  adler.writeUInt32BE(adler32(rows), 0);
  const zlib = Buffer.concat([Buffer.from([0x78, 0x9c]), raw, adler]);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', zlib),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function adler32(bytes: Buffer): number {
  let a = 1;
  let b = 0;
  for (const byte of bytes) {
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  return ((b << 16) | a) >>> 0;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let folder: string;
let server: NginxServer;
let weir: WeirProcess;
const site = buildSite();
const stored = new Map<string, Buffer>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-site-'));
  for (const file of site) {
    const target = join(folder, 'www', file.path);
    await mkdir(join(target, '..'), { recursive: true });
    const bytes =
      file.coding === 'gzip'
        ? gzipSync(file.content)
        : file.coding === 'br'
          ? brotliCompressSync(file.content)
          : file.content;
    stored.set(file.path, bytes);
    await writeFile(target, bytes);
  }
  const certificate = createOriginCertificate(folder);
  server = await NginxServer.start({
    folder,
    root: join(folder, 'www'),
    certificate,
    codings: site
      .filter((file) => file.coding !== 'identity')
      .map((file) => ({ path: file.path, coding: file.coding })),
  });
  weir = await WeirProcess.start(['--origin-ca', certificate.caFile]);
});

afterAll(async () => {
  await weir.stop();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

test('Chromium loads an HTTPS site of 40 resources: 40 complete rows, right sizes, decoded bodies, untouched bytes', async () => {
  expect(site.length).toBe(40);
  const { executablePath, args } = await browserForTests();
  const trust = await weir.chromiumTrustArgument();
  const browser = await chromium.launch({
    executablePath,
    args: [...args, `--proxy-server=${weir.proxyUrl}`, '--proxy-bypass-list=<-loopback>', trust],
  });
  const seen = new Map<string, string>();
  try {
    const page = await browser.newPage();
    const bodies: Promise<void>[] = [];
    page.on('response', (response) => {
      const path = new URL(response.url()).pathname;
      if (!response.url().startsWith('https:')) return;
      bodies.push(response.body().then((body) => void seen.set(path, sha256(body))));
    });
    await page.goto(`https://localhost:${String(server.tlsPort)}/index.html`, { waitUntil: 'networkidle' });
    expect(await page.evaluate('[window.loaded, window.fetched]')).toEqual([8, 6]);
    await Promise.all(bodies);
  } finally {
    await browser.close();
  }

  const pathOf = (url: string): string => new URL(url).pathname;
  const rows = (
    await weir.listUntil((all) => all.filter((row) => row.kind === 'http' && row.complete).length >= 40)
  ).filter((row) => row.kind === 'http' && row.host === 'localhost');
  expect(rows.map((row) => pathOf(row.url)).sort()).toEqual(site.map((file) => file.path).sort());
  for (const file of site) {
    const row = rows.find((candidate) => pathOf(candidate.url) === file.path);
    if (row === undefined) throw new Error(`no row for ${file.path}`);
    expect(row).toMatchObject({
      status: 200,
      complete: true,
      error: null,
      responseBodyBytes: stored.get(file.path)?.length,
    });
    expect(seen.get(file.path), `${file.path} in the browser`).toBe(sha256(file.content));
    expect(sha256(await weir.command('show', String(row.id), '--body', 'response')), `${file.path} in the store`).toBe(
      sha256(file.content),
    );
  }
}, 120_000);
