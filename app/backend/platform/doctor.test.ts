import { X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAuthorityFolder } from '#engine';
import { examine, type DoctorRequest, type Finding } from './doctor.ts';

const DAY = 86_400_000;

let folder: string;
let taken: Server;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-doctor-'));
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
});

afterEach(async () => {
  taken.close();
  await rm(folder, { recursive: true, force: true });
});

const takenPort = (): number => (taken.address() as AddressInfo).port;

async function findingOf(subject: string, changes: Partial<DoctorRequest> = {}): Promise<Finding | undefined> {
  const findings = await examine({
    surroundings: { platform: 'linux', environment: { WEIR_BROWSER: process.execPath }, home: folder },
    nodeVersion: '24.21.0',
    dataFolder: folder,
    authorityFolder: join(folder, 'ca'),
    addresses: [],
    running: false,
    electron: process.execPath,
    findStores: () => Promise.resolve([]),
    systemProxyFile: join(folder, 'system-proxy.json'),
    now: Date.now(),
    ...changes,
  });
  for (const finding of findings) expect(finding.fix === null).toBe(finding.state === 'ok');
  return findings.find((finding) => finding.subject === subject);
}

test('a machine on which nothing has run yet is well', async () => {
  expect(await findingOf('authority')).toMatchObject({
    state: 'ok',
    text: expect.stringContaining('first start') as string,
  });
  expect(await findingOf('data folder')).toMatchObject({ state: 'ok' });
  expect(await findingOf('data folder', { dataFolder: join(folder, 'none') })).toMatchObject({ state: 'ok' });
  expect(await findingOf('authority key')).toBeUndefined();
});

test('a Node that is too old fails', async () => {
  expect(await findingOf('Node')).toMatchObject({ state: 'ok' });
  expect(await findingOf('Node', { nodeVersion: '20.20.0' })).toMatchObject({ state: 'fail' });
});

describe('ports', () => {
  test('one that another program holds fails and names it', async () => {
    const port = takenPort();
    const finding = await findingOf(`port ${String(port)}`, { addresses: [{ host: '127.0.0.1', port }] });
    expect(finding).toMatchObject({
      state: 'fail',
      text: expect.stringContaining(`127.0.0.1:${String(port)}`) as string,
    });
  });

  test('one that a Weir of this data folder holds is well', async () => {
    const port = takenPort();
    const finding = await findingOf(`port ${String(port)}`, {
      addresses: [{ host: '127.0.0.1', port }],
      running: true,
    });
    expect(finding).toMatchObject({ state: 'ok' });
  });

  test('a free one is well', async () => {
    expect(await findingOf('port 0', { addresses: [{ host: '127.0.0.1', port: 0 }] })).toMatchObject({ state: 'ok' });
  });
});

describe('the authority', () => {
  test('is well while it lives, warned of before its end, and fails after it', async () => {
    await openAuthorityFolder(join(folder, 'ca'));
    expect(await findingOf('authority')).toMatchObject({ state: 'ok' });
    expect(await findingOf('authority', { now: Date.now() + 3_640 * DAY })).toMatchObject({ state: 'warn' });
    expect(await findingOf('authority', { now: Date.now() + 3_700 * DAY })).toMatchObject({ state: 'fail' });
  });

  test('fails when it is damaged', async () => {
    const { certificateFile } = await openAuthorityFolder(join(folder, 'ca'));
    await writeFile(certificateFile, 'garbage');
    expect(await findingOf('authority')).toMatchObject({ state: 'fail' });
  });

  test('is warned of when others can read its key', async () => {
    const { keyFile } = await openAuthorityFolder(join(folder, 'ca'));
    expect(await findingOf('authority key')).toMatchObject({ state: 'ok' });
    await chmod(keyFile, 0o640);
    expect(await findingOf('authority key')).toMatchObject({ state: 'warn' });
  });
});

test('a missing browser or desktop program is a warning with what to do', async () => {
  const surroundings = { platform: 'linux', environment: { WEIR_BROWSER: '/nowhere' }, home: folder };
  expect(await findingOf('browser', { surroundings })).toMatchObject({ state: 'warn' });
  expect(await findingOf('browser')).toMatchObject({ state: 'ok' });
  expect(await findingOf('desktop window', { electron: null })).toMatchObject({ state: 'warn' });
  expect(await findingOf('desktop window')).toMatchObject({ state: 'ok' });
});

test('a system proxy that an earlier Weir left on is a warning, of a Weir that runs it is well', async () => {
  expect(await findingOf('system proxy')).toBeUndefined();
  await writeFile(join(folder, 'system-proxy.json'), '{}');
  expect(await findingOf('system proxy')).toMatchObject({ state: 'warn' });
  expect(await findingOf('system proxy', { running: true })).toMatchObject({ state: 'ok' });
});

describe('stores of trust', () => {
  const storeWith = (fingerprints: readonly string[]): DoctorRequest['findStores'] => {
    const stored = fingerprints.map((fingerprint) => ({ fingerprint, handle: '', trusted: true }));
    return () =>
      Promise.resolve([
        {
          id: 'system',
          name: 'This machine',
          readers: 'all',
          changeable: false,
          list: () => Promise.resolve(stored),
          install: () => Promise.resolve(),
          remove: () => Promise.resolve(),
          trustLine: () => 'trust it',
          untrustLine: () => 'take it out',
        },
      ]);
  };

  test('are told with what would change them; only the authority of another Weir is a warning', async () => {
    const { pem } = await openAuthorityFolder(join(folder, 'ca'));
    const own = new X509Certificate(pem.certificate).fingerprint256;
    expect(await findingOf('trust', { findStores: storeWith([]) })).toMatchObject({
      state: 'ok',
      text: expect.stringContaining('trust it') as string,
    });
    expect(await findingOf('trust', { findStores: storeWith([own]) })).toMatchObject({
      state: 'ok',
      text: expect.stringContaining('weir ca untrust system') as string,
    });
    expect(await findingOf('trust', { findStores: storeWith(['another']) })).toMatchObject({
      state: 'warn',
      fix: expect.stringContaining('--all') as string,
    });
  });
});
