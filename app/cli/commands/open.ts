import { requestPageUrl } from '../../backend/connect-to-backend.ts';
import { createBackend } from '../../backend/create-backend.ts';
import type { DataFolder } from '../../backend/data-folder.ts';
import { defaultDataFolder, prepareDataFolder } from '../../backend/data-folder.ts';
import { DEFAULT_CONTROL, DEFAULT_LISTENER } from '../../backend/default-addresses.ts';
import { claimDataFolder, isOwnership } from '../../backend/ownership.ts';
import { PAGES_FOLDER } from '../../backend/place.ts';
import { parseArguments } from '../arguments.ts';
import { runDesktop } from '../desktop/run-desktop.ts';
import { listenForExit } from '../exit-signal.ts';
import { openPage, removePageFiles } from '../open-page.ts';
import { tell } from '../output.ts';
import { CommandError } from '../usage.ts';

const DRAIN_MS = 3_000;

/** `weir open`: a window where one is possible, else the inspector in the browser. */
export async function open(args: readonly string[]): Promise<number> {
  const { values } = parseArguments(args, {
    data: { type: 'string' },
    browser: { type: 'boolean', default: false },
  });
  const folder = prepareDataFolder(values.data ?? defaultDataFolder());
  if (!values.browser) {
    const outcome = await runDesktop({ dataFolder: folder.path, say: tell });
    if (outcome.kind === 'ran') return outcome.exitCode;
    tell(`${outcome.why} The inspector opens in the browser.`);
  }
  return openInBrowser(folder);
}

async function openInBrowser(folder: DataFolder): Promise<number> {
  const exit = listenForExit();
  const claim = await claimDataFolder(folder);
  if (!isOwnership(claim)) {
    tell(`Weir runs on ${folder.path} already (process ${String(claim.pid)}).`);
    const url = await requestPageUrl(claim);
    if (url === null) throw new CommandError('That Weir was started without an inspector (--no-ui). Stop it first.');
    await show(folder, url);
    return 0;
  }
  const backend = await createBackend({
    folder,
    ownership: claim,
    listeners: [DEFAULT_LISTENER],
    control: { ...DEFAULT_CONTROL, pages: PAGES_FOLDER },
    otherPorts: { listeners: true, control: true },
    workers: 1,
    capture: true,
    insecure: false,
    originCertificateAuthorities: [],
    ownCertificate: null,
    settings: {},
    keyLogFile: process.env['SSLKEYLOGFILE'] ?? null,
    capabilities: { windowChrome: 'none', openBrowser: true, saveFile: false },
    report: tell,
  });
  for (const { address, port } of backend.listeners) tell(`proxy: ${address}:${String(port)}`);
  await show(folder, backend.control.createPageUrl());
  await exit.requested;
  await backend.stop(DRAIN_MS);
  removePageFiles(folder);
  return 0;
}

async function show(folder: DataFolder, url: string): Promise<void> {
  tell(`inspector: ${url}`);
  if (!(await openPage(folder, url))) tell('No browser could be opened here. Open that address in one.');
}
