import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandOutcome, CommandRunner } from '../command-runner.ts';
import { failureText } from '../command-runner.ts';
import { shellWord } from '../shell-word.ts';
import { findFirefoxProfiles } from './firefox-profiles.ts';
import { isFile } from './is-file.ts';
import { AUTHORITY_NAME, authoritiesIn, EVERY_CERTIFICATE } from './trust-authority.ts';
import type { StoredAuthority, TrustAuthority, TrustStore } from './trust-store.ts';
import { TrustError } from './trust-store.ts';

const NOT_FOUND = 127;
/** Trusted to sign certificates of servers, and for nothing else. */
const TRUSTED = 'C,,';

/** Folders with one database each, below the home folder. */
const SINGLE: readonly (readonly [path: string, name: string, readers: string])[] = [
  ['.pki/nssdb', 'Chromium and Chrome', 'Chromium, Chrome, Edge, Brave, Electron apps'],
  ['.local/share/pki/nssdb', 'Chromium and Chrome', 'newer Chromium, Chrome, Edge, Brave'],
  ['snap/chromium/current/.pki/nssdb', 'Chromium (snap)', 'Chromium from the snap'],
  ['snap/brave/current/.pki/nssdb', 'Brave (snap)', 'Brave from the snap'],
];

/** Folders that hold Firefox profiles, below the home folder. */
const PROFILES: readonly (readonly [path: string, name: string])[] = [
  ['.mozilla/firefox', 'Firefox'],
  ['.config/mozilla/firefox', 'Firefox'],
  ['snap/firefox/common/.mozilla/firefox', 'Firefox (snap)'],
  ['.var/app/org.mozilla.firefox/.mozilla/firefox', 'Firefox (flatpak)'],
  ['.var/app/org.mozilla.firefox/config/mozilla/firefox', 'Firefox (flatpak)'],
  ['.librewolf', 'LibreWolf'],
];

/** The NSS databases of a user on Linux: those that a browser has made already; none is made by us. */
export async function nssStores(home: string, run: CommandRunner): Promise<TrustStore[]> {
  const stores = SINGLE.map(([path, name, readers]) => nssStore(join(home, path), name, readers, run));
  for (const [path, name] of PROFILES) {
    for (const profile of await findFirefoxProfiles(join(home, path)))
      stores.push(nssStore(profile.folder, `${name} (${profile.name})`, `${name}, that profile`, run));
  }
  for (const app of await namesIn(join(home, '.var/app'))) {
    for (const path of ['.pki/nssdb', 'data/pki/nssdb']) {
      stores.push(nssStore(join(home, '.var/app', app, path), `${app} (flatpak)`, `the flatpak ${app}`, run));
    }
  }
  const there = await Promise.all(stores.map(({ folder }) => isFile(join(folder, 'cert9.db'))));
  return stores.filter((_, index) => there[index] === true);
}

/** One database. @param folder that holds `cert9.db` */
export function nssStore(
  folder: string,
  name: string,
  readers: string,
  run: CommandRunner,
): TrustStore & { readonly folder: string } {
  const database = `sql:${folder}`;

  async function certutil(args: readonly string[]): Promise<CommandOutcome> {
    const outcome = await run('certutil', args);
    if (outcome.code === NOT_FOUND) {
      throw new TrustError(
        'certutil is not installed: install the package libnss3-tools (Debian), nss-tools (Fedora) or nss (Arch).',
      );
    }
    return outcome;
  }

  async function change(args: readonly string[], input?: string): Promise<void> {
    const outcome = input === undefined ? await certutil(args) : await run('certutil', args, input);
    if (outcome.code === 0) return;
    throw new TrustError(
      `${name} could not be changed (${failureText('certutil', outcome)}). If the browser guards its certificates with a password, import ${folder} by hand in its settings.`,
    );
  }

  return {
    id: `nss:${folder}`,
    name,
    readers,
    changeable: true,
    folder,
    async list() {
      const outcome = await certutil(['-L', '-d', database]);
      if (outcome.code !== 0) throw new TrustError(`${folder} cannot be read (${failureText('certutil', outcome)}).`);
      const stored: StoredAuthority[] = [];
      for (const [, nickname = '', flags = ''] of outcome.stdout.matchAll(
        /^(.*\S) +([a-zA-Z]*,[a-zA-Z]*,[a-zA-Z]*) *$/gm,
      )) {
        if (!nickname.startsWith(AUTHORITY_NAME)) continue;
        const { stdout } = await certutil(['-L', '-d', database, '-n', nickname, '-a']);
        const trusted = /C/.test(flags.split(',')[0] ?? '');
        stored.push(
          ...authoritiesIn(stdout, EVERY_CERTIFICATE, () => nickname).map((authority) => ({ ...authority, trusted })),
        );
      }
      return stored;
    },
    async install({ nickname, pem }) {
      await change(['-A', '-d', database, '-n', nickname, '-t', TRUSTED, '-a'], pem);
    },
    async remove({ handle }) {
      await change(['-D', '-d', database, '-n', handle]);
    },
    trustLine: ({ nickname, file }: TrustAuthority) =>
      `certutil -A -d ${shellWord(database)} -n ${shellWord(nickname)} -t ${TRUSTED} -a -i ${shellWord(file)}`,
    untrustLine: ({ nickname }: TrustAuthority) => `certutil -D -d ${shellWord(database)} -n ${shellWord(nickname)}`,
  };
}

function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}
