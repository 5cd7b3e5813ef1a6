import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { authorityFiles, fileError, readAuthority, writeAuthority } from './authority-folder.ts';
import { loadCertificateAuthority, type CertificateAuthorityPem } from './certificate-authority.ts';
import { PkiError } from './pki-error.ts';

/** An authority that was in use before; it lies beside the one in use, with its key, until a person removes it. */
export interface KeptAuthority {
  /** Of its folder: `ca-until-2026-03-03-094105`. */
  readonly name: string;
  readonly certificateFile: string;
  /** PEM. */
  readonly certificate: string;
}

/**
 * Puts another authority in the place of the one in use, which is kept beside it under the date. Whatever interrupts it,
 * the next `openAuthorityFolder` finds the old one or the new one, whole.
 *
 * @param folder the authority's own folder, which must hold one
 * @param now ms since 1970
 * @throws PkiError `pki.files`, or what `loadCertificateAuthority` finds; nothing has changed then
 */
export async function replaceAuthority(
  folder: string,
  pem: CertificateAuthorityPem,
  now: number,
): Promise<KeptAuthority> {
  loadCertificateAuthority(pem);
  const before = await readAuthority(folder);
  if (before === null) throw new PkiError('pki.files', `There is no certificate authority in ${folder} to replace.`);
  const name = await freeName(folder, now);
  const kept = join(dirname(folder), name);
  let temporary: string | null = null;
  try {
    temporary = await mkdtemp(`${folder}.new-`);
    await writeAuthority(temporary, pem);
    await rm(`${folder}.next`, { recursive: true, force: true });
    await rename(temporary, `${folder}.next`);
    await rename(folder, kept);
    await rename(`${folder}.next`, folder);
  } catch (error: unknown) {
    if (temporary !== null) await rm(temporary, { recursive: true, force: true });
    throw fileError(`The certificate authority in ${folder} cannot be replaced`, error);
  }
  return { name, certificateFile: authorityFiles(kept).certificateFile, certificate: before.certificate };
}

/** Those that are kept beside the one in use, the newest last. @throws PkiError `pki.files` */
export async function listKeptAuthorities(folder: string): Promise<readonly KeptAuthority[]> {
  const kept: KeptAuthority[] = [];
  for (const name of await keptNames(folder)) {
    const place = join(dirname(folder), name);
    const pem = await readAuthority(place);
    if (pem === null) continue;
    kept.push({ name, certificateFile: authorityFiles(place).certificateFile, certificate: pem.certificate });
  }
  return kept;
}

/** Deletes one with its key. @returns false when there is none of that name @throws PkiError `pki.files` */
export async function removeKeptAuthority(folder: string, name: string): Promise<boolean> {
  if (!(await keptNames(folder)).includes(name)) return false;
  try {
    await rm(join(dirname(folder), name), { recursive: true });
    return true;
  } catch (error: unknown) {
    throw fileError(`The old certificate authority ${name} cannot be removed`, error);
  }
}

async function keptNames(folder: string): Promise<readonly string[]> {
  const begin = `${basename(folder)}-until-`;
  try {
    return (await readdir(dirname(folder))).filter((name) => name.startsWith(begin)).sort();
  } catch (error: unknown) {
    throw fileError(`${dirname(folder)} cannot be read`, error);
  }
}

/** Seconds are enough, unless a person is very quick. */
async function freeName(folder: string, now: number): Promise<string> {
  const [day = '', time = ''] = new Date(now).toISOString().split('T');
  const name = `${basename(folder)}-until-${day}-${time.slice(0, 8).replaceAll(':', '')}`;
  const taken = await keptNames(folder);
  for (let number = 1; ; number += 1) {
    const wanted = number === 1 ? name : `${name}-${String(number)}`;
    if (!taken.includes(wanted)) return wanted;
  }
}
