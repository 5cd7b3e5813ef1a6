import type { ContractClient } from '#contract';
import { createContractClient } from '#contract';
import { connectToBackend } from '../backend/connect-to-backend.ts';
import type { Backend } from '../backend/create-backend.ts';
import { createBackend } from '../backend/create-backend.ts';
import type { DataFolder } from '../backend/data-folder.ts';
import { defaultDataFolder, prepareDataFolder } from '../backend/data-folder.ts';
import type { Ownership } from '../backend/ownership.ts';
import { claimDataFolder, isOwnership } from '../backend/ownership.ts';
import { PAGES_FOLDER } from '../backend/place.ts';
import { readCertificateFiles } from './origin-certificates.ts';
import { tell } from './output.ts';
import { CommandError } from './usage.ts';

/** What is still under way when a command has ended gets this long, ms. */
export const DRAIN_MS = 1_000;

/** A backend that lives as long as one command, with a proxy listener on a free port. */
export function startShortBackend(
  folder: DataFolder,
  ownership: Ownership,
  authorities: readonly string[],
): Promise<Backend> {
  return createBackend({
    folder,
    ownership,
    listeners: [{ mode: { kind: 'proxy' }, host: '127.0.0.1', port: 0 }],
    control: { host: '127.0.0.1', port: 0, pages: PAGES_FOLDER },
    otherPorts: { listeners: false, control: false },
    workers: 1,
    capture: true,
    insecure: false,
    originCertificateAuthorities: authorities,
    ownCertificate: null,
    settings: {},
    keyLogFile: process.env['SSLKEYLOGFILE'] ?? null,
    capabilities: { windowChrome: 'none', openBrowser: true, saveFile: false },
    report: tell,
  });
}

/** A running Weir was started with its own trust in origins; a command cannot add to it. */
export function refuseAuthorities(pid: number): CommandError {
  return new CommandError(
    `A Weir runs on this data folder already (process ${String(pid)}) and --origin-ca cannot be added to it. ` +
      'Start that one with --origin-ca, or name another folder with --data.',
  );
}

/**
 * Does one piece of work at the backend of a data folder: the one that runs there, or one that lives as long as the work.
 *
 * @param data value of `--data`
 * @param originCas values of `--origin-ca`
 */
export async function withBackend<Result>(
  data: string | undefined,
  originCas: readonly string[],
  work: (client: ContractClient) => Promise<Result>,
): Promise<Result> {
  const authorities = readCertificateFiles('--origin-ca', originCas);
  const folder = prepareDataFolder(data ?? defaultDataFolder());
  const claim = await claimDataFolder(folder);
  const backend = isOwnership(claim) ? await startShortBackend(folder, claim, authorities) : null;
  try {
    if (!isOwnership(claim) && authorities.length > 0) throw refuseAuthorities(claim.pid);
    const running = isOwnership(claim) ? null : claim;
    const place = running ?? { pid: process.pid, url: backend?.control.url ?? '', token: backend?.control.token ?? '' };
    const client = createContractClient(await connectToBackend(place));
    try {
      return await work(client);
    } finally {
      client.close();
    }
  } finally {
    await backend?.stop(DRAIN_MS);
  }
}
