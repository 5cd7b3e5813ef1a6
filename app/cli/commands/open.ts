import { resolve } from 'node:path';
import { createContractClient } from '#contract';
import { connectToBackend, requestPageUrl } from '../../backend/connect-to-backend.ts';
import { createBackend } from '../../backend/create-backend.ts';
import type { DataFolder } from '../../backend/data-folder.ts';
import { defaultDataFolder, prepareDataFolder } from '../../backend/data-folder.ts';
import { DEFAULT_CONTROL, DEFAULT_LISTENER } from '../../backend/default-addresses.ts';
import type { RunningBackend } from '../../backend/ownership.ts';
import { claimDataFolder, isOwnership } from '../../backend/ownership.ts';
import { PAGES_FOLDER } from '../../backend/place.ts';
import { isOpenedName } from '../../contract/desktop.ts';
import { parseArguments } from '../arguments.ts';
import { runDesktop } from '../desktop/run-desktop.ts';
import { listenForExit } from '../exit-signal.ts';
import type { ReadableFile } from '../import-file.ts';
import { openReadable, tellReport } from '../import-file.ts';
import { openPage, removePageFiles } from '../open-page.ts';
import { tell } from '../output.ts';
import { CommandError, UsageError } from '../usage.ts';

const DRAIN_MS = 3_000;

/** `weir open [FILE]`: a window where one is possible, else the inspector in the browser; on a file's exchanges with FILE. */
export async function open(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(
    args,
    { data: { type: 'string' }, browser: { type: 'boolean', default: false } },
    ['FILE'],
  );
  const [path] = positionals;
  if (path !== undefined && !isOpenedName(path)) {
    throw new UsageError(
      `\`weir open\` shows .weir and .har files, not ${path}. \`weir import\` reads other kinds too.`,
    );
  }
  const file = path === undefined ? null : await openReadable(path);
  try {
    const folder = prepareDataFolder(values.data ?? defaultDataFolder());
    if (!values.browser) {
      const files = path === undefined ? [] : [resolve(path)];
      const outcome = await runDesktop({ dataFolder: folder.path, files, say: tell });
      if (outcome.kind === 'ran') return outcome.exitCode;
      tell(`${outcome.why} The inspector opens in the browser.`);
    }
    return await openInBrowser(folder, file);
  } finally {
    await file?.close();
  }
}

async function openInBrowser(folder: DataFolder, file: ReadableFile | null): Promise<number> {
  const exit = listenForExit();
  const claim = await claimDataFolder(folder);
  if (!isOwnership(claim)) {
    tell(`Weir runs on ${folder.path} already (process ${String(claim.pid)}).`);
    const url = await requestPageUrl(claim);
    if (url === null) throw new CommandError('That Weir was started without an inspector (--no-ui). Stop it first.');
    await show(folder, url, await importedBy(claim, file, exit.signal));
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
  const { control } = backend;
  const running = { pid: process.pid, url: control.url, token: control.token };
  try {
    await show(folder, control.createPageUrl(), await importedBy(running, file, exit.signal));
    await exit.requested;
  } finally {
    await backend.stop(DRAIN_MS);
    removePageFiles(folder);
  }
  return 0;
}

/** @returns the session that the page should begin with; null for the one that is recorded */
async function importedBy(
  running: RunningBackend,
  file: ReadableFile | null,
  signal: AbortSignal,
): Promise<number | null> {
  if (file === null) return null;
  const client = createContractClient(await connectToBackend(running));
  try {
    const report = await file.importTo(client, signal);
    const done = tellReport(report);
    if (done !== null) tell(done);
    return report.session?.id ?? null;
  } finally {
    client.close();
  }
}

async function show(folder: DataFolder, pageUrl: string, session: number | null): Promise<void> {
  const url = session === null ? pageUrl : `${pageUrl}&session=${String(session)}`;
  tell(`inspector: ${url}`);
  if (!(await openPage(folder, url))) tell('No browser could be opened here. Open that address in one.');
}
