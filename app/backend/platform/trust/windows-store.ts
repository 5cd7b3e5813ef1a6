import type { CommandRunner } from '../command-runner.ts';
import { failureText } from '../command-runner.ts';
import { authoritiesIn } from './trust-authority.ts';
import type { TrustStore } from './trust-store.ts';
import { TrustError } from './trust-store.ts';

/** certutil writes in the language of the system, so that certificates are read by PowerShell. */
const READ = `Get-ChildItem Cert:\\CurrentUser\\Root | ForEach-Object { '-----BEGIN CERTIFICATE-----'; [Convert]::ToBase64String($_.RawData); '-----END CERTIFICATE-----' }`;

/** The root store of a user of Windows. Windows shows the certificate and asks before it adds one. */
export function windowsStore(known: string, run: CommandRunner): TrustStore {
  async function certutil(args: readonly string[]): Promise<void> {
    const outcome = await run('certutil.exe', args);
    if (outcome.code === 0) return;
    throw new TrustError(`The user's root store could not be changed (${failureText('certutil', outcome)}).`);
  }

  return {
    id: 'system',
    name: 'Root certificates of this user',
    readers: 'Edge, Chrome, PowerShell, .NET, curl, and Firefox (which takes over what you added)',
    changeable: true,
    async list() {
      const outcome = await run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', READ]);
      if (outcome.code !== 0) {
        throw new TrustError(`The user's root store cannot be read (${failureText('PowerShell', outcome)}).`);
      }
      return authoritiesIn(outcome.stdout, known, ({ fingerprint }) => fingerprint.replaceAll(':', ''));
    },
    install: ({ file }) => certutil(['-user', '-f', '-addstore', 'Root', file]),
    remove: ({ handle }) => certutil(['-user', '-delstore', 'Root', handle]),
    trustLine: ({ file }) => `certutil -user -addstore Root "${file}"`,
    untrustLine: ({ sha1 }) => `certutil -user -delstore Root ${sha1}`,
  };
}
