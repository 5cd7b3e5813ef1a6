import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AppStatus, ContractClient, ExchangeSummary } from '#contract';
import type { TestBackend } from '../support/backend-kit.ts';
import { firstItem, getThrough, startBackend } from '../support/backend-kit.ts';

let origin: Server;
let originUrl: string;

beforeAll(async () => {
  origin = createServer((request, response) => {
    response.end(`you asked for ${request.url ?? ''}`);
  });
  await new Promise<void>((resolve) => origin.listen(0, '127.0.0.1', resolve));
  originUrl = `http://127.0.0.1:${String((origin.address() as AddressInfo).port)}`;
});

afterAll(() => {
  origin.closeAllConnections();
  origin.close();
});

describe('a backend', () => {
  let weir: TestBackend;
  let client: ContractClient;

  beforeEach(async () => {
    weir = await startBackend();
    client = await weir.connect();
  });

  afterEach(async () => {
    await weir.stop();
  });

  const status = (wanted?: (item: AppStatus) => boolean): Promise<AppStatus> =>
    firstItem(client, 'app.status', {}, wanted);

  const rows = async (): Promise<readonly ExchangeSummary[]> => {
    const { session } = await status();
    const query = {
      session: session.id,
      filter: '',
      sort: 'time',
      descending: false,
      after: null,
      limit: 100,
    } as const;
    return (await client.call('exchanges.query', query)).rows;
  };

  /** Passes one exchange and waits until it is in the store. */
  const pass = async (path: string): Promise<ExchangeSummary> => {
    const { session } = await status();
    const recorded = firstItem(client, 'exchanges.changed', { session: session.id }, (exchange) => {
      return exchange.path === path && exchange.state !== 'active';
    });
    // The stream is open once a call that was sent after it is answered.
    await client.call('settings.get', {});
    await getThrough(weir.port, originUrl + path);
    return recorded;
  };

  test('says what it is and where it listens', async () => {
    const info = await client.call('app.info', {});
    expect(info).toMatchObject({ platform: process.platform, dataFolder: weir.dataFolder });
    expect(info.terminalLine).toContain(weir.dataFolder);
    expect(await status()).toMatchObject({
      recording: true,
      listeners: [{ mode: 'proxy', address: '127.0.0.1', port: weir.port }],
      storeTrouble: null,
      restartedAt: null,
      systemProxy: false,
      lostExchanges: 0,
    });
  });

  test('tells a watcher of each exchange, and lists it with its body', async () => {
    const exchange = await pass('/seen');
    expect(exchange).toMatchObject({ method: 'GET', host: '127.0.0.1', status: 200, state: 'complete' });
    expect((await rows()).map(({ id }) => id)).toEqual([exchange.id]);
    const body = await client.call('exchanges.readBody', {
      id: exchange.id,
      side: 'response',
      form: 'decoded',
      offset: 0,
      length: 1_000,
    });
    expect(Buffer.from(body.bytes).toString()).toBe('you asked for /seen');
  });

  test('does not record while recording is paused, counts what passes, and records again afterwards', async () => {
    await client.call('capture.setRecording', { on: false });
    await getThrough(weir.port, `${originUrl}/unseen`);
    await getThrough(weir.port, `${originUrl}/unseen`);
    const paused = await status(({ passedWhilePaused }) => passedWhilePaused === 2);
    expect(paused.recording).toBe(false);
    await client.call('capture.setRecording', { on: true });
    await pass('/seen');
    expect((await rows()).map(({ path }) => path)).toEqual(['/seen']);
  });

  test('clears by beginning a new session; the old one stays until it is removed', async () => {
    const exchange = await pass('/old');
    const { session } = await client.call('sessions.clear', {});
    expect(session.id).not.toBe(exchange.session);
    await pass('/new');
    expect((await rows()).map(({ path }) => path)).toEqual(['/new']);
    const { sessions } = await client.call('sessions.list', {});
    expect(sessions.map(({ id }) => id)).toEqual(expect.arrayContaining([exchange.session, session.id]));
    await expect(client.call('sessions.remove', { id: session.id })).rejects.toMatchObject({ code: 'conflict' });
    await client.call('sessions.remove', { id: exchange.session });
    await expect(client.call('exchanges.get', { id: exchange.id })).rejects.toMatchObject({ code: 'not-found' });
  });

  test('stores settings and applies them to what begins afterwards', async () => {
    await client.call('settings.set', { limits: { requestLineBytes: 100 } });
    const { status: answered } = await getThrough(weir.port, `${originUrl}/${'x'.repeat(200)}`);
    expect(answered).toBe(414);
    const stored = join(weir.dataFolder, 'settings.json');
    expect(JSON.parse(await readFile(stored, 'utf8'))).toEqual({ limits: { requestLineBytes: 100 } });
    expect((await stat(stored)).mode & 0o777).toBe(0o600);
  });

  test('shows the invented traffic in a session of its own, once, and takes it away again', async () => {
    const { session } = await client.call('sample.show', {});
    expect(session.sample).toBe(true);
    expect(session.exchanges).toBeGreaterThan(10);
    expect((await client.call('sample.show', {})).session.id).toBe(session.id);
    const real = await pass('/real');
    expect(real.id).toBeLessThan(2 ** 40);
    await client.call('sample.remove', {});
    expect((await client.call('sessions.list', {})).sessions.some(({ sample }) => sample)).toBe(false);
    expect((await client.call('sample.show', {})).session.exchanges).toBe(session.exchanges);
  });

  test('answers the magic host and plain visits with the setup page and the certificate, and never with a key', async () => {
    const magic = (await getThrough(weir.port, 'http://weir.test/')).body.toString();
    const visit = await (await fetch(`http://127.0.0.1:${String(weir.port)}/`)).text();
    expect(magic).toContain('Set up this device');
    expect(visit).toBe(magic);
    const pem = (await getThrough(weir.port, 'http://weir.test/ca.pem')).body.toString();
    const der = (await getThrough(weir.port, 'http://weir.test/ca.der')).body;
    expect(new X509Certificate(der).fingerprint256).toBe(new X509Certificate(pem).fingerprint256);
    for (const path of ['/ca.crt', '/ca.cer', '/ca.p12', '/ca.mobileconfig']) {
      const { status: answered, body } = await getThrough(weir.port, `http://weir.test${path}`);
      expect(answered).toBe(200);
      expect(body.includes('PRIVATE KEY')).toBe(false);
    }
    expect((await getThrough(weir.port, 'http://weir.test/ca/weir-ca-key.pem')).status).toBe(404);
  });

  test('refuses to proxy to its own control port', async () => {
    const { status: answered } = await getThrough(weir.port, weir.backend.control.url);
    expect(answered).toBe(508);
  });

  test('exports its certificate over the contract', async () => {
    const { bytes, fileName } = await client.call('ca.export', { format: 'der' });
    expect(fileName).toBe('weir-ca.der');
    const { certificateAuthority } = await status();
    expect(new X509Certificate(bytes).fingerprint256).toBe(certificateAuthority.fingerprint);
  });

  test('holds listeners of another process for as long as its stream is open', async () => {
    const other = await weir.connect();
    const listeners = [{ mode: { kind: 'proxy' }, host: '127.0.0.1', port: 0 }] as const;
    const opened = new Promise<number>((resolve) => {
      other.stream(
        'listeners.hold',
        { listeners },
        {
          items: ([item]) => {
            resolve(item?.listeners[0]?.port ?? 0);
          },
          gap: () => undefined,
        },
      );
    });
    const port = await opened;
    expect((await getThrough(port, `${originUrl}/held`)).status).toBe(200);
    expect((await status(({ listeners: all }) => all.length === 2)).listeners[1]?.port).toBe(port);
    other.close();
    await status(({ listeners: all }) => all.length === 1);
    await expect(getThrough(port, `${originUrl}/gone`)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('opens no browser that it did not find itself', async () => {
    await expect(client.call('browsers.open', { path: '/bin/sh', url: null })).rejects.toMatchObject({
      code: 'no-browser',
    });
  });
});
