import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../proxy-engine/index.ts';
import { startEngine, timeouts, type EngineUnderTest } from '../support/engine-kit.ts';
import { Wire, WireServer } from '../support/wire.ts';

let origin: WireServer;
let weir: EngineUnderTest;

beforeEach(async () => {
  origin = await WireServer.listen();
  weir = await startEngine();
});

afterEach(async () => {
  await weir.stop();
  await origin.close();
});

function at(): string {
  return `127.0.0.1:${String(origin.port)}`;
}

function request(method: string, path: string, rest = '\r\n'): string {
  return `${method} http://${at()}${path} HTTP/1.1\r\nHost: ${at()}\r\n${rest}`;
}

/** A client that has sent a request, and the origin's end of it. */
async function exchange(sent: string): Promise<{ readonly client: Wire; readonly server: Wire }> {
  const client = await Wire.connect(weir.port);
  client.send(sent);
  const server = await origin.next();
  await server.head();
  return { client, server };
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('an origin that cannot be reached', () => {
  test('is answered with a page that says what, why and what to do, with the code in a field', async () => {
    const client = await Wire.connect(weir.port);
    client.send(
      'GET http://no-such-name.invalid/<b> HTTP/1.1\r\nHost: no-such-name.invalid\r\nAccept: text/html\r\n\r\n',
    );
    const head = await client.head();
    expect(head).toMatch(/^HTTP\/1\.1 502 /);
    expect(head).toContain('x-weir-error: dns.not-found\r\n');
    const page = await client.until('</html>\n');
    expect(page).toContain('This name does not exist');
    expect(page).toContain('/&lt;b&gt;');
    expect(page).not.toMatch(/<b>|(src|href)=/);
    const row = await weir.rows.only();
    expect(row.end).toMatchObject({
      complete: false,
      error: { code: 'dns.not-found', side: 'origin', phase: 'resolve' },
    });
    expect(row.response).toBeNull();
  });

  test('is answered in JSON to programs that ask for JSON, and the connection goes on', async () => {
    const gone = await WireServer.listen();
    await gone.close();
    const client = await Wire.connect(weir.port);
    client.send(`GET http://127.0.0.1:${String(gone.port)}/ HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n`);
    await client.head();
    const body: unknown = JSON.parse(await client.until('}\n}\n'));
    expect(body).toMatchObject({ error: { code: 'connect.refused', side: 'origin', phase: 'connect' } });
    client.send(request('GET', '/next'));
    const server = await origin.next();
    expect(await server.head()).toContain('GET /next ');
  });

  test.each(['http', 'https', 'h2c'] as const)(
    'is answered at once also where it is known already that the name of %s has no address',
    async (scheme) => {
      await weir.stop();
      weir = await startEngine({
        modes: [{ kind: 'reverse', scheme, host: 'no-such-name.invalid', port: 443, basePath: '' }],
      });
      const client = await Wire.connect(weir.port);
      for (const path of ['/first', '/second', '/third']) {
        client.send(`GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: application/json\r\n\r\n`);
        expect(await client.head()).toContain('x-weir-error: dns.not-found\r\n');
        await client.until('}\n}\n');
      }
    },
  );
});

describe('requests that would come back to Weir', () => {
  test.each(
    ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0.0.0.0', '127.1'].flatMap((host) => [
      `http://${host}`,
      `https://${host}`,
    ]),
  )('by %s are answered 508 and recorded', async (place) => {
    const client = await Wire.connect(weir.port);
    client.send(`GET ${place}:${String(weir.port)}/ HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(await client.head()).toMatch(/^HTTP\/1\.1 508 [\s\S]*x-weir-error: loop\.self/);
    expect((await weir.rows.only()).end.error?.code).toBe('loop.self');
  });

  test('and those to its control port too', async () => {
    await weir.stop();
    weir = await startEngine({ ownAddresses: [at()] });
    const client = await Wire.connect(weir.port);
    client.send(request('GET', '/api'));
    expect(await client.head()).toContain('x-weir-error: loop.self');
    expect(origin.accepted).toBe(0);
  });
});

describe('a malformed request', () => {
  test('is refused with its code, recorded with its bytes, and ends the connection', async () => {
    const client = await Wire.connect(weir.port);
    client.send(`GET http://${at()}/x HTTP/1.1\r\nHost : ${at()}\r\n\r\n`);
    const { text, ending } = await client.rest();
    expect(text).toMatch(/^HTTP\/1\.1 400 [\s\S]*x-weir-error: http1.space-before-colon[\s\S]*Connection: close/i);
    expect(ending).toBe('end');
    const row = await weir.rows.only();
    expect(row.begin).toMatchObject({ method: 'GET', path: `http://${at()}/x` });
    expect(row.begin.head.toString('latin1')).toContain('Host : ');
    expect(row.end.error).toMatchObject({ code: 'http1.space-before-colon', side: 'client' });
  });

  test('in its body cancels the exchange at the origin and answers 400', async () => {
    const { client, server } = await exchange(request('POST', '/', 'Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n'));
    client.send('zz\r\n');
    expect((await client.rest()).text).toContain('x-weir-error: http1.chunk');
    await server.rest();
  });

  test('behind a good one in the same segment leaves the good one its answer', async () => {
    const { client, server } = await exchange(`${request('GET', '/good')}GET bad\r\n\r\n`);
    server.send(OK);
    const { text } = await client.rest();
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*okHTTP\/1\.1 400 /);
  });
});

describe('an origin that misbehaves', () => {
  test('by closing before a byte of its answer is a 502', async () => {
    const { client, server } = await exchange(request('GET', '/'));
    server.end();
    expect(await client.head()).toContain('x-weir-error: origin.closed-early');
    expect(origin.accepted).toBe(1);
  });

  test('by closing a connection that was kept gets an idempotent request once more on a new one', async () => {
    const { client, server } = await exchange(request('GET', '/1'));
    server.send(OK);
    await client.until('ok');
    client.send(request('PUT', '/2', 'Content-Length: 4\r\n\r\nbody'));
    await server.until('body');
    server.reset();
    const second = await origin.next();
    expect(await second.until('body')).toContain('PUT /2 ');
    second.send(OK);
    await client.until('ok');
    const rows = await weir.rows.ended(2);
    expect(rows[1]).toMatchObject({ reused: false, end: { complete: true, error: null, requestBodyBytes: 4 } });
  });

  test('by closing a kept connection under a POST is a 502 that says why it was not sent again', async () => {
    const { client, server } = await exchange(request('GET', '/1'));
    server.send(OK);
    await client.until('ok');
    client.send(request('POST', '/2', 'Content-Length: 4\r\nAccept: application/json\r\n\r\nbody'));
    await server.until('body');
    server.reset();
    expect(await client.until('}\n}')).toMatch(/origin\.closed-early[\s\S]*POST must not be sent twice/);
    expect(origin.accepted).toBe(1);
  });

  test('by closing twice is not asked a third time', async () => {
    const { client, server } = await exchange(request('GET', '/1'));
    server.send(OK);
    await client.until('ok');
    client.send(request('GET', '/2'));
    await server.head();
    server.reset();
    const second = await origin.next();
    await second.head();
    second.reset();
    expect(await client.head()).toContain('x-weir-error: origin.closed-early');
    expect(origin.accepted).toBe(2);
  });

  test('with a body too long to be held is not asked again', async () => {
    weir.configure({ limits: { ...DEFAULT_LIMITS, retryBodyBytes: 3 } });
    const { client, server } = await exchange(request('GET', '/1'));
    server.send(OK);
    await client.until('ok');
    client.send(request('PUT', '/2', 'Content-Length: 4\r\n\r\nbody'));
    await server.until('body');
    server.reset();
    expect(await client.head()).toContain('x-weir-error: origin.closed-early');
  });

  test.each([
    ['with a length', 'Content-Length: 100\r\n\r\npart', 'part'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n4\r\npart\r\n', 'part\r\n'],
  ])('by cutting an answer %s short: the client gets what came and a cut', async (_how, answer, last) => {
    const { client, server } = await exchange(request('GET', '/'));
    server.send(`HTTP/1.1 200 OK\r\n${answer}`);
    server.end();
    const { text } = await client.rest();
    expect(text).toMatch(new RegExp(`${last}$`));
    expect(text).not.toContain('\r\n0\r\n\r\n');
    const row = await weir.rows.only();
    expect(row.end).toMatchObject({
      complete: false,
      error: { code: 'origin.cut-short', phase: 'body' },
      responseBodyBytes: 4,
    });
    expect(row.responseBody.toString()).toBe('part');
  });

  test('by resetting an answer without framing: the client is reset too', async () => {
    const { client, server } = await exchange(request('GET', '/'));
    server.send('HTTP/1.1 200 OK\r\n\r\npart');
    await client.until('part');
    server.reset();
    expect((await client.rest()).ending).toBe('reset');
    expect((await weir.rows.only()).end.error?.code).toBe('origin.cut-short');
  });

  test('by sending bytes behind its answer loses its connection, and nobody gets them', async () => {
    const { client, server } = await exchange(request('GET', '/1'));
    server.send(`${OK}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`);
    expect(await client.until('ok')).toBe(OK);
    client.send(request('GET', '/2'));
    const second = await origin.next();
    expect(await second.head()).toContain('GET /2 ');
    second.send(OK);
    expect(await client.until('ok')).toBe(OK);
    const rows = await weir.rows.ended(2);
    expect(rows[0]?.end?.anomalies).toEqual(['bytes-after-response']);
  });

  test('by sending bytes on an idle connection loses it', async () => {
    const { client, server } = await exchange(request('GET', '/1'));
    server.send(OK);
    await client.until('ok');
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil');
    await server.rest();
    client.send(request('GET', '/2'));
    const second = await origin.next();
    expect(await second.head()).toContain('GET /2 ');
  });

  test('by a body behind an answer to HEAD is flagged', async () => {
    const { client, server } = await exchange(request('HEAD', '/'));
    server.send(OK);
    await client.head();
    expect((await weir.rows.only()).end.anomalies).toEqual(['body-on-bodyless-response']);
  });

  test('by a 101 that nobody asked for is a 502', async () => {
    const { client, server } = await exchange(request('GET', '/'));
    server.send('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n');
    expect(await client.head()).toContain('x-weir-error: http1.unexpected-101');
  });

  test('by a head that is none is a 502', async () => {
    const { client, server } = await exchange(request('GET', '/'));
    server.send('SSH-2.0-OpenSSH\r\n\r\n');
    expect(await client.head()).toMatch(/^HTTP\/1\.1 502 [\s\S]*x-weir-error: http1\./);
  });
});

describe('a client that goes away', () => {
  test.each(['end', 'reset'] as const)(
    'by %s while it waits cancels the request at the origin within 100 ms',
    async (how) => {
      const { client, server } = await exchange(request('GET', '/slow'));
      const since = performance.now();
      client[how]();
      await server.rest();
      expect(performance.now() - since).toBeLessThan(100);
      const row = await weir.rows.only();
      expect(row.end).toMatchObject({ complete: false, error: { code: 'client.cancelled', side: 'client' } });
    },
  );

  test('in the middle of its body is cut short, and so is the origin', async () => {
    const { client, server } = await exchange(request('POST', '/', 'Content-Length: 10\r\n\r\nhalf'));
    client.end();
    expect((await server.rest()).ending).toBe('reset');
    expect((await weir.rows.only()).end.error).toMatchObject({ code: 'client.cut-short' });
  });

  test('in the middle of a response cancels it', async () => {
    const { client, server } = await exchange(request('GET', '/'));
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart');
    await client.until('part');
    client.reset();
    expect((await server.rest()).ending).toBe('reset');
    expect((await weir.rows.only()).end).toMatchObject({ error: { code: 'client.cancelled' }, responseBodyBytes: 4 });
  });

  test('in the middle of a head is a row with what came', async () => {
    const client = await Wire.connect(weir.port);
    client.send('GET http://x');
    client.end();
    await client.rest();
    const row = await weir.rows.only();
    expect(row.begin.head.toString()).toBe('GET http://x');
    expect(row.end.error?.code).toBe('client.cut-short');
  });

  test('by half-closing may wait for its answer when the setting says so', async () => {
    weir.configure({ clientHalfClose: true });
    const { client, server } = await exchange(request('GET', '/1') + request('GET', '/2'));
    client.end();
    server.send(OK);
    expect(await server.head()).toContain('GET /2 ');
    server.send(OK);
    expect(await client.rest()).toEqual({ text: OK + OK, ending: 'end' });
  });
});

describe('a timeout', () => {
  test('of the request head is a 408', async () => {
    weir.configure({ timeouts: timeouts({ requestHead: 50 }) });
    const client = await Wire.connect(weir.port);
    client.send('GET http');
    expect((await client.rest()).text).toMatch(/^HTTP\/1\.1 408 [\s\S]*x-weir-error: timeout\.request-head/);
  });

  test('of the first byte is a 504 that names the setting, and cancels the origin', async () => {
    weir.configure({ timeouts: timeouts({ firstByte: 300 }) });
    const { client, server } = await exchange(request('GET', '/'));
    expect(await client.until('</html>')).toMatch(
      /^HTTP\/1\.1 504 [\s\S]*timeout\.first-byte[\s\S]*timeouts\.firstByte/,
    );
    await server.rest();
  });

  test('of the first byte does not concern an answer that has begun', async () => {
    weir.configure({ timeouts: timeouts({ firstByte: 150 }) });
    const { client, server } = await exchange(request('GET', '/'));
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no');
    await client.until('\r\n\r\no');
    // Another request that began later runs into the limit.
    const late = await exchange(request('GET', '/late'));
    expect(await late.client.head()).toContain('timeout.first-byte');
    server.send('k');
    await client.until('k');
  });

  test('of idleness cuts a response that stopped', async () => {
    weir.configure({ timeouts: timeouts({ idle: 50 }) });
    const { client, server } = await exchange(request('GET', '/'));
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart');
    await client.rest();
    expect((await weir.rows.only()).end).toMatchObject({
      error: { code: 'timeout.idle', side: 'origin' },
      responseBodyBytes: 4,
    });
  });

  test('of the whole exchange ends it though bytes move', async () => {
    weir.configure({ timeouts: timeouts({ total: 250 }) });
    const { client, server } = await exchange(request('GET', '/'));
    server.send('HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n');
    const drip = setInterval(() => {
      server.send('.');
    }, 20);
    await client.rest();
    clearInterval(drip);
    expect((await weir.rows.only()).end.error?.code).toBe('timeout.total');
  });

  test('of an idle client connection closes it without a word', async () => {
    weir.configure({ timeouts: timeouts({ keepAlive: 50 }) });
    const { client, server } = await exchange(request('GET', '/'));
    server.send(OK);
    await client.until('ok');
    expect(await client.rest()).toEqual({ text: '', ending: 'end' });
  });

  test('of an idle origin connection closes it', async () => {
    weir.configure({ timeouts: timeouts({ originKeepAlive: 50 }) });
    const { client, server } = await exchange(request('GET', '/'));
    server.send(OK);
    await client.until('ok');
    await server.rest();
    expect(weir.engine.stats().originConnections).toBe(1);
  });
});

describe('a connection that a client authenticated by NTLM', () => {
  test('is never given to another client', async () => {
    const { client, server } = await exchange(request('GET', '/1'));
    server.send('HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n');
    await client.head();
    const other = await Wire.connect(weir.port);
    other.send(request('GET', '/other'));
    const second = await origin.next();
    expect(await second.head()).toContain('GET /other ');
    client.send(request('GET', '/2', 'Authorization: NTLM xyz\r\n\r\n'));
    expect(await server.head()).toContain('GET /2 ');
    server.send(OK);
    await client.until('ok');
    client.send(request('GET', '/3'));
    expect(await server.head()).toContain('GET /3 ');
  });
});
