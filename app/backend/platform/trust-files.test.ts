import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { splitCertificates, systemRoots } from './system-roots.ts';
import { writeTrustFiles, type TrustFiles } from './trust-files.ts';

const [ROOT_ONE = '', ROOT_TWO = '', USERS = '', AUTHORITY = ''] = rootCertificates;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-trust-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function write(environment: Record<string, string> = {}, systemRootTexts = [ROOT_ONE, ROOT_TWO]): Promise<TrustFiles> {
  return writeTrustFiles({
    folder: join(folder, 'trust'),
    authority: `${AUTHORITY}\n`,
    systemRoots: systemRootTexts,
    environment,
  });
}

const certificatesOf = async (file: string): Promise<string[]> => splitCertificates(await readFile(file, 'utf8'));

test('the bundle holds the machine’s roots and our authority, the other file our authority alone', async () => {
  const files = await write();
  expect(await certificatesOf(files.bundle)).toEqual([ROOT_ONE, ROOT_TWO, AUTHORITY]);
  expect(await certificatesOf(files.authority)).toEqual([AUTHORITY]);
});

test('files are written anew when the roots changed, and left alone otherwise', async () => {
  const files = await write();
  const old = new Date(1_000_000);
  await Promise.all(Object.values(files).map((file: string) => utimes(file, old, old)));
  await write();
  for (const file of Object.values(files) as string[]) expect((await stat(file)).mtimeMs).toBe(old.getTime());
  await write({}, [ROOT_ONE]);
  expect(await certificatesOf(files.bundle)).toEqual([ROOT_ONE, AUTHORITY]);
  expect((await stat(files.javaTrustStore)).mtimeMs).not.toBe(old.getTime());
  expect((await stat(files.authority)).mtimeMs).toBe(old.getTime());
});

test('certificates that the user named already stay trusted, in files of their own', async () => {
  const users = join(folder, 'corporate.pem');
  await writeFile(users, `A comment\n${USERS}\n`);
  const plain = await write();
  const files = await write({ NODE_EXTRA_CA_CERTS: users, SSL_CERT_FILE: users });
  expect(files.bundle).not.toBe(plain.bundle);
  expect(await certificatesOf(files.bundle)).toEqual([ROOT_ONE, ROOT_TWO, USERS, AUTHORITY]);
  expect(await certificatesOf(files.authority)).toEqual([USERS, AUTHORITY]);
  expect(await certificatesOf(plain.bundle)).toEqual([ROOT_ONE, ROOT_TWO, AUTHORITY]);
});

test('our own files in the environment count as none: a shell started through Weir starts another', async () => {
  const files = await write();
  expect(await write({ SSL_CERT_FILE: files.bundle, NODE_EXTRA_CA_CERTS: files.authority })).toEqual(files);
});

test('a file that does not exist is no reason to fail', async () => {
  const files = await write({ SSL_CERT_FILE: join(folder, 'missing.pem') });
  expect(await certificatesOf(files.bundle)).toEqual([ROOT_ONE, ROOT_TWO, AUTHORITY]);
});

test('ten at once leave whole files and nothing else', async () => {
  const [files] = await Promise.all(Array.from({ length: 10 }, () => write()));
  expect(await certificatesOf(files?.bundle ?? '')).toHaveLength(3);
  expect((await readdir(join(folder, 'trust'))).sort()).toEqual([
    'php',
    'weir-authority.pem',
    'weir-trust.p12',
    'weir-trust.pem',
    'weir.wgetrc',
  ]);
});

test('wget gets the user’s own settings and the bundle', async () => {
  await writeFile(join(folder, '.wgetrc'), 'tries = 3\nca_certificate = /mine.pem');
  const files = await write({ HOME: folder });
  const expected = `tries = 3\nca_certificate = /mine.pem\nca_certificate = ${files.bundle}\n`;
  expect(await readFile(files.wgetConfiguration, 'utf8')).toBe(expected);
  await write({ HOME: folder, WGETRC: files.wgetConfiguration });
  expect(await readFile(files.wgetConfiguration, 'utf8')).toBe(expected);
  await write({ HOME: join(folder, 'nowhere') });
  expect(await readFile(files.wgetConfiguration, 'utf8')).toBe(`ca_certificate = ${files.bundle}\n`);
});

test('PHP’s curl and its streams are told of the bundle', async () => {
  const { bundle, phpConfiguration } = await write();
  expect(await readFile(join(phpConfiguration, 'weir.ini'), 'utf8')).toBe(
    `curl.cainfo = '${bundle}'\nopenssl.cafile = '${bundle}'\n`,
  );
});

test('this machine has roots', async () => {
  const roots = await systemRoots(process.platform);
  expect(roots.length).toBeGreaterThan(0);
  expect(roots[0]).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
});
