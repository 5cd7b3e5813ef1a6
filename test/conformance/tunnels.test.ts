import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import type { ConnectionOptions } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { CLIENT_HELLOS } from '../support/client-hellos.ts';
import { sendLateAlert } from '../support/late-alert.ts';
import { ORIGIN_CA, originCertificate } from '../support/origin-certificates.ts';
import { WeirProcess } from '../support/weir-process.ts';
import { Wire, WireServer } from '../support/wire.ts';
import { codes, useStage } from './stage.ts';

const stage = useStage('tunnels');

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** An origin that speaks TLS, for the length of one test. */
async function withTlsOrigin(
  name: string,
  use: (origin: WireServer, authority: string) => Promise<void>,
): Promise<void> {
  const origin = await WireServer.listenTls(originCertificate(name));
  try {
    await use(origin, `${name}:${String(origin.port)}`);
  } finally {
    await origin.close();
  }
}

/** One exchange over TLS inside a tunnel; returns the names of the leaf that the client was shown. */
async function exchangeInside(
  tunnel: Wire | Duplex,
  origin: WireServer,
  options: ConnectionOptions,
): Promise<readonly string[]> {
  const secure = { ca: stage.current.weir.ca, ...options };
  const client = tunnel instanceof Wire ? await tunnel.secure(secure) : await secureOver(tunnel, secure);
  const request = 'GET /p HTTP/1.1\r\nHost: localhost\r\n\r\n';
  client.send(request);
  const server = await origin.next();
  const atOrigin = await server.head();
  expect(atOrigin).toBe(request);
  server.send(OK);
  const atClient = await client.until('ok');
  client.end();
  const [row] = await stage.current.weir.rows.ended(1);
  const names = row?.client?.tls?.chain[0]?.names ?? [];
  const recorded = row === undefined ? [] : codes(row);
  stage.current.note({
    fromClient: `(TLS, leaf for ${names.join(', ')}) ${request}`,
    atOrigin: `(TLS) ${atOrigin}`,
    fromOrigin: OK,
    atClient,
    recorded,
  });
  return names;
}

describe('rule 40: after CONNECT everything is tunnel', () => {
  test('rule 40: bytes that came along with the request are not lost', async () => {
    const client = await stage.current.connect('proxy');
    const request = 'CONNECT ORIGIN HTTP/1.1\r\nHost: ORIGIN\r\nContent-Length: 3\r\n\r\n\x00\x01early';
    client.send(stage.current.fill(request));
    const server = await stage.current.origin.next();
    const atOrigin = await server.until('early');
    expect(atOrigin).toBe('\x00\x01early');
    server.send('\x02late');
    const atClient = (await client.head()) + (await client.until('late'));
    expect(atClient).toMatch(/^HTTP\/1\.1 200 [^\r]*\r\n\r\n\x02late$/);
    stage.current.note({ fromClient: request, atOrigin, fromOrigin: '\x02late', atClient, recorded: [] });
  });

  test('rule 40: a server that speaks first is heard without a byte from the client', async () => {
    const client = await stage.current.tunnel();
    const began = performance.now();
    const server = await stage.current.origin.next();
    server.send('220 ready\r\n');
    const atClient = await client.until('\r\n');
    expect(performance.now() - began).toBeLessThan(1_000);
    client.send('EHLO\r\n');
    const atOrigin = await server.until('\r\n');
    expect([atOrigin, atClient]).toEqual(['EHLO\r\n', '220 ready\r\n']);
    stage.current.note({
      fromClient: '(silent) EHLO\\r\\n',
      atOrigin,
      fromOrigin: '220 ready\r\n',
      atClient,
      recorded: [],
    });
  });

  test('rule 40: a slow ClientHello is still intercepted while the server is silent', async () => {
    await withTlsOrigin('localhost', async (origin, authority) => {
      const tunnel = await stage.current.tunnel(authority);
      // Weir has waited for the client and dialled; the handshake then takes the connection that stands.
      await origin.touched;
      expect(await exchangeInside(tunnel, origin, { servername: 'localhost' })).toEqual(['localhost']);
    });
  });

  test.each(['client', 'origin'])(
    'rule 40: the %s may end its side first, the other is heard to its end',
    async (first) => {
      const client = await stage.current.tunnel();
      client.send('\x00');
      const server = await stage.current.origin.next();
      await server.bytes(1);
      const [early, late] = first === 'client' ? [client, server] : [server, client];
      early.send('bye');
      early.end();
      expect(await late.rest()).toEqual({ text: 'bye', ending: 'end' });
      late.send('still here');
      late.end();
      expect(await early.rest()).toEqual({ text: 'still here', ending: 'end' });
      const [row] = await stage.current.weir.rows.ended(1);
      expect(row?.end).toMatchObject({ complete: true, error: null });
      const [toOrigin, toClient] = first === 'client' ? ['bye', 'still here'] : ['still here', 'bye'];
      stage.current.note({
        fromClient: `\x00${toOrigin} (FIN)`,
        atOrigin: `\x00${toOrigin} (FIN)`,
        fromOrigin: `${toClient} (FIN)`,
        atClient: `${toClient} (FIN)`,
        recorded: [],
      });
    },
  );
});

describe('rule 41: the ClientHello', () => {
  test('rule 41: byte by byte is intercepted', async () => {
    await withTlsOrigin('localhost', async (origin, authority) => {
      const { stream } = inPieces(await stage.current.tunnel(authority), 1);
      expect(await exchangeInside(stream, origin, { servername: 'localhost' })).toEqual(['localhost']);
    });
  });

  test('rule 41: over 16 KiB, in several records, is intercepted', async () => {
    await withTlsOrigin('localhost', async (origin, authority) => {
      const pieces = inPieces(await stage.current.tunnel(authority), 4_096);
      const padding = Array.from(
        { length: 80 },
        (_unused, index) => `x${String(index).padStart(3, '0')}${'y'.repeat(230)}`,
      );
      const names = await exchangeInside(pieces.stream, origin, {
        servername: 'localhost',
        ALPNProtocols: ['http/1.1', ...padding],
      });
      expect(names).toEqual(['localhost']);
      expect(pieces.firstBytes).toBeGreaterThan(16_384);
    });
  });

  test('rule 41: without SNI gets a leaf for the name of the CONNECT', async () => {
    await withTlsOrigin('localhost', async (origin, authority) => {
      const tunnel = await stage.current.tunnel(authority);
      const options = { checkServerIdentity: () => undefined };
      expect(await exchangeInside(tunnel, origin, options)).toEqual(['localhost']);
    });
  });

  test('rule 41: for an address gets a leaf with an IP SAN', async () => {
    await withTlsOrigin('127.0.0.1', async (origin, authority) => {
      const tunnel = await stage.current.tunnel(authority);
      expect(await exchangeInside(tunnel, origin, { host: '127.0.0.1' })).toEqual(['127.0.0.1']);
    });
  });

  test.each(Object.entries(CLIENT_HELLOS))(
    'rule 41: of %s is answered by a ServerHello of ours',
    async (_name, hello) => {
      const tunnel = await stage.current.tunnel('intercepted.test:443');
      tunnel.send(hello);
      const answer = await tunnel.bytes(6);
      // A handshake record whose message is a ServerHello.
      expect([answer[0], answer[5]]).toEqual([0x16, 0x02]);
      stage.current.note({
        fromClient: hello.toString('latin1'),
        atOrigin: null,
        fromOrigin: null,
        atClient: answer.toString('latin1'),
        recorded: [],
      });
    },
  );
});

describe('rule 42: refused trust is data', () => {
  test('rule 42: a client that refuses our leaf is a row, and its next connection is intercepted again', async () => {
    // OpenSSL says by an alert why it goes.
    const proxy = `127.0.0.1:${String(stage.current.weir.port)}`;
    const command = ['s_client', '-verify_return_error', '-proxy', proxy, '-connect', 'localhost:443'];
    await expect(promisify(execFile)('openssl', command)).rejects.toThrow(/verify/i);
    const [row] = await stage.current.weir.rows.ended(1);
    const recorded = row === undefined ? [] : codes(row);
    expect(recorded).toEqual(['tls.client-untrusted']);
    expect(row?.begin).toMatchObject({ kind: 'tunnel', host: 'localhost', port: 443 });
    noteTls('(TLS alert after our leaf)', recorded);
    const tunnel = await stage.current.tunnel('localhost:443');
    const client = await tunnel.secure({ ca: stage.current.weir.ca, servername: 'localhost' });
    expect(client.socket.getPeerCertificate().issuer.O).toBe('Weir');
  });

  test('rule 42: a client that goes without an alert in the middle of the handshake is a row at once', async () => {
    // Node's own client does this when it does not trust a certificate.
    const tunnel = await stage.current.tunnel('localhost:443');
    await expect(tunnel.secure({ servername: 'localhost' })).rejects.toThrow();
    const [row] = await stage.current.weir.rows.ended(1);
    const recorded = row === undefined ? [] : codes(row);
    expect(recorded).toEqual(['tls.client-handshake']);
    expect(row?.end?.error?.message).toContain('trust');
    noteTls('(FIN in the middle of the handshake)', recorded);
  });

  test.each([
    ['unknown_ca', 'tls.client-untrusted'],
    ['bad_certificate', 'tls.client-untrusted'],
    ['internal_error', 'tls.client-handshake'],
  ] as const)('rule 42: a client that finishes the handshake and then goes with %s is a row', async (alert, code) => {
    const tunnel = await stage.current.tunnel('localhost:443');
    tunnel.socket.removeAllListeners('data');
    await sendLateAlert(tunnel.socket, alert, { servername: 'localhost' });
    const [row] = await stage.current.weir.rows.ended(1);
    const recorded = row === undefined ? [] : codes(row);
    expect(recorded).toEqual([code]);
    expect(row?.end?.error?.message).toContain(alert);
    noteTls(`(TLS, then the alert ${alert})`, recorded);
  });

  test('rule 42: with a setting, a host whose leaf was refused twice passes, and its rows say so', async () => {
    await withTlsOrigin('localhost', async (origin, authority) => {
      stage.current.weir.configure({ autoPassthrough: true });
      for (const count of [1, 2]) {
        const tunnel = await stage.current.tunnel(authority);
        await expect(tunnel.secure({ servername: 'localhost' })).rejects.toThrow();
        await stage.current.weir.rows.ended(count);
      }
      const tunnel = await stage.current.tunnel(authority);
      const client = await tunnel.secure({ ca: ORIGIN_CA, servername: 'localhost' });
      client.send('GET / HTTP/1.1\r\n\r\n');
      const server = await origin.next();
      await server.head();
      client.end();
      server.end();
      const rows = await stage.current.weir.rows.ended(3);
      expect(rows.map((row) => codes(row).join())).toEqual([
        'tls.client-handshake',
        'tls.client-handshake',
        'passed-after-refusals',
      ]);
      noteTls('(TLS refused twice, then the origin’s own certificate)', ['passed-after-refusals']);
    });
  });

  test('rule 42: a mere close of an unused connection is none', async () => {
    const tunnel = await stage.current.tunnel('localhost:443');
    const client = await tunnel.secure({ ca: stage.current.weir.ca, servername: 'localhost' });
    client.end();
    await client.rest();
    stage.current.weir.engine.flushCapture();
    expect(stage.current.weir.rows.all).toEqual([]);
    stage.current.note({
      fromClient: '(TLS, then close_notify)',
      atOrigin: null,
      fromOrigin: null,
      atClient: null,
      recorded: [],
    });
  });

  test('rule 42: a host on the passthrough list is relayed untouched', async () => {
    await withTlsOrigin('localhost', async (origin, authority) => {
      stage.current.weir.configure({ passthroughHosts: ['localhost'] });
      const tunnel = await stage.current.tunnel(authority);
      const client = await tunnel.secure({ ca: ORIGIN_CA, servername: 'localhost' });
      client.send('GET / HTTP/1.1\r\n\r\n');
      const atOrigin = await (await origin.next()).head();
      expect(atOrigin).toBe('GET / HTTP/1.1\r\n\r\n');
      stage.current.note({
        fromClient: atOrigin,
        atOrigin,
        fromOrigin: null,
        atClient: '(the origin’s own certificate)',
        recorded: [],
      });
    });
  });

  test('rule 42: an origin whose certificate is refused is another row, with its chain', async () => {
    await withTlsOrigin('elsewhere.test', async (origin) => {
      const authority = `localhost:${String(origin.port)}`;
      const tunnel = await stage.current.tunnel(authority);
      const client = await tunnel.secure({ ca: stage.current.weir.ca, servername: 'localhost' });
      const request = `GET / HTTP/1.1\r\nHost: ${authority}\r\n\r\n`;
      client.send(request);
      const atClient = await client.head();
      expect(atClient).toMatch(/^HTTP\/1\.1 502 [\s\S]*x-weir-error: tls\.origin-name-mismatch/);
      const [row] = await stage.current.weir.rows.ended(1);
      const recorded = row === undefined ? [] : codes(row);
      expect(recorded).toEqual(['tls.origin-name-mismatch']);
      expect(row?.origin?.tls?.chain[0]?.names).toEqual(['elsewhere.test']);
      stage.current.note({
        fromClient: request,
        atOrigin: null,
        fromOrigin: '(certificate for elsewhere.test)',
        atClient,
        recorded,
      });
    });
  });
});

describe('rule 44: requests that would reach Weir itself', () => {
  test.each(['127.0.0.1', 'localhost', '0.0.0.0', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '127.1', 'alias.test'])(
    'rule 44: by %s are answered 508 and recorded',
    async (name) => {
      const port = String(stage.current.weir.port);
      stage.current.weir.configure({ hostOverrides: { 'alias.test': `127.0.0.1:${port}` } });
      const client = await stage.current.connect('proxy');
      const request = `GET http://${name}:${port}/ HTTP/1.1\r\nHost: ${name}:${port}\r\n\r\n`;
      client.send(request);
      const atClient = await client.head();
      expect(atClient).toMatch(/^HTTP\/1\.1 508 [\s\S]*x-weir-error: loop\.self/);
      const [row] = await stage.current.weir.rows.ended(1);
      const recorded = row === undefined ? [] : codes(row);
      expect(recorded).toEqual(['loop.self']);
      const blank = (text: string): string => text.replaceAll(port, 'PROXY');
      stage.current.note({
        fromClient: blank(request),
        atOrigin: null,
        fromOrigin: null,
        atClient: blank(atClient),
        recorded,
      });
    },
  );

  test('rule 44: a tunnel into Weir is cut and recorded', async () => {
    const port = String(stage.current.weir.port);
    const client = await stage.current.tunnel(`localhost:${port}`);
    client.send('\x00');
    expect((await client.rest()).ending).toBe('reset');
    const [row] = await stage.current.weir.rows.ended(1);
    const recorded = row === undefined ? [] : codes(row);
    expect(recorded).toEqual(['loop.self']);
    stage.current.note({
      fromClient: 'CONNECT localhost:PROXY … \x00',
      atOrigin: null,
      fromOrigin: null,
      atClient: '(RST)',
      recorded,
    });
  });

  test(
    'rule 44: the control port is not reached through the proxy, and refuses wrong names, origins and tokens',
    { timeout: 60_000 },
    async () => {
      const weir = await WeirProcess.start(['--no-capture']);
      try {
        const control = new URL(weir.ready.ui?.url ?? '');
        const through = await Wire.connect(weir.port);
        through.send(`GET ${control.origin}/ HTTP/1.1\r\nHost: ${control.host}\r\nConnection: close\r\n\r\n`);
        expect((await through.rest()).text).toMatch(/^HTTP\/1\.1 508 /);
        const upgrade =
          'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
        const asked: [string, string][] = [
          [`GET / HTTP/1.1\r\nHost: evil.test:${control.port}\r\nConnection: close\r\n\r\n`, '403'],
          [`POST /api/code HTTP/1.1\r\nHost: ${control.host}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, '401'],
          [
            `GET /api/contract HTTP/1.1\r\nHost: ${control.host}\r\nOrigin: http://evil.test\r\n${upgrade}\r\n\r\n`,
            '403',
          ],
        ];
        for (const [request, status] of asked) {
          const client = await Wire.connect(Number(control.port));
          client.send(request);
          const atClient = await client.head();
          expect(atClient.slice(9, 12)).toBe(status);
          const blank = (text: string): string => text.replaceAll(control.port, 'CONTROL');
          stage.current.note({
            fromClient: blank(request),
            atOrigin: null,
            fromOrigin: null,
            atClient: blank(atClient),
            recorded: [],
          });
          client.socket.destroy();
        }
      } finally {
        await weir.stop();
      }
    },
  );
});

/** Speaks TLS as a client over a stream. */
async function secureOver(stream: Duplex, options: ConnectionOptions): Promise<Wire> {
  const socket = connectTls({ ...options, socket: stream });
  await once(socket, 'secureConnect');
  return new Wire(socket);
}

/** Notes what a client did where no request came about. */
function noteTls(fromClient: string, recorded: readonly string[]): void {
  stage.current.note({ fromClient, atOrigin: null, fromOrigin: null, atClient: null, recorded });
}

/** A connection whose first write, a ClientHello, leaves in pieces of that many bytes, each in a segment of its own. */
function inPieces(wire: Wire, pieceBytes: number): { readonly stream: Duplex; firstBytes: number } {
  const { socket } = wire;
  const counted = {
    firstBytes: 0,
    stream: new Duplex({
      read() {
        socket.resume();
      },
      write(bytes: Buffer, _encoding, done) {
        const isFirst = counted.firstBytes === 0;
        if (isFirst) counted.firstBytes = bytes.length;
        const size = isFirst ? pieceBytes : bytes.length;
        const send = (at: number): void => {
          if (at >= bytes.length) done();
          else
            socket.write(bytes.subarray(at, at + size), () => {
              setImmediate(send, at + size);
            });
        };
        send(0);
      },
      final(done) {
        socket.end(done);
      },
    }),
  };
  socket.on('data', (bytes: Buffer) => counted.stream.push(bytes));
  socket.on('end', () => counted.stream.push(null));
  return counted;
}
