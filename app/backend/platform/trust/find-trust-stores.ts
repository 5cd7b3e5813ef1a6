import type { CommandRunner } from '../command-runner.ts';
import { anchorStore, findAnchorLayout } from './anchors.ts';
import { macosKeychain } from './macos-keychain.ts';
import { nssStores } from './nss.ts';
import type { TrustAuthority, TrustStore } from './trust-store.ts';
import { windowsStore } from './windows-store.ts';

export interface TrustSurroundings {
  /** As `process.platform`. */
  readonly platform: string;
  /** The user's home folder. */
  readonly home: string;
  readonly asRoot: boolean;
  readonly run: CommandRunner;
}

/** Every store of this user and this machine that programs take their trust from, the machine's first. */
export async function findTrustStores(
  { platform, home, asRoot, run }: TrustSurroundings,
  authority: TrustAuthority,
): Promise<TrustStore[]> {
  if (platform === 'win32') return [windowsStore(authority.fingerprint, run)];
  if (platform === 'darwin') return [macosKeychain(home, authority, run)];
  const layout = await findAnchorLayout();
  const machine = layout === null ? [] : [anchorStore(layout, authority.fingerprint, asRoot, run)];
  return [...machine, ...(await nssStores(home, run))];
}
