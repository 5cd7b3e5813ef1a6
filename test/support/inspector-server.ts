import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createBackend } from '../../app/backend/create-backend.ts';
import type { Backend } from '../../app/backend/create-backend.ts';
import { prepareDataFolder } from '../../app/backend/data-folder.ts';
import { claimDataFolder, isOwnership } from '../../app/backend/ownership.ts';

const run = promisify(execFile);
const BUILD = fileURLToPath(new URL('./build-pages.ts', import.meta.url));

/**
 * Builds the inspector as it ships, into a folder of its own, in a process of its own: what a build needs of memory would
 * otherwise stand in the status bar of every picture.
 * @returns the folder; the caller removes it
 */
export async function buildPages(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-pages-'));
  await run(process.execPath, [BUILD, folder]);
  return folder;
}

/** A whole backend in this process, serving built pages from a fresh data folder. */
export interface InspectorServer {
  readonly backend: Backend;
  /** What it reported, one message each. */
  readonly reports: readonly string[];
  /** An address that lets one page in. */
  pageUrl(): string;
  stop(): Promise<void>;
}

/** @param pages folder of built pages */
export async function startInspectorServer(pages: string): Promise<InspectorServer> {
  const data = await mkdtemp(join(tmpdir(), 'weir-inspector-'));
  const folder = prepareDataFolder(data);
  const ownership = await claimDataFolder(folder);
  if (!isOwnership(ownership)) throw new Error('A fresh data folder is owned by another process.');
  const reports: string[] = [];
  const backend = await createBackend({
    folder,
    ownership,
    listeners: [{ mode: { kind: 'proxy' }, host: '127.0.0.1', port: 0 }],
    control: { host: '127.0.0.1', port: 0, pages },
    otherPorts: { listeners: false, control: false },
    workers: 1,
    capture: true,
    insecure: false,
    originCertificateAuthorities: [],
    ownCertificate: null,
    settings: {},
    keyLogFile: null,
    capabilities: { windowChrome: 'none', openBrowser: true, saveFile: false },
    report: (message) => reports.push(message),
  });
  return {
    backend,
    reports,
    pageUrl: () => backend.control.createPageUrl(),
    async stop() {
      await backend.stop(0);
      await rm(data, { recursive: true, force: true });
    },
  };
}
