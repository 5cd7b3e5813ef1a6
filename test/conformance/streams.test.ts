import { randomBytes } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeWhole } from '../../app/backend/store/decode/decode-whole.ts';
import { DEFAULT_LIMITS } from '../../proxy-engine/index.ts';
import { originCertificate } from '../support/origin-certificates.ts';
import { WireServer } from '../support/wire.ts';
import type { Wire } from '../support/wire.ts';
import { codes, useStage } from './stage.ts';

const stage = useStage('streams');

const get = (path = '/p', ...fields: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: ORIGIN', ...fields, '', ''].join('\r\n');
const ok = (fields: readonly string[], body = ''): string => ['HTTP/1.1 200 OK', ...fields, '', body].join('\r\n');

/** Sends a request and hands back both ends once it has reached the origin. */
async function begun(request: string): Promise<{ client: Wire; server: Wire; atOrigin: string }> {
  const client = await stage.current.connect();
  client.send(stage.current.fill(request));
  const server = await stage.current.origin.next();
  return { client, server, atOrigin: await server.head() };
}

describe('rule 12: order, early answers, half-close', () => {
  test('rule 12: pipelined requests are answered in order', async () => {
    const client = await stage.current.connect();
    const requests = get('/1') + get('/2') + get('/3');
    client.send(stage.current.fill(requests));
    const server = await stage.current.origin.next();
    let atOrigin = '';
    let atClient = '';
    for (const path of ['/1', '/2', '/3']) {
      const head = await server.head();
      expect(head).toContain(`GET ${path} `);
      atOrigin += head;
      server.send(ok(['Content-Length: 2'], path));
      atClient += await client.until(path);
    }
    expect(atClient).toBe(['/1', '/2', '/3'].map((path) => ok(['Content-Length: 2'], path)).join(''));
    stage.current.note({ fromClient: requests, atOrigin, fromOrigin: atClient, atClient, recorded: [] });
  });

  test('rule 12: an early answer is relayed at once while the body is still coming', async () => {
    const head = 'POST /p HTTP/1.1\r\nHost: ORIGIN\r\nContent-Length: 10\r\n\r\n';
    const { client, server, atOrigin } = await begun(`${head}12345`);
    expect((await server.bytes(5)).toString()).toBe('12345');
    const answer = ok(['Content-Length: 5'], 'early');
    server.send(answer);
    expect(await client.until('early')).toBe(answer);
    client.send('67890');
    expect((await server.bytes(5)).toString()).toBe('67890');
    const [row] = await stage.current.weir.rows.ended(1);
    const recorded = row === undefined ? [] : codes(row);
    expect(recorded).toEqual(['early-response']);
    const body = '1234567890';
    stage.current.note({
      fromClient: head + body,
      atOrigin: atOrigin + body,
      fromOrigin: answer,
      atClient: answer,
      recorded,
    });
  });

  test('rule 12: half-close is honoured both ways in tunnels', async () => {
    const client = await stage.current.tunnel();
    client.send('\x00question');
    client.end();
    const server = await stage.current.origin.next();
    expect(await server.rest()).toEqual({ text: '\x00question', ending: 'end' });
    server.send('answer');
    server.end();
    expect(await client.rest()).toEqual({ text: 'answer', ending: 'end' });
    stage.current.note({
      fromClient: '\x00question (FIN)',
      atOrigin: '\x00question (FIN)',
      fromOrigin: 'answer (FIN)',
      atClient: 'answer (FIN)',
      recorded: [],
    });
  });

  test('rule 12: half-close is honoured after an upgrade', async () => {
    const { client, server, atOrigin } = await begun(get('/p', 'Connection: Upgrade', 'Upgrade: odd'));
    const answer = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: odd\r\n\r\n';
    server.send(answer);
    await client.head();
    client.end();
    await server.rest();
    server.send('late');
    server.end();
    expect((await client.rest()).text).toBe('late');
    stage.current.note({
      fromClient: `${get('/p', 'Connection: Upgrade', 'Upgrade: odd')}(FIN)`,
      atOrigin: `${atOrigin}(FIN)`,
      fromOrigin: `${answer}late (FIN)`,
      atClient: `${answer}late (FIN)`,
      recorded: [],
    });
  });

  test('rule 12: a client’s FIN during an exchange means that it is gone', async () => {
    const { client, server, atOrigin } = await begun(get());
    client.end();
    await server.rest();
    const [row] = await stage.current.weir.rows.ended(1);
    const recorded = row === undefined ? [] : codes(row);
    expect(recorded).toEqual(['client.cancelled']);
    stage.current.note({ fromClient: `${get()}(FIN)`, atOrigin, fromOrigin: null, atClient: null, recorded });
  });

  test('rule 12: unless the setting lets clients half-close', async () => {
    stage.current.weir.configure({ clientHalfClose: true });
    const { client, server, atOrigin } = await begun(get());
    client.end();
    const answer = ok(['Content-Length: 4'], 'late');
    // The engine has to see the FIN first: it says so by nothing, so an exchange on another connection comes between.
    const other = await stage.current.connect();
    other.send(stage.current.fill(get('/other')));
    await (await stage.current.origin.next()).head();
    server.send(answer);
    const { text } = await client.rest();
    expect(text).toContain('late');
    stage.current.note({ fromClient: `${get()}(FIN)`, atOrigin, fromOrigin: answer, atClient: text, recorded: [] });
  });
});

describe('rule 13: a response cut short reaches the client as cut short', () => {
  test.each([
    ['before its length', ok(['Content-Length: 10'], 'part')],
    ['before its last chunk', ok(['Transfer-Encoding: chunked'], '4\r\npart\r\n')],
  ])('rule 13: %s', async (_name, response) => {
    const { atClient, row, recorded } = await stage.current.play({
      request: get(),
      response,
      originCloses: true,
      responseEnd: 'close',
    });
    // No end of the body was invented: the framing itself shows the cut.
    expect(atClient).toBe(response);
    expect(recorded).toEqual(['origin.cut-short']);
    expect(row.end?.complete).toBe(false);
    expect(row.responseBody.toString()).toBe('part');
  });

  test('rule 13: without framing it is a reset, when the origin reset its side', async () => {
    const { client, server, atOrigin } = await begun(get());
    server.send(ok([], 'part'));
    const atClient = await client.until('part');
    server.reset();
    expect((await client.rest()).ending).toBe('reset');
    const [row] = await stage.current.weir.rows.ended(1);
    const recorded = row === undefined ? [] : codes(row);
    expect(recorded).toEqual(['origin.cut-short']);
    stage.current.note({
      fromClient: get(),
      atOrigin,
      fromOrigin: `${ok([], 'part')}(RST)`,
      atClient: `${atClient}(RST)`,
      recorded,
    });
  });

  test('rule 13: over TLS the raw socket is reset', async () => {
    const origin = await WireServer.listenTls(originCertificate('localhost'));
    const host = `localhost:${String(origin.port)}`;
    const tunnel = await stage.current.tunnel(host);
    const client = await tunnel.secure({ ca: stage.current.weir.ca, servername: 'localhost' });
    const request = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    client.send(request);
    const server = await origin.next();
    const atOrigin = await server.head();
    const response = ok(['Content-Length: 10'], 'part');
    server.send(response);
    const atClient = await client.until('part');
    server.end();
    expect((await client.rest()).ending).toBe('reset');
    stage.current.note({
      fromClient: request,
      atOrigin,
      fromOrigin: `${response}(FIN)`,
      atClient: `${atClient}(RST)`,
      recorded: ['origin.cut-short'],
    });
    await origin.close();
  });
});

describe('rule 14: the client went away', () => {
  // A hundred milliseconds by the clock: a machine that is busy with something else gets another chance.
  const timed = { retry: 2 };
  test.each(['FIN', 'RST'])(
    'rule 14: by %s: the origin request is cancelled within 100 ms and recorded',
    timed,
    async (how) => {
      const { client, server, atOrigin } = await begun(get());
      server.send(ok(['Content-Length: 10'], 'part'));
      await client.until('part');
      const gone = performance.now();
      if (how === 'FIN') client.end();
      else client.reset();
      await server.rest();
      const took = performance.now() - gone;
      expect(took).toBeLessThan(100);
      const [row] = await stage.current.weir.rows.ended(1);
      const recorded = row === undefined ? [] : codes(row);
      expect(recorded).toEqual(['client.cancelled']);
      expect(row?.end).toMatchObject({ complete: false, error: { side: 'client' } });
      stage.current.note({
        fromClient: `${get()}(${how})`,
        atOrigin: `${atOrigin}(connection ended within 100 ms)`,
        fromOrigin: ok(['Content-Length: 10'], 'part'),
        atClient: null,
        recorded,
      });
    },
  );

  test('rule 14: before its request was whole: nothing that looks whole reaches the origin', async () => {
    const head = 'POST /p HTTP/1.1\r\nHost: ORIGIN\r\nContent-Length: 10\r\n\r\n';
    const { client, server, atOrigin } = await begun(`${head}part`);
    await server.until('part');
    client.end();
    expect((await server.rest()).text).toBe('');
    const [row] = await stage.current.weir.rows.ended(1);
    const recorded = row === undefined ? [] : codes(row);
    expect(recorded).toEqual(['client.cut-short']);
    stage.current.note({
      fromClient: `${head}part (FIN)`,
      atOrigin: `${atOrigin}part`,
      fromOrigin: null,
      atClient: null,
      recorded,
    });
  });
});

describe('rule 15: a pooled origin connection that closed before any byte of the answer', () => {
  /** A client whose next request will go over an origin connection that has been used. */
  async function warmed(): Promise<{ client: Wire; server: Wire }> {
    const { client, server } = await begun(get('/warm'));
    server.send(ok(['Content-Length: 0']));
    await client.head();
    return { client, server };
  }

  test.each([
    ['GET', ''],
    ['PUT', 'abc'],
  ])('rule 15: %s is sent again once over a new connection', async (method, body) => {
    const { client, server } = await warmed();
    const request = `${method} /p HTTP/1.1\r\nHost: ORIGIN\r\nContent-Length: ${String(body.length)}\r\n\r\n${body}`;
    client.send(stage.current.fill(request));
    await server.head();
    server.reset();
    const fresh = await stage.current.origin.next();
    const atOrigin = await fresh.until(`\r\n\r\n${body}`);
    expect(stage.current.blank(atOrigin)).toBe(request);
    const answer = ok(['Content-Length: 2'], 'ok');
    fresh.send(answer);
    const atClient = await client.until('ok');
    expect(atClient).toBe(answer);
    const rows = await stage.current.weir.rows.ended(2);
    expect(rows).toHaveLength(2);
    expect(rows[1]?.end).toMatchObject({ error: null, complete: true });
    stage.current.note({
      fromClient: request,
      atOrigin: `(RST, then again) ${atOrigin}`,
      fromOrigin: answer,
      atClient,
      recorded: [],
    });
  });

  test('rule 15: only once', async () => {
    const { client, server } = await warmed();
    client.send(stage.current.fill(get()));
    await server.head();
    server.reset();
    const second = await stage.current.origin.next();
    await second.head();
    second.reset();
    expect(await client.head()).toMatch(/^HTTP\/1\.1 502 [\s\S]*x-weir-error: origin\.closed-early/);
    expect(stage.current.origin.accepted).toBe(2);
  });

  test.each([
    ['a POST', 'POST /p HTTP/1.1\r\nHost: ORIGIN\r\nContent-Length: 3\r\n\r\nabc', 'POST must not be sent twice'],
    [
      'a body that is not held',
      `PUT /p HTTP/1.1\r\nHost: ORIGIN\r\nContent-Length: 20\r\n\r\n${'x'.repeat(20)}`,
      'retryBodyBytes',
    ],
  ])('rule 15: %s is a 502 with the reason instead', async (_name, request, reason) => {
    stage.current.weir.configure({ limits: { ...DEFAULT_LIMITS, retryBodyBytes: 16 } });
    const { client, server } = await warmed();
    client.send(stage.current.fill(request));
    const atOrigin = await server.head();
    server.reset();
    const head = await client.head();
    expect(head).toMatch(/^HTTP\/1\.1 502 [\s\S]*x-weir-error: origin\.closed-early/);
    const rows = await stage.current.weir.rows.ended(2);
    expect(rows[1]?.end?.error?.message).toContain(reason);
    expect(stage.current.origin.accepted).toBe(1);
    const recorded = ['origin.closed-early'];
    stage.current.note({
      fromClient: request,
      atOrigin: `${atOrigin}(RST)`,
      fromOrigin: null,
      atClient: head,
      recorded,
    });
  });
});

describe('rule 16: fields that may repeat', () => {
  test('rule 16: stay apart and in order, with bytes over 0x7F, and an edited reason phrase is sent', async () => {
    const request = get('/\xe4%zz?\xff', 'Cookie: a=1', 'X: \xfcber', 'Cookie: b=2', 'x: \x80\xff');
    const answer = [
      'HTTP/1.1 200 Quite \xe9 Phrase',
      'Set-Cookie: a=1; Path=/',
      'X: 1',
      'set-cookie: b=\xe4',
      'Set-Cookie: a=3',
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n');
    const { atOrigin, atClient } = await stage.current.play({ request, response: answer, responseEnd: '\r\n\r\n' });
    expect(atOrigin).toBe(request);
    expect(atClient).toBe(answer);
  });
});

describe('rule 17: content codings', () => {
  test('rule 17: pass untouched in both directions, whatever is in them', async () => {
    const zipped = gzipSync('hello').toString('latin1');
    const request = `POST /p HTTP/1.1\r\nHost: ORIGIN\r\nContent-Encoding: gzip\r\nAccept-Encoding: br;q=0.1, odd\r\nContent-Length: ${String(zipped.length)}\r\n\r\n${zipped}`;
    const odd = `${zipped.slice(0, 12)}\x00\xff`;
    const { atOrigin, atClient } = await stage.current.play({
      request,
      requestEnd: zipped,
      response: ok(['Content-Encoding: gzip, br', `Content-Length: ${String(odd.length)}`], odd),
      responseEnd: odd,
    });
    expect(atOrigin).toBe(request);
    expect(atClient).toBe(ok(['Content-Encoding: gzip, br', `Content-Length: ${String(odd.length)}`], odd));
  });

  const HELLO = 'hello hello hello';
  const frames = (text: string): Buffer =>
    Buffer.concat([zstdCompressSync(text.slice(0, 6)), zstdCompressSync(text.slice(6))]);
  test.each<[string, string, Buffer, string, string | null]>([
    ['gzip', 'gzip', gzipSync(HELLO), HELLO, null],
    ['deflate', 'deflate', deflateSync(HELLO), HELLO, null],
    ['raw deflate', 'deflate', deflateRawSync(HELLO), HELLO, null],
    ['br', 'br', brotliCompressSync(HELLO), HELLO, null],
    ['zstd in several frames', 'zstd', frames(HELLO), HELLO, null],
    ['stacked codings', 'gzip, br', brotliCompressSync(gzipSync(HELLO)), HELLO, null],
    ['a zero-length body', 'gzip', Buffer.alloc(0), '', null],
    ['a truncated body', 'gzip', gzipSync(randomBytes(20_000).toString('hex')).subarray(0, 10_000), '', 'cut'],
    ['a bomb', 'gzip', gzipSync(Buffer.alloc(50_000_000)), '', 'budget'],
  ])(
    'rule 17: %s passes untouched, and the view decodes it as far as it goes',
    async (_name, coding, body, shown, stop) => {
      const text = body.toString('latin1');
      const { atClient, row } = await stage.current.play({
        request: get(),
        response: ok([`Content-Encoding: ${coding}`, `Content-Length: ${String(body.length)}`], text),
        responseEnd: text === '' ? '\r\n\r\n' : text,
      });
      expect(atClient.endsWith(`\r\n\r\n${text}`)).toBe(true);
      const decoded = decodeWhole(row.responseBody, coding.split(', '), 1_000_000);
      expect(decoded.stopped).toBe(stop);
      if (stop === null) expect(decoded.bytes.toString()).toBe(shown);
      else expect(decoded.bytes.length).toBeGreaterThan(1_000);
      expect(decoded.bytes.length).toBeLessThanOrEqual(1_000_000);
    },
  );
});
