import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encodePkcs12 } from '#engine';
import type { Environment } from './browser.ts';
import { readCertificates, splitCertificates } from './system-roots.ts';

/** Java wants a password for a trust store; what is in it is public. */
export const JAVA_TRUST_PASSWORD = 'changeit';

/** Variables that name a file which replaces or extends a trust store; a file of the user's stays in force. */
const USER_FILES = [
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'CARGO_HTTP_CAINFO',
  'DENO_CERT',
  'AWS_CA_BUNDLE',
  'PERL_LWP_SSL_CA_FILE',
] as const;

/** Files by which programs are told to trust our authority beside what they trusted before. */
export interface TrustFiles {
  /** Our authority alone, PEM: for variables that add to a trust store. */
  readonly authority: string;
  /** The machine's roots, the user's own files and our authority, PEM: for variables that replace a trust store. */
  readonly bundle: string;
  /** The same as a PKCS#12 file that Java reads, sealed with `JAVA_TRUST_PASSWORD`. */
  readonly javaTrustStore: string;
  /** The user's configuration of wget and the bundle: wget with GnuTLS reads no variable for its trust store. */
  readonly wgetConfiguration: string;
  /** A folder whose settings PHP reads after its own: the curl in it reads no variable for its trust store. */
  readonly phpConfiguration: string;
}

export interface TrustFilesRequest {
  /** Folder that the files are written to; made when it is missing. */
  readonly folder: string;
  /** Our authority, PEM. */
  readonly authority: string;
  /** PEM, one text each; see `systemRoots`. */
  readonly systemRoots: readonly string[];
  /** The environment in which the program will run. */
  readonly environment: Environment;
}

/**
 * Writes the files, or leaves them alone when they are up to date. Processes may do so at the same time: files are
 * replaced whole. A user with trust files of his own gets files of another name, so that others are not disturbed.
 */
export async function writeTrustFiles(request: TrustFilesRequest): Promise<TrustFiles> {
  const users = await userCertificates(request.environment, request.folder);
  const suffix = users.length === 0 ? '' : `-${digest(users.join('\n')).slice(0, 8)}`;
  const files: TrustFiles = {
    authority: join(request.folder, `weir-authority${suffix}.pem`),
    bundle: join(request.folder, `weir-trust${suffix}.pem`),
    javaTrustStore: join(request.folder, `weir-trust${suffix}.p12`),
    wgetConfiguration: join(request.folder, `weir${suffix}.wgetrc`),
    phpConfiguration: join(request.folder, `php${suffix}`),
  };
  const [authority = ''] = splitCertificates(request.authority);
  const bundle = unique([...request.systemRoots, ...users, authority]);
  const bundleText = pemText(bundle);
  await mkdir(request.folder, { recursive: true, mode: 0o700 });
  await writeWhole(files.authority, pemText([...users, authority]));
  // Its salt differs each time, so that its contents cannot tell whether it is up to date; the bundle's can.
  const stale = (await readFile(files.bundle, 'utf8').catch(() => '')) !== bundleText;
  if (stale || !(await exists(files.javaTrustStore)))
    await writeWhole(files.javaTrustStore, javaTrustStore(bundle, authority));
  await writeWhole(files.bundle, bundleText);
  await writeWhole(files.wgetConfiguration, await wgetConfiguration(request, files.bundle));
  await mkdir(files.phpConfiguration, { recursive: true, mode: 0o700 });
  await writeWhole(join(files.phpConfiguration, 'weir.ini'), phpConfiguration(files.bundle));
  return files;
}

/** Between single quotes PHP reads everything as it stands but a single quote. */
function phpConfiguration(bundle: string): string {
  const value = bundle.includes("'") ? `"${bundle.replaceAll(/["\\$]/g, String.raw`\$&`)}"` : `'${bundle}'`;
  return `curl.cainfo = ${value}\nopenssl.cafile = ${value}\n`;
}

/** `WGETRC` replaces the user's own file, so its lines go first; the last of two settings counts. */
async function wgetConfiguration({ environment, folder }: TrustFilesRequest, bundle: string): Promise<string> {
  const named = environment['WGETRC'] ?? '';
  const users = named === '' || named.startsWith(folder) ? join(environment['HOME'] ?? '/', '.wgetrc') : named;
  const lines = await readFile(users, 'utf8').catch(() => '');
  return `${lines.trimEnd()}\nca_certificate = ${bundle}\n`.trimStart();
}

/** Certificates of files that the environment names already, other than those of ours. */
async function userCertificates(environment: Environment, ownFolder: string): Promise<string[]> {
  const paths = USER_FILES.map((name) => environment[name]).filter((path) => path !== undefined && path !== '');
  const foreign = unique(paths.map(String)).filter((path) => !path.startsWith(ownFolder));
  const lists = await Promise.all(foreign.map(readCertificates));
  return unique(lists.flat());
}

function javaTrustStore(bundle: readonly string[], authority: string): Buffer {
  const certificates = bundle.map((pem, index) => ({
    bytes: Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64'),
    name: pem === authority ? 'weir-ca' : `root-${index + 1}`,
  }));
  return encodePkcs12({ certificates, key: null, password: JAVA_TRUST_PASSWORD });
}

async function writeWhole(path: string, content: string | Buffer): Promise<void> {
  const present = await readFile(path).catch(() => null);
  if (present?.equals(typeof content === 'string' ? Buffer.from(content) : content) === true) return;
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, content, { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } catch (error: unknown) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return readFile(path).then(
    () => true,
    () => false,
  );
}

function pemText(certificates: readonly string[]): string {
  return certificates.map((pem) => `${pem}\n`).join('');
}

function unique<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
