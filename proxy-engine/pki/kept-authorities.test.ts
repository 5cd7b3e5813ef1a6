import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAuthorityFolder } from './authority-folder.ts';
import { createCertificateAuthority } from './certificate-authority.ts';
import { listKeptAuthorities, removeKeptAuthority, replaceAuthority } from './kept-authorities.ts';

const NOW = Date.parse('2026-03-03T09:41:05Z');
let data: string;
let folder: string;

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'weir-kept-'));
  folder = join(data, 'ca');
});
afterEach(() => {
  rmSync(data, { recursive: true, force: true });
});

test('another authority takes the place, and the old one is kept beside it under the date until it is removed', async () => {
  const first = await openAuthorityFolder(folder);
  const [second, third] = [createCertificateAuthority('ecdsa', NOW), createCertificateAuthority('ecdsa', NOW)];
  const kept = await replaceAuthority(folder, second, NOW);
  expect(kept).toMatchObject({ name: 'ca-until-2026-03-03-094105', certificate: first.pem.certificate });
  expect(await openAuthorityFolder(folder)).toMatchObject({ pem: second, created: false, notices: [] });
  await replaceAuthority(folder, third, NOW);
  expect((await listKeptAuthorities(folder)).map(({ name }) => name)).toEqual([
    'ca-until-2026-03-03-094105',
    'ca-until-2026-03-03-094105-2',
  ]);
  expect(statSync(join(data, kept.name)).mode & 0o077).toBe(0);
  expect(statSync(join(folder, 'weir-ca-key.pem')).mode & 0o077).toBe(0);

  expect(await removeKeptAuthority(folder, kept.name)).toBe(true);
  expect(await removeKeptAuthority(folder, kept.name)).toBe(false);
  expect(await removeKeptAuthority(folder, '../ca')).toBe(false);
  expect(await listKeptAuthorities(folder)).toHaveLength(1);
});

test('a replacement that was interrupted between its steps is finished when the folder is opened', async () => {
  await openAuthorityFolder(folder);
  const next = createCertificateAuthority('ecdsa', NOW);
  await replaceAuthority(folder, next, NOW);
  // As it stands after the old one was moved away and before the new one was moved in.
  renameSync(folder, `${folder}.next`);
  expect(await openAuthorityFolder(folder)).toMatchObject({ pem: next, created: false });
});

test('what cannot sign changes nothing', async () => {
  const { pem } = await openAuthorityFolder(folder);
  const other = createCertificateAuthority('ecdsa', NOW);
  await expect(replaceAuthority(folder, { ...pem, key: other.key }, NOW)).rejects.toThrow('does not belong');
  writeFileSync(join(data, 'ca-until-nothing'), '');
  expect((await openAuthorityFolder(folder)).pem).toEqual(pem);
});
