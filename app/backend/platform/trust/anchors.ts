import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandRunner } from '../command-runner.ts';
import { failureText } from '../command-runner.ts';
import { shellWord } from '../shell-word.ts';
import { isFile } from './is-file.ts';
import { authoritiesIn } from './trust-authority.ts';
import type { TrustAuthority, TrustStore } from './trust-store.ts';
import { TrustError } from './trust-store.ts';

/** How one family of distributions keeps the authorities of the machine. */
export interface AnchorLayout {
  readonly name: string;
  /** Folder for certificates of the administrator. */
  readonly folder: string;
  readonly suffix: string;
  /** Program and arguments that put a change into force. */
  readonly update: readonly [program: string, ...args: string[]];
  /** More arguments after a certificate was taken out: Debian leaves its links otherwise. */
  readonly afterRemoval: readonly string[];
  /** What programs read: every trusted certificate, PEM. */
  readonly bundle: string;
  /**
   * Debian tells Java of what was added and never of what went, so that Java would go on trusting it: its hook takes lines
   * like `-PATH`. Null elsewhere, and where Java is not.
   */
  readonly javaHook: { readonly program: string; readonly certificates: string } | null;
}

const READERS = 'curl, wget, git, Python, PHP, Ruby, Go, GNOME apps; Java where the distribution links it';

/** In the order in which they are looked for: the folder decides. */
const LAYOUTS: readonly AnchorLayout[] = [
  {
    name: 'Debian and Ubuntu',
    folder: '/usr/local/share/ca-certificates',
    suffix: '.crt',
    update: ['update-ca-certificates'],
    afterRemoval: ['--fresh'],
    bundle: '/etc/ssl/certs/ca-certificates.crt',
    javaHook: { program: '/etc/ca-certificates/update.d/jks-keystore', certificates: '/etc/ssl/certs' },
  },
  {
    name: 'Fedora and RHEL',
    folder: '/etc/pki/ca-trust/source/anchors',
    suffix: '.pem',
    update: ['update-ca-trust'],
    afterRemoval: [],
    bundle: '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
    javaHook: null,
  },
  {
    name: 'Arch',
    folder: '/etc/ca-certificates/trust-source/anchors',
    suffix: '.crt',
    update: ['update-ca-trust'],
    afterRemoval: [],
    bundle: '/etc/ca-certificates/extracted/tls-ca-bundle.pem',
    javaHook: null,
  },
  {
    name: 'openSUSE',
    folder: '/etc/pki/trust/anchors',
    suffix: '.pem',
    update: ['update-ca-certificates'],
    afterRemoval: [],
    bundle: '/etc/ssl/ca-bundle.pem',
    javaHook: null,
  },
];

/** The layout of this distribution; null when it has none that we know. */
export async function findAnchorLayout(): Promise<AnchorLayout | null> {
  for (const layout of LAYOUTS) {
    const isThere = await stat(layout.folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isThere) continue;
    const { javaHook } = layout;
    return { ...layout, javaHook: javaHook !== null && (await isFile(javaHook.program)) ? javaHook : null };
  }
  return null;
}

/**
 * The trust of a whole Linux machine. Weir changes it only as root; anyone else gets the line to run.
 *
 * @param known fingerprint of our authority, found whatever its name is
 */
export function anchorStore(layout: AnchorLayout, known: string, asRoot: boolean, run: CommandRunner): TrustStore {
  const nameOf = (fingerprint: string): string =>
    `weir-ca-${fingerprint.replaceAll(':', '').slice(0, 8).toLowerCase()}`;
  const pathOf = (fingerprint: string): string => join(layout.folder, `${nameOf(fingerprint)}${layout.suffix}`);
  const [program, ...args] = layout.update;
  const { javaHook } = layout;
  /** What Java's hook is told of a certificate that went. */
  const gone = (certificates: string, fingerprint: string): string =>
    `-${join(certificates, `${nameOf(fingerprint)}.pem`)}`;
  const updateLine = layout.update.map(shellWord).join(' ');

  async function update(more: readonly string[]): Promise<void> {
    const outcome = await run(program, [...args, ...more]);
    if (outcome.code !== 0)
      throw new TrustError(`The machine's trust could not be renewed: ${failureText(program, outcome)}.`);
  }

  async function asAdministrator(line: string, more: readonly string[], work: () => Promise<void>): Promise<void> {
    if (!asRoot) throw new TrustError(`Only the administrator of this machine can change its trust. Run: ${line}`);
    try {
      await work();
    } catch (error: unknown) {
      if (error instanceof TrustError) throw error;
      throw new TrustError(
        `${layout.folder} could not be changed: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    await update(more);
  }

  const trustLine = ({ file, fingerprint }: TrustAuthority): string =>
    `sudo install -D -m 644 ${shellWord(file)} ${shellWord(pathOf(fingerprint))} && sudo ${updateLine}`;
  const untrustLine = ({ fingerprint }: { readonly fingerprint: string }): string => {
    const line = `sudo rm ${shellWord(pathOf(fingerprint))} && sudo ${[updateLine, ...layout.afterRemoval].join(' ')}`;
    if (javaHook === null) return line;
    return `${line} && echo ${shellWord(gone(javaHook.certificates, fingerprint))} | sudo ${shellWord(javaHook.program)}`;
  };

  async function tellJava(fingerprint: string): Promise<void> {
    if (javaHook === null) return;
    const outcome = await run(javaHook.program, [], `${gone(javaHook.certificates, fingerprint)}\n`);
    if (outcome.code !== 0)
      throw new TrustError(
        `Java may go on trusting it (${failureText(javaHook.program, outcome)}). Take it out by: sudo keytool -delete -cacerts -storepass changeit -alias debian:${nameOf(fingerprint)}.pem`,
      );
  }

  return {
    id: 'system',
    name: `This machine (${layout.name})`,
    readers: READERS,
    changeable: asRoot,
    async list() {
      const bundle = await readFile(layout.bundle, 'utf8').catch(() => '');
      return authoritiesIn(bundle, known, ({ fingerprint256 }) => fingerprint256);
    },
    install: (authority) =>
      asAdministrator(trustLine(authority), [], async () => {
        await mkdir(layout.folder, { recursive: true });
        await writeFile(pathOf(authority.fingerprint), authority.pem, { mode: 0o644 });
      }),
    async remove({ fingerprint }) {
      const work = (): Promise<void> => rm(pathOf(fingerprint), { force: true });
      await asAdministrator(untrustLine({ fingerprint }), layout.afterRemoval, work);
      await tellJava(fingerprint);
    },
    trustLine,
    untrustLine,
  };
}
