import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Where everything of one Weir lies. Every folder is 0700 and every file 0600. */
export interface DataFolder {
  /** Absolute path. */
  readonly path: string;
  readonly certificateAuthority: string;
  /** Its certificate, PEM. */
  readonly certificateAuthorityFile: string;
  readonly store: string;
  /** Files by which programs are told to trust our authority. */
  readonly trust: string;
  /** Results of benchmarks. */
  readonly bench: string;
  readonly settingsFile: string;
  /** Certificates for origins that ask for one, with their keys. */
  readonly clientCertificatesFile: string;
  /** Files that describe messages of Protocol Buffers. */
  readonly protos: string;
  /** What the system proxy was before Weir changed it; there while it is on. */
  readonly systemProxyFile: string;
  /** Tells other processes of the user who runs on this folder: pid, control URL, token. */
  readonly lockFile: string;
  /** The system's lock on this file says whether somebody runs on this folder. */
  readonly ownerFile: string;
}

/** Thrown with a message for a person when the data folder cannot be used. */
export class DataFolderError extends Error {
  override readonly name = 'DataFolderError';
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The data folder when none is named: `WEIR_DATA`, else the platform's place for a user's data.
 *
 * @param platform as `process.platform`
 */
export function defaultDataFolder(
  platform: string = process.platform,
  environment: Environment = process.env,
  home: string = homedir(),
): string {
  const chosen = environment['WEIR_DATA'];
  if (chosen !== undefined && chosen !== '') return resolve(chosen);
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Weir');
  if (platform === 'win32') return join(environment['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Weir');
  // The XDG specification: relative paths are invalid and ignored.
  const base = environment['XDG_DATA_HOME'];
  return join(base?.startsWith('/') === true ? base : join(home, '.local', 'share'), 'weir');
}

/** Names the parts of a data folder without touching the disk. */
export function describeDataFolder(path: string): DataFolder {
  const absolute = resolve(path);
  return {
    path: absolute,
    certificateAuthority: join(absolute, 'ca'),
    certificateAuthorityFile: join(absolute, 'ca', 'weir-ca.pem'),
    store: join(absolute, 'store'),
    trust: join(absolute, 'trust'),
    bench: join(absolute, 'bench'),
    settingsFile: join(absolute, 'settings.json'),
    clientCertificatesFile: join(absolute, 'client-certificates.json'),
    protos: join(absolute, 'protos'),
    systemProxyFile: join(absolute, 'system-proxy.json'),
    lockFile: join(absolute, 'weir.lock'),
    ownerFile: join(absolute, 'weir.owner'),
  };
}

/**
 * Creates the data folder where it is missing and makes it private.
 *
 * @throws DataFolderError when that is impossible
 */
export function prepareDataFolder(path: string): DataFolder {
  const folder = describeDataFolder(path);
  try {
    mkdirSync(folder.path, { recursive: true, mode: 0o700 });
    // A folder that was there keeps its mode in mkdir; the key and the traffic in it are nobody else's business.
    if (process.platform !== 'win32' && (statSync(folder.path).mode & 0o077) !== 0) chmodSync(folder.path, 0o700);
  } catch (error: unknown) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataFolderError(`The data folder ${folder.path} cannot be used: ${reason}. Name another with --data.`, {
      cause: error,
    });
  }
  return folder;
}
