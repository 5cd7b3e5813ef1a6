import { describe, expect, test } from 'vitest';
import { startEngine } from '../support/engine-kit.ts';
import { runCurl } from '../support/curl.ts';
import { Wire } from '../support/wire.ts';
import { codes, useStage } from './stage.ts';

/** Addresses that the stage's engine takes for another machine's. */
const remote = new Set<string>();
const told: string[] = [];
const stage = useStage('clients', {
  host: '0.0.0.0',
  observer: {
    isLocalClient: (address) => !remote.has(address),
    onUnknownClient: (address) => told.push(address),
  },
});

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

describe('rule 8: credentials for the proxy', () => {
  test('rule 8: are asked for, taken, and not forwarded; a wrong user or password is asked again', async () => {
    stage.current.weir.configure({ proxyAuthentication: { user: 'ada', password: 'pä:w' } });
    const client = await stage.current.connect('proxy');
    const ask = (credentials: string | null): string =>
      stage.current.fill(
        `GET http://ORIGIN/ HTTP/1.1\r\nHost: ORIGIN\r\n${credentials === null ? '' : `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`}\r\n`,
      );
    const bodyOf = async (head: string): Promise<void> => {
      await client.bytes(Number(/content-length: (\d+)/i.exec(head)?.[1]));
    };
    for (const credentials of [null, 'ada:no', 'bob:pä:w', 'ada:pä:', 'ada:pä:ww']) {
      client.send(ask(credentials));
      const head = await client.head();
      expect(head).toMatch(/^HTTP\/1\.1 407 [^]*Proxy-Authenticate: Basic realm="Weir"/);
      await bodyOf(head);
    }
    client.send(ask('ada:pä:w'));
    const server = await stage.current.origin.next();
    const atOrigin = await server.head();
    expect(atOrigin).not.toMatch(/proxy-auth/i);
    server.send(OK);
    expect(await client.until('ok')).toBe(OK);
    client.end();
    const rows = await stage.current.weir.rows.ended(6);
    expect(
      rows
        .map((row) => codes(row)[0] ?? '')
        .join(' ')
        .trim(),
    ).toBe('client.credentials '.repeat(5).trim());
    stage.current.note({
      fromClient: ask('ada:pä:w'),
      atOrigin,
      fromOrigin: OK,
      atClient: `(407 before) ${OK}`,
      recorded: ['client.credentials'],
    });
  });

  test('rule 8: are asked for before a tunnel, not inside it, and curl finds its way', async () => {
    stage.current.weir.configure({ proxyAuthentication: { user: 'ada', password: 'pw' } });
    const { weir, origin } = stage.current;
    const proxy = `http://127.0.0.1:${String(weir.port)}`;
    const url = `http://127.0.0.1:${String(origin.port)}/`;
    const refused = await runCurl(['--proxytunnel', '-x', proxy, url]);
    expect(refused).toMatchObject({ code: 56, stderr: expect.stringContaining('407') as string });
    const done = runCurl(['--proxytunnel', '--proxy-anyauth', '-U', 'ada:pw', '-x', proxy, url]);
    const server = await origin.next();
    await server.head();
    server.send(OK);
    expect(await done).toMatchObject({ code: 0, stdout: 'ok' });
  });

  test('rule 8: are not asked for by the pages of Weir itself', async () => {
    stage.current.weir.configure({
      proxyAuthentication: { user: 'ada', password: 'pw' },
      internalPages: { '/': { status: 200, contentType: 'text/plain', fileName: null, body: Buffer.from('setup') } },
    });
    const client = await stage.current.connect('proxy');
    client.send('GET http://weir.test/ HTTP/1.1\r\nHost: weir.test\r\n\r\n');
    expect(await client.until('setup')).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('rule 44: clients from other machines', () => {
  /** The first test of each kind plays from an address that is another machine's. */
  async function fromAfar(use: () => Promise<void>): Promise<void> {
    remote.add('127.0.0.1');
    told.length = 0;
    try {
      await use();
    } finally {
      remote.clear();
    }
  }

  test('rule 44: are refused until they are approved, and named once', async () => {
    await fromAfar(async () => {
      const outcome = await stage.current.refuse(
        'GET http://ORIGIN/ HTTP/1.1\r\nHost: ORIGIN\r\nConnection: close\r\n\r\n',
        'proxy',
      );
      expect(outcome).toBe('403 client.not-approved');
      const again = await stage.current.connect('proxy');
      again.send('CONNECT origin.test:443 HTTP/1.1\r\nHost: origin.test:443\r\nConnection: close\r\n\r\n');
      expect((await again.rest()).text).toMatch(/^HTTP\/1\.1 403 [^]*127\.0\.0\.1 is not allowed/);
      expect(told).toEqual(['127.0.0.1']);
      stage.current.weir.configure({ approvedClients: ['127.0.0.0/8'] });
      const client = await stage.current.connect();
      client.send('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      const server = await stage.current.origin.next();
      await server.head();
      server.send(OK);
      await client.until('ok');
      client.end();
    });
  });

  test.each([
    [
      'SOCKS5',
      '\x05\x01\x00\x05\x01\x00\x01\x7f\x00\x00\x01\x00\x50',
      '\x05\x00\x05\x02\x00\x01\x00\x00\x00\x00\x00\x00',
    ],
    ['SOCKS4', '\x04\x01\x00\x50\x7f\x00\x00\x01\x00', '\x00\x5b\x00\x00\x00\x00\x00\x00'],
    ['TLS', '\x16\x03\x01\x00\x05hello', ''],
  ])('rule 44: are refused in the words of %s', async (_name, bytes, answer) => {
    await fromAfar(async () => {
      const client = await stage.current.connect('proxy');
      client.send(bytes);
      const { text } = await client.rest();
      expect(text).toBe(answer);
      const [row] = await stage.current.weir.rows.ended(1);
      const recorded = row === undefined ? [] : codes(row);
      expect(recorded).toEqual(['client.not-approved']);
      stage.current.note({ fromClient: bytes, atOrigin: null, fromOrigin: null, atClient: text, recorded });
    });
  });

  test.each([
    'http://ORIGIN/',
    'http://localhost:80/',
    'http://0.0.0.0:80/',
    'http://[::1]:80/',
    'http://[::ffff:127.0.0.1]:80/',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.100.100.200/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://alias.test/',
  ])('rule 44: that are approved cannot reach %s', async (url) => {
    await fromAfar(async () => {
      stage.current.weir.configure({
        approvedClients: ['127.0.0.1'],
        hostOverrides: { 'alias.test': '127.0.0.1:80' },
      });
      const outcome = await stage.current.refuse(
        `GET ${url} HTTP/1.1\r\nHost: ${/\/\/([^/]+)/.exec(url)?.[1] ?? ''}\r\nConnection: close\r\n\r\n`,
        'proxy',
      );
      expect(outcome).toBe('403 client.forbidden-address');
    });
  });

  test('rule 44: that are approved do not get a connection to loopback that a client of this machine left', async () => {
    const { weir } = stage.current;
    const request = stage.current.fill('GET http://ORIGIN/ HTTP/1.1\r\nHost: ORIGIN\r\n\r\n');
    const local = await stage.current.connect('proxy');
    local.send(request);
    const server = await stage.current.origin.next();
    await server.head();
    server.send(OK);
    await local.until('ok');
    await fromAfar(async () => {
      weir.configure({ approvedClients: ['127.0.0.1'] });
      const client = await stage.current.connect('proxy');
      client.send(request);
      expect(await client.head()).toMatch(/^HTTP\/1\.1 403 /);
      const tunnel = await stage.current.connect('proxy');
      tunnel.send(stage.current.fill('CONNECT ORIGIN HTTP/1.1\r\nHost: ORIGIN\r\n\r\n\x00'));
      await tunnel.head();
      expect((await tunnel.rest()).ending).toBe('reset');
      const rows = await weir.rows.ended(3);
      expect(rows.map((row) => codes(row).join())).toEqual([
        '',
        'client.forbidden-address',
        'client.forbidden-address',
      ]);
    });
  });
});

test('rule 44: where a reverse listener leads is its owner’s choice', async () => {
  const weir = await startEngine({
    observer: { isLocalClient: () => false },
    settings: { approvedClients: ['*'] },
    modes: [{ kind: 'reverse', scheme: 'http', host: '127.0.0.1', port: stage.current.origin.port, basePath: '' }],
  });
  try {
    const client = await Wire.connect(weir.port);
    client.send('GET /r HTTP/1.1\r\nHost: x\r\n\r\n');
    const server = await stage.current.origin.next();
    expect(await server.head()).toMatch(/^GET \/r /);
    server.send(OK);
    await client.until('ok');
    client.end();
  } finally {
    await weir.stop();
  }
});
