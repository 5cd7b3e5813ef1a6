import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { EngineSettings } from '#engine';
import { createCertificateAuthority } from '../../proxy-engine/pki/certificate-authority.ts';
import type { EngineHost, EngineHostOptions } from '../../app/backend/engine-host.ts';
import { startEngines } from '../../app/backend/engine-host.ts';
import { TEST_SETTINGS } from '../support/engine-kit.ts';

const SETTINGS: EngineSettings = {
  ...TEST_SETTINGS,
  internalPages: { '/': { status: 200, contentType: 'text/plain', fileName: null, body: Buffer.from('here') } },
};

function optionsWith(changes: Partial<EngineHostOptions>): EngineHostOptions {
  const authority = createCertificateAuthority('ecdsa', Date.now());
  return {
    config: {
      certificates: { caCertificate: authority.certificate, caKey: authority.key, leafKey: 'ecdsa', own: null },
      settings: SETTINGS,
      ownAddresses: [],
      instance: 'test',
      capture: false,
      keyLogFile: null,
    },
    listeners: [{ mode: { kind: 'proxy' }, host: '127.0.0.1', port: 0 }],
    workers: 1,
    nextExchangeId: 1,
    nextConnectionId: 1,
    openCapturePort: () => null,
    onUnknownClient: () => undefined,
    onCrash: () => undefined,
    onRestart: () => undefined,
    ...changes,
  };
}

async function visit(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: weir.test\r\nConnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}

function portOf(host: EngineHost): number {
  return host.listeners[0]?.port ?? 0;
}

/** With which code each thread that begins from now on has ended: 0 by itself, 1 by force. */
function threadEnds(): number[] {
  const codes: number[] = [];
  const onWorker = (worker: Worker): void => {
    worker.once('exit', (code) => codes.push(code));
  };
  process.on('worker', onWorker);
  onTestFinished(() => void process.off('worker', onWorker));
  return codes;
}

/** Ends an engine's thread as a fault of ours would; `repair` is what the next one begins with. */
function crash(host: EngineHost): void {
  host.configure(null as unknown as EngineSettings);
  host.configure(SETTINGS);
}

describe('an engine that crashes', () => {
  test.each([1, 2])('comes back on its port, of %i threads', async (workers) => {
    const crashes: Error[] = [];
    let restarts = 0;
    const back = Promise.withResolvers<void>();
    const host = await startEngines(
      optionsWith({
        workers,
        onCrash: (error) => crashes.push(error),
        onRestart: () => {
          restarts += 1;
          if (restarts === workers) back.resolve();
        },
      }),
    );
    const port = portOf(host);
    expect(await visit(port)).toContain('here');
    const before = (await host.stats()).exchanges;
    crash(host);
    await back.promise;
    expect(crashes).toHaveLength(workers);
    expect(portOf(host)).toBe(port);
    expect(await visit(port)).toContain('here');
    expect((await host.stats()).exchanges).toBe(before + 1);
    await host.stop(0);
  });
});

test('listeners come and go while the engine runs', async () => {
  const host = await startEngines(optionsWith({}));
  const added = await host.addListeners([{ mode: { kind: 'proxy' }, host: '127.0.0.1', port: 0 }]);
  const port = added[0]?.port ?? 0;
  expect(host.listeners.map((listener) => listener.port)).toEqual([portOf(host), port]);
  expect(await visit(port)).toContain('here');
  await host.removeListeners(added);
  await expect(visit(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(await visit(portOf(host))).toContain('here');
  await host.stop(0);
});

test.each([1, 2])('%i threads end by themselves when they are stopped, whatever is still open', async (workers) => {
  const ends = threadEnds();
  const host = await startEngines(optionsWith({ workers }));
  const idle = connect(portOf(host), '127.0.0.1');
  await once(idle, 'connect');
  idle.write('GET / HTTP/1.1\r\nHost: weir.test\r\n\r\n');
  await once(idle, 'data');
  await host.stop(0);
  expect(ends).toEqual(Array.from({ length: workers }, () => 0));
});

test('listeners that somebody closes while the engine ends are closed, without a complaint', async () => {
  const host = await startEngines(optionsWith({}));
  const added = await host.addListeners([{ mode: { kind: 'proxy' }, host: '127.0.0.1', port: 0 }]);
  const stopped = host.stop(0);
  await host.removeListeners(added);
  await stopped;
  await expect(visit(added[0]?.port ?? 0)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test.each([1, 2])('a taken port is a conflict that names it, for %i threads, and none stays open', async (workers) => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const { port } = blocker.address() as AddressInfo;
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const other = (free.address() as AddressInfo).port;
  free.close();
  await once(free, 'close');
  const listeners = [other, port].map((wanted) => ({
    mode: { kind: 'proxy' } as const,
    host: '127.0.0.1',
    port: wanted,
  }));
  const ends = threadEnds();
  await expect(startEngines(optionsWith({ workers, listeners }))).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(String(port)) as string,
  });
  await expect(visit(other)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  expect(ends.filter((code) => code !== 0)).toEqual([]);
  blocker.close();
});
