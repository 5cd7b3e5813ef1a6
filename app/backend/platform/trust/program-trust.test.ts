import { expect, test } from 'vitest';
import { createCertificateAuthority } from '#engine';
import type { CommandRunner } from '../command-runner.ts';
import { examinePrograms, type ProgramTrust } from './program-trust.ts';
import { trustAuthority } from './trust-authority.ts';

const OURS = createCertificateAuthority('ecdsa', Date.now()).certificate;
const OTHER = createCertificateAuthority('ecdsa', Date.now()).certificate;

/** Java alone is there. @param stores the certificates in each, by what keytool is told of it and the password that it reads */
async function java(javaOptions: string, stores: Readonly<Record<string, string>>): Promise<ProgramTrust | undefined> {
  const run: CommandRunner = (program, args, input = '') => {
    const stdout = program === 'keytool' ? stores[`${args.slice(2).join(' ')}: ${input.trim()}`] : undefined;
    const code = program !== 'keytool' ? 127 : stdout === undefined ? 1 : 0;
    return Promise.resolve({ code, stdout: stdout ?? '', stderr: code === 1 ? 'no such store' : '' });
  };
  const { fingerprint } = trustAuthority(OURS, '');
  const proxy = { host: '127.0.0.1', port: 1 };
  const found = await examinePrograms({ proxy, url: 'https://weir.test/', fingerprint, run, javaOptions });
  return found.find(({ name }) => name === 'Java');
}

test('Java trusts what its own list holds', async () => {
  const name = '-cacerts: changeit';
  expect(await java('', { [name]: OTHER + OURS })).toEqual({ name: 'Java', state: 'trusted', detail: '' });
  expect(await java('-Xmx64m', { [name]: OTHER })).toMatchObject({ state: 'absent' });
});

test('JAVA_TOOL_OPTIONS puts another list in its place, the last one that it names', async () => {
  const options =
    '-Djavax.net.ssl.trustStore=/old "-Djavax.net.ssl.trustStore=/my data/java.p12" -Djavax.net.ssl.trustStorePassword=secret';
  const stores = { '-cacerts: changeit': OURS, '-keystore /my data/java.p12: secret': OTHER };
  expect(await java(options, stores)).toEqual({
    name: 'Java',
    state: 'absent',
    detail: 'JAVA_TOOL_OPTIONS names /my data/java.p12',
  });
  expect(await java('-Djavax.net.ssl.trustStore=/gone', stores)).toMatchObject({
    state: 'unclear',
    detail: 'keytool: no such store',
  });
});
