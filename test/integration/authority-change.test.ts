import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCertificateAuthority, exportAuthorityWithKey } from '#engine';
import type { ContractClient } from '#contract';
import { which } from '../../bench/products/which.ts';
import { startBackend, type TestBackend } from '../support/backend-kit.ts';

const run = promisify(execFile);
const HOME = process.env['HOME'];
const hasCertutil = which('certutil') !== null;
if (!hasCertutil)
  process.stderr.write('\nNOT TESTED: trust that moves to a new authority. certutil is not installed.\n\n');
let home: string;
let weir: TestBackend;
let client: ContractClient;

beforeAll(async () => {
  // Stores of trust are looked for below the home folder; a browser's database lies there.
  home = mkdtempSync(join(tmpdir(), 'weir-home-'));
  mkdirSync(join(home, '.pki/nssdb'), { recursive: true });
  if (hasCertutil) await run('certutil', ['-N', '-d', `sql:${home}/.pki/nssdb`, '--empty-password']);
  process.env['HOME'] = home;
  weir = await startBackend();
  client = await weir.connect();
});
afterAll(async () => {
  await weir.stop();
  process.env['HOME'] = HOME;
  rmSync(home, { recursive: true, force: true });
});

/** Fingerprint of the issuer of what the magic host shows through the proxy, which must verify against `ca`. */
function verifiedBy(ca: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(weir.port, '127.0.0.1', () =>
      socket.write('CONNECT weir.test:443 HTTP/1.1\r\nHost: weir.test:443\r\n\r\n'),
    );
    socket.once('error', reject);
    socket.once('data', () => {
      const tls = connectTls({ socket, servername: 'weir.test', ca }, () => {
        resolve(true);
        tls.destroy();
      });
      tls.once('error', () => {
        resolve(false);
      });
    });
  });
}

async function certificate(): Promise<string> {
  return Buffer.from((await client.call('ca.export', { format: 'pem' })).bytes).toString();
}

async function nicknames(): Promise<string> {
  return (await run('certutil', ['-L', '-d', `sql:${home}/.pki/nssdb`])).stdout;
}

test.skipIf(!hasCertutil)('a running Weir signs with the new authority at once, and trust moves to it', async () => {
  const old = await certificate();
  const store = `nss:${join(home, '.pki/nssdb')}`;
  await client.call('trust.install', { store });
  expect(await verifiedBy(old)).toBe(true);

  const change = await client.call('ca.rotate', {});
  const now = await certificate();
  expect(now).not.toBe(old);
  expect(await verifiedBy(now)).toBe(true);
  expect(await verifiedBy(old)).toBe(false);
  expect(change.left).toMatchObject([{ store, changeable: true }]);
  const { kept } = await client.call('ca.kept', {});
  expect(kept).toMatchObject([{ name: change.kept.name, left: [{ store }] }]);
  await expect(client.call('ca.forget', { name: change.kept.name })).rejects.toThrow('still trusted');

  const { stores } = await client.call('ca.moveTrust', { name: change.kept.name });
  expect(stores).toMatchObject([{ problem: null }]);
  expect((await nicknames()).match(/Weir CA/g)).toHaveLength(1);
  await client.call('ca.forget', { name: change.kept.name });
  expect(await client.call('ca.kept', {})).toEqual({ kept: [] });
});

test('an authority that the person brings is used and trusted under its own name, and refusals say why', async () => {
  const pair = createCertificateAuthority('rsa', Date.now());
  const file = new Uint8Array(exportAuthorityWithKey(pair, 'p12', 'open sesame'));
  const wrong = client.call('ca.import', { certificate: file, key: null, passphrase: 'wrong' });
  await expect(wrong).rejects.toMatchObject({ code: 'bad-input' });
  await client.call('ca.import', { certificate: file, key: null, passphrase: 'open sesame' });
  expect(await verifiedBy(pair.certificate)).toBe(true);
  const again = client.call('ca.import', { certificate: file, key: null, passphrase: 'open sesame' });
  await expect(again).rejects.toThrow('in use already');
});
