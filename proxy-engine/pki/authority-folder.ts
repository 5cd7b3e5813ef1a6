import { chmod, mkdir, mkdtemp, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  createCertificateAuthority,
  loadCertificateAuthority,
  type CertificateAuthorityPem,
} from './certificate-authority.ts';
import { PkiError } from './pki-error.ts';

/** An authority that lies in its folder. */
export interface StoredAuthority {
  readonly pem: CertificateAuthorityPem;
  readonly certificateFile: string;
  readonly keyFile: string;
  /** It was made just now. */
  readonly created: boolean;
  /** Sentences for a person: what was wrong with the files and has been mended. */
  readonly notices: readonly string[];
}

export interface AuthorityFolderOptions {
  /** Kind of key of an authority that has to be made; ECDSA by default. */
  readonly keyType?: 'ecdsa' | 'rsa';
  /** ms since 1970. */
  readonly now?: number;
  /** As `process.platform`; Windows has no modes, the user's profile protects its files. */
  readonly platform?: string;
}

const CERTIFICATE_FILE = 'weir-ca.pem';
const KEY_FILE = 'weir-ca-key.pem';
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * Opens the authority of a data folder, and makes it at the first time. Processes that begin at once agree on one: a new
 * authority is written whole beside its place and moved there, which only the first of them can do.
 *
 * @param folder the authority's own folder (`ca` in the data folder); its parent must exist
 * @throws PkiError `pki.files` when it cannot be read, written or kept private; the codes of `loadCertificateAuthority`
 */
export async function openAuthorityFolder(
  folder: string,
  options: AuthorityFolderOptions = {},
): Promise<StoredAuthority> {
  const found = (await readAuthority(folder)) ?? (await finishReplacing(folder));
  const created = found === null && (await makeAuthority(folder, options));
  const pem = found ?? (await readAuthority(folder));
  if (pem === null) {
    throw new PkiError(
      'pki.files',
      `The folder ${folder} exists but holds neither ${CERTIFICATE_FILE} nor ${KEY_FILE}. Move what is in it elsewhere.`,
    );
  }
  const platform = options.platform ?? process.platform;
  const notices = platform === 'win32' ? [] : await keepPrivate(folder);
  loadCertificateAuthority(pem);
  return { pem, ...authorityFiles(folder), created, notices };
}

/** Where an authority's files stand in its folder. */
export function authorityFiles(folder: string): { certificateFile: string; keyFile: string } {
  return { certificateFile: join(folder, CERTIFICATE_FILE), keyFile: join(folder, KEY_FILE) };
}

/** Null when there is no authority yet. @throws PkiError `pki.files` when a part is missing or cannot be read */
export async function readAuthority(folder: string): Promise<CertificateAuthorityPem | null> {
  const { certificateFile, keyFile } = authorityFiles(folder);
  const [certificate, key] = await Promise.all([readIfThere(certificateFile), readIfThere(keyFile)]);
  if (certificate === null && key === null) return null;
  if (certificate !== null && key !== null) return { certificate, key };
  const missing = certificate === null ? certificateFile : keyFile;
  throw new PkiError(
    'pki.files',
    `The certificate authority is incomplete: ${missing} is missing. Put it back, or move the folder ${folder} away to get a new authority (which must then be trusted anew).`,
  );
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error: unknown) {
    if (hasCode(error, 'ENOENT')) return null;
    throw fileError(`${path} cannot be read`, error);
  }
}

/** False when another process was first. */
async function makeAuthority(folder: string, options: AuthorityFolderOptions): Promise<boolean> {
  const pem = createCertificateAuthority(options.keyType ?? 'ecdsa', options.now ?? Date.now());
  let temporary: string | null = null;
  try {
    await mkdir(dirname(folder), { recursive: true, mode: FOLDER_MODE });
    // mkdtemp makes the folder 0700.
    temporary = await mkdtemp(`${folder}.new-`);
    await writeAuthority(temporary, pem);
    await rename(temporary, folder);
    return true;
  } catch (error: unknown) {
    if (temporary !== null) await rm(temporary, { recursive: true, force: true });
    const codes = (options.platform ?? process.platform) === 'win32' ? [...ALREADY_THERE, 'EPERM'] : ALREADY_THERE;
    if (codes.some((code) => hasCode(error, code))) return false;
    throw fileError(`The certificate authority cannot be stored in ${folder}`, error);
  }
}

/** Writes both files into a folder of mode 0700 that holds none. */
export async function writeAuthority(folder: string, pem: CertificateAuthorityPem): Promise<void> {
  const files = authorityFiles(folder);
  await writeThrough(files.keyFile, pem.key);
  await writeThrough(files.certificateFile, pem.certificate);
}

/** Takes the authority that was about to be put here when Weir was stopped (see `replaceAuthority`). */
async function finishReplacing(folder: string): Promise<CertificateAuthorityPem | null> {
  const next = `${folder}.next`;
  if ((await readAuthority(next)) === null) return null;
  try {
    await rename(next, folder);
  } catch {
    // Another process was first.
  }
  return readAuthority(folder);
}

/** What rename answers when the folder exists and is not empty; Windows says EPERM, which elsewhere means a real refusal. */
const ALREADY_THERE = ['ENOTEMPTY', 'EEXIST'];

async function writeThrough(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', FILE_MODE);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Takes away what others could read, and says so; refuses what cannot be mended. */
async function keepPrivate(folder: string): Promise<string[]> {
  const { keyFile } = authorityFiles(folder);
  const notices: string[] = [];
  for (const [path, mode] of [
    [folder, FOLDER_MODE],
    [keyFile, FILE_MODE],
  ] as const) {
    try {
      const present = (await stat(path)).mode & 0o777;
      if ((present & 0o077) === 0) continue;
      await chmod(path, mode);
      notices.push(
        `${path} was open to other users (mode ${octal(present)}); it is ${octal(mode)} now. If others use this machine, make a new certificate authority.`,
      );
    } catch (error: unknown) {
      throw fileError(`${path} is open to other users and its mode cannot be changed to ${octal(mode)}`, error);
    }
  }
  return notices;
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, '0');
}

/** What the system says about a file, for a person. */
export function fileError(what: string, error: unknown): PkiError {
  const reason = error instanceof Error ? error.message : String(error);
  return new PkiError('pki.files', `${what}: ${reason}.`, { cause: error });
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
