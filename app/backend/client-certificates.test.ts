import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { originCertificate } from '../../test/support/origin-certificates.ts';
import { ClientCertificates } from './client-certificates.ts';

let folder: string;
let path: string;
const reports: string[] = [];
const ada = originCertificate('ada.test');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-client-certificates-'));
  path = join(folder, 'client-certificates.json');
  reports.length = 0;
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function open(): ClientCertificates {
  return new ClientCertificates(path, (message) => reports.push(message));
}

/** The certificate as PKCS #12, made by openssl. */
function pkcs12(password: string): Buffer {
  const [certificate, key, out] = ['c.pem', 'k.pem', 'out.p12'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(certificate, ada.cert);
  writeFileSync(key, ada.key);
  execFileSync('openssl', [
    'pkcs12',
    '-export',
    '-in',
    certificate,
    '-inkey',
    key,
    '-out',
    out,
    '-passout',
    `pass:${password}`,
  ]);
  return readFileSync(out);
}

const pem = { host: 'bank.test', certificate: Buffer.from(ada.cert), key: Buffer.from(ada.key), passphrase: '' };

test('PEM in two files or one is kept in a private file, and what is told of it holds no key', () => {
  const first = open();
  first.add(pem);
  first.add({ ...pem, host: 'shop.test', certificate: Buffer.from(`${ada.key}${ada.cert}`), key: null });
  const again = open();
  expect(again.list().map(({ host, subject }) => `${host} ${subject}`)).toEqual([
    'bank.test CN=ada.test',
    'shop.test CN=ada.test',
  ]);
  expect(JSON.stringify(again.list())).not.toContain('PRIVATE');
  expect(again.forEngine()[1]?.identity).toMatchObject({ kind: 'pem' });
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('PKCS #12 is taken with its password, and named by the certificate in it', () => {
  const certificates = open();
  certificates.add({ host: 'bank.test', certificate: pkcs12('word'), key: null, passphrase: 'word' });
  expect(certificates.list()[0]).toMatchObject({ host: 'bank.test', subject: 'CN=ada.test' });
  expect(open().forEngine()[0]?.identity).toMatchObject({ kind: 'p12', passphrase: 'word' });
});

test.each([
  [
    'a wrong password',
    () => ({ ...pem, certificate: pkcs12('word'), key: null, passphrase: 'other' }),
    /password is missing or wrong/,
  ],
  ['no key', () => ({ ...pem, key: null }), /no private key/],
  ['no certificate', () => ({ ...pem, certificate: Buffer.from(ada.key), key: null }), /no certificate/],
  [
    'the key of another',
    () => ({ ...pem, key: Buffer.from(originCertificate('other.test').key) }),
    /belongs to another certificate/,
  ],
  ['something else', () => ({ ...pem, certificate: Buffer.from('hello'), key: null }), /cannot be used/],
])('%s is refused with what is wrong, and nothing changes', (_what, given, message) => {
  const certificates = open();
  expect(() => {
    certificates.add(given());
  }).toThrow(message);
  expect(certificates.list()).toEqual([]);
});

test('another one for the same host takes its place, and one can be removed', () => {
  const certificates = open();
  certificates.add(pem);
  certificates.add(pem);
  const [only, ...others] = certificates.list();
  expect(others).toEqual([]);
  certificates.remove(only?.id ?? '');
  expect(open().list()).toEqual([]);
  expect(() => {
    certificates.remove('unknown');
  }).toThrow(/not there/);
});

test('a damaged file is reported and left out', () => {
  writeFileSync(path, '{');
  expect(open().list()).toEqual([]);
  expect(reports).toHaveLength(1);
});
