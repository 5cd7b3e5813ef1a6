import type { SeededRandom } from './seeded-random.ts';

const NAMES = [
  'X',
  'accept',
  'Cookie',
  'Authorization',
  'Keep-Alive',
  'TE',
  'Upgrade',
  'Expect',
  'Trailer',
  'set-cookie',
];
const VALUES = ['', '1', 'a, b', 'trailers', 'websocket', '100-continue', '\xe4\xff', 'a\tb', 'gzip;q=0.5', ' x '];
const OPTIONS = ['keep-alive', 'close', 'X', 'Upgrade', 'TE', 'Content-Length, Host', 'transfer-encoding', ''];
const LENGTHS = ['0', '3', '03', '3, 3', '3, 4', '+3', '-1', '', '9007199254740992', '0x3', ' 3 ', '3,'];
const CODINGS = [
  'chunked',
  'Chunked',
  'gzip',
  'gzip, chunked',
  'chunked, chunked',
  'identity',
  'xchunked',
  ', chunked',
  '',
];
const TARGETS = [
  '/',
  '/p?q',
  '*',
  'http://a.test/p',
  'HTTP://b.test:81',
  'a.test:443',
  '//x',
  'http://u@a/',
  '[::1]:1',
];
const HOSTS = ['a.test', 'a.test:80', '[::1]', 'b.test', '', 'u@a', 'a,b'];

/** Chunked bodies, mostly sound. */
function chunks(random: SeededRandom): string {
  let body = '';
  for (let count = random.below(3); count > 0; count--) {
    const data = 'x'.repeat(1 + random.below(20));
    const extension = random.chance(3) ? random.pick([';a', ';a=b', ' ;a="b;c"', ';\xe4']) : '';
    body += `${random.chance(4) ? '00' : ''}${data.length.toString(16)}${extension}\r\n${data}\r\n`;
  }
  const trailers = random.chance(3) ? random.pick(['A: b\r\n', 'A: b\r\nContent-Length: 5\r\n', 'Host: z\r\n']) : '';
  return `${body}0\r\n${trailers}\r\n`;
}

function commonFields(random: SeededRandom): string[] {
  const lines: string[] = [];
  for (let count = random.below(4); count > 0; count--) lines.push(`${random.pick(NAMES)}: ${random.pick(VALUES)}`);
  if (random.chance(2)) lines.push(`Connection: ${random.pick(OPTIONS)}`);
  return lines;
}

/** Fields of a framing and a body, which fit each other more often than not. */
function framed(random: SeededRandom, lines: string[]): string {
  switch (random.below(6)) {
    case 0:
      lines.push(`Content-Length: ${random.pick(LENGTHS)}`);
      return 'abc';
    case 1:
      lines.push('Content-Length: 3');
      return 'abc';
    case 2:
      lines.push('Transfer-Encoding: chunked');
      return chunks(random);
    case 3:
      lines.push(`Transfer-Encoding: ${random.pick(CODINGS)}`);
      if (random.chance(2)) lines.push(`Content-Length: ${random.pick(LENGTHS)}`);
      return chunks(random);
    default:
      return '';
  }
}

function shuffled(random: SeededRandom, lines: string[]): string[] {
  return lines
    .map((line) => ({ line, rank: random.below(1000) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ line }) => line);
}

/** A request that is sound, or nearly so. */
export function makeRequest(random: SeededRandom): string {
  const method = random.pick(['GET', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'CONNECT', 'X-Y']);
  const target = random.chance(3) ? random.pick(TARGETS) : '/p';
  const lines = commonFields(random);
  if (!random.chance(10)) lines.push(`Host: ${random.chance(4) ? random.pick(HOSTS) : 'a.test'}`);
  const body = framed(random, lines);
  const version = random.chance(6) ? 'HTTP/1.0' : 'HTTP/1.1';
  return [`${method} ${target} ${version}`, ...shuffled(random, lines), '', body].join('\r\n');
}

/** A response that is sound, or nearly so. */
export function makeResponse(random: SeededRandom): string {
  const status = random.pick(['200 OK', '200', '404 Not Found', '204 No Content', '304 ', '100 Continue', '103 Hints']);
  const lines = commonFields(random);
  if (random.chance(5)) lines.push(random.pick(['A : b', 'A: b\r\n c', 'Set-Cookie: a\r\n\tb']));
  const body = framed(random, lines);
  return [`HTTP/1.${random.chance(6) ? '0' : '1'} ${status}`, ...shuffled(random, lines), '', body].join('\r\n');
}
