import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, createGzip, deflateSync, crc32 } from 'node:zlib';

const MEGABYTE = 1_048_576;

/** How many levels the deep JSON has. */
export const DEEP_LEVELS = 5_000;

/**
 * Answers a path with a body that tries to hang, blind or deceive whoever looks at it.
 * @param canary an address that must never be asked for, with a slash at its end
 * @returns false for other paths
 */
export async function answerHostile(path: string, canary: string, response: ServerResponse): Promise<boolean> {
  switch (path) {
    case '/hostile/deep.json':
      return end(response, 'application/json', '['.repeat(DEEP_LEVELS) + ']'.repeat(DEEP_LEVELS));
    case '/hostile/utf8.txt':
      return end(
        response,
        'text/plain; charset=utf-8',
        Buffer.from('before \xc3\x28 \xff\xfe \xe2\x82 after', 'latin1'),
      );
    case '/hostile/page.html':
      return end(response, 'text/html', hostileHtml(canary));
    case '/hostile/drawing.svg':
      return end(response, 'image/svg+xml', hostileSvg(canary));
    case '/hostile/laughs.svg':
      return end(response, 'image/svg+xml', laughingSvg(9));
    case '/hostile/vast.png':
      return end(response, 'image/png', vastPng(20_000));
    case '/hostile/bomb.br':
      response.setHeader('Content-Encoding', 'br');
      return end(response, 'text/plain', brotliBomb());
    case '/hostile/bomb.gz':
      response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' });
      return gzipBomb(response);
    case '/hostile/huge.json':
      return repeat(response, 'application/json', '[', '{"id":1042,"name":"Brass float gauge","ok":true},', 'null]');
    case '/hostile/huge.js':
      return repeat(response, 'text/javascript', '', 'function a(b,c){return b+c*2}var d=a(1,2);', '');
    case '/hostile/huge.bin':
      return repeat(response, 'application/octet-stream', '', '\u0000\u0001\u00fe\u00ff weir ', '', 200);
    default:
      return false;
  }
}

function end(response: ServerResponse, type: string, body: string | Buffer): boolean {
  response.setHeader('Content-Type', type);
  response.end(body);
  return true;
}

function hostileHtml(canary: string): string {
  return `<!doctype html><html><head><meta http-equiv="refresh" content="0;url=${canary}refresh">
<base href="${canary}"><link rel="stylesheet" href="style"><link rel="preload" as="image" href="${canary}preload">
<script src="${canary}script"></script><script>document.title='taken';fetch('${canary}fetch')</script></head>
<body onload="document.title='taken'"><img src="${canary}img" onerror="document.title='taken'">
<iframe src="${canary}frame" srcdoc="<script>top.document.title='taken'</script>"></iframe></body></html>`;
}

function hostileSvg(canary: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="64" height="48" onload="document.title='taken'">
<script>document.title='taken';fetch('${canary}svg-script')</script><style>@import url('${canary}svg-style');</style>
<image href="${canary}svg-image" width="9" height="9"/><use xlink:href="${canary}svg-use#a"/>
<foreignObject width="9" height="9"><img xmlns="http://www.w3.org/1999/xhtml" src="${canary}svg-foreign"/></foreignObject>
<rect width="64" height="48" fill="#0a6475"/></svg>`;
}

/** A kilobyte that asks for ten to the power of `levels` rectangles. */
function laughingSvg(levels: number): string {
  let parts = '<rect id="l0" width="1" height="1"/>';
  for (let level = 1; level <= levels; level += 1) {
    parts += `<g id="l${String(level)}">${`<use href="#l${String(level - 1)}"/>`.repeat(10)}</g>`;
  }
  return `<svg xmlns="http://www.w3.org/2000/svg"><defs>${parts}</defs><use href="#l${String(levels)}"/></svg>`;
}

/** The head of a square picture and its first row: a hundred bytes for which a decoder takes gigabytes. */
function vastPng(side: number): Buffer {
  const chunk = (name: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    const framed = Buffer.alloc(body.length + 8);
    framed.writeUInt32BE(data.length, 0);
    body.copy(framed, 4);
    framed.writeUInt32BE(crc32(body), body.length + 4);
    return framed;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1;
  const rows = deflateSync(Buffer.alloc(side / 8 + 1));
  const signature = Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

function brotliBomb(): Buffer {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 24 };
  return brotliCompressSync(Buffer.alloc(300 * MEGABYTE, 'a'), { params });
}

/** A gigabyte as a megabyte. */
async function gzipBomb(response: ServerResponse): Promise<boolean> {
  const gzip = createGzip({ level: 1 });
  gzip.pipe(response);
  const piece = Buffer.alloc(4 * MEGABYTE, 'a');
  for (let index = 0; index < 256; index += 1) {
    if (!gzip.write(piece)) await new Promise((drained) => gzip.once('drain', drained));
  }
  gzip.end();
  return true;
}

async function repeat(
  response: ServerResponse,
  type: string,
  head: string,
  piece: string,
  tail: string,
  megabytes = 100,
): Promise<boolean> {
  response.setHeader('Content-Type', type);
  response.write(head);
  const block = Buffer.from(piece.repeat(Math.ceil(MEGABYTE / piece.length)), 'latin1');
  for (let index = 0; index < megabytes; index += 1) {
    if (!response.write(block)) await new Promise((drained) => response.once('drain', drained));
  }
  response.end(tail);
  return true;
}
