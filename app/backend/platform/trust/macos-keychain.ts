import { join } from 'node:path';
import type { CommandRunner } from '../command-runner.ts';
import { failureText } from '../command-runner.ts';
import { shellWord } from '../shell-word.ts';
import { AUTHORITY_NAME, authoritiesIn } from './trust-authority.ts';
import type { TrustAuthority, TrustStore } from './trust-store.ts';
import { TrustError } from './trust-store.ts';

const SECURITY = '/usr/bin/security';

/** The login keychain of a user of macOS. macOS asks for the password when its trust changes. */
export function macosKeychain(home: string, authority: TrustAuthority, run: CommandRunner): TrustStore {
  const keychain = join(home, 'Library', 'Keychains', 'login.keychain-db');

  async function security(args: readonly string[]): Promise<void> {
    const outcome = await run(SECURITY, args);
    if (outcome.code === 0) return;
    throw new TrustError(`The login keychain could not be changed (${failureText('security', outcome)}).`);
  }

  return {
    id: 'system',
    name: 'Login keychain',
    readers: 'Safari, Chrome, Edge, curl, and Firefox (which takes over what you added)',
    changeable: true,
    async list() {
      const outcome = await run(SECURITY, ['find-certificate', '-a', '-c', AUTHORITY_NAME, '-p', keychain]);
      // It answers with a failure when nothing is found.
      const stored = authoritiesIn(outcome.stdout, authority.fingerprint, ({ fingerprint }) =>
        fingerprint.replaceAll(':', ''),
      );
      if (!stored.some(({ fingerprint }) => fingerprint === authority.fingerprint)) return stored;
      const { code } = await run(SECURITY, ['verify-cert', '-c', authority.file, '-p', 'ssl', '-l', '-L', '-q']);
      return stored.map((entry) =>
        entry.fingerprint === authority.fingerprint ? { ...entry, trusted: code === 0 } : entry,
      );
    },
    install: ({ file }) => security(['add-trusted-cert', '-r', 'trustRoot', '-p', 'ssl', '-k', keychain, file]),
    // -t takes the user's trust settings out as well.
    remove: ({ handle }) => security(['delete-certificate', '-t', '-Z', handle, keychain]),
    trustLine: ({ file }) =>
      `security add-trusted-cert -r trustRoot -p ssl -k ${shellWord(keychain)} ${shellWord(file)}`,
    untrustLine: ({ sha1 }) => `security delete-certificate -t -Z ${sha1} ${shellWord(keychain)}`,
  };
}
