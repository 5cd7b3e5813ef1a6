import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContractClient, StreamName, Streams } from '#contract';
import { createContractClient } from '#contract';
import { connectToBackend } from '../../app/backend/connect-to-backend.ts';
import type { Backend, BackendOptions } from '../../app/backend/create-backend.ts';
import { createBackend } from '../../app/backend/create-backend.ts';
import { prepareDataFolder } from '../../app/backend/data-folder.ts';
import { claimDataFolder, isOwnership } from '../../app/backend/ownership.ts';

/** A whole backend in this process, on a fresh data folder and ports of the system. */
export interface TestBackend {
  readonly backend: Backend;
  readonly dataFolder: string;
  /** Port of the first listener. */
  readonly port: number;
  readonly reports: readonly string[];
  /** A client over a real WebSocket. */
  connect(): Promise<ContractClient>;
  stop(): Promise<void>;
}

export async function startBackend(options: Partial<BackendOptions> = {}): Promise<TestBackend> {
  const path = await mkdtemp(join(tmpdir(), 'weir-backend-'));
  const folder = prepareDataFolder(path);
  const ownership = await claimDataFolder(folder);
  if (!isOwnership(ownership)) throw new Error('Somebody else runs on a fresh folder.');
  const reports: string[] = [];
  const backend = await createBackend({
    folder,
    ownership,
    listeners: [{ mode: { kind: 'proxy' }, host: '127.0.0.1', port: 0 }],
    control: { host: '127.0.0.1', port: 0, pages: null },
    otherPorts: { listeners: false, control: false },
    workers: 1,
    capture: true,
    insecure: false,
    originCertificateAuthorities: [],
    ownCertificate: null,
    settings: {},
    keyLogFile: null,
    capabilities: { windowChrome: 'none', openBrowser: true, saveFile: false },
    report: (message) => reports.push(message),
    ...options,
  });
  const clients: ContractClient[] = [];
  return {
    backend,
    dataFolder: folder.path,
    port: backend.listeners[0]?.port ?? 0,
    reports,
    async connect() {
      const { url, token } = backend.control;
      const client = createContractClient(await connectToBackend({ pid: process.pid, url, token }));
      clients.push(client);
      return client;
    },
    async stop() {
      for (const client of clients) client.close();
      await backend.stop(0);
      await rm(path, { recursive: true });
    },
  };
}

/** Waits for the first item of a stream that is as wanted, and closes the stream. */
export function firstItem<Name extends StreamName>(
  client: ContractClient,
  name: Name,
  input: Streams[Name]['input'],
  wanted: (item: Streams[Name]['item']) => boolean = () => true,
): Promise<Streams[Name]['item']> {
  return new Promise((resolve, reject) => {
    const stream = client.stream(name, input, {
      items(items) {
        const item = items.find(wanted);
        if (item === undefined) return;
        stream.close();
        resolve(item);
      },
      gap: () => undefined,
      ended: reject,
    });
  });
}

/** Asks for an absolute URL through a proxy, on a connection of its own. */
export function getThrough(
  proxyPort: number,
  url: string,
): Promise<{ readonly status: number; readonly body: Buffer }> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port: proxyPort,
      path: url,
      headers: { host: new URL(url).host },
      agent: false,
    };
    request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) });
      });
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}
