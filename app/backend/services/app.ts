import { join } from 'node:path';
import type { BackendCore } from '../backend-core.ts';
import { systemRoots } from '../platform/system-roots.ts';
import { terminalEnvironment } from '../platform/terminal-environment.ts';
import { likelyShell, terminalLine, writeTerminalScripts } from '../platform/terminal-script.ts';
import { writeTrustFiles } from '../platform/trust-files.ts';
import { readVersion } from '../place.ts';
import { proxyAddress } from '../proxy-address.ts';
import type { CallHandlers, StreamHandlers } from '../transport/server.ts';

export function createAppCalls(core: BackendCore): Pick<CallHandlers, 'app.info'> {
  return {
    async 'app.info'() {
      return {
        version: readVersion(),
        platform: process.platform,
        dataFolder: core.folder.path,
        capabilities: core.capabilities,
        terminalLine: await prepareTerminalLine(core),
      };
    },
  };
}

export function createAppStreams(core: BackendCore): Pick<StreamHandlers, 'app.status'> {
  return {
    'app.status'(_input, sink, { signal }) {
      const stop = core.status.watch((status) => {
        sink.push(status);
      });
      signal.addEventListener('abort', stop, { once: true });
    },
  };
}

/** Writes what the line refers to and returns the line; empty when no listener is a proxy. */
async function prepareTerminalLine(core: BackendCore): Promise<string> {
  const scripts = await prepareTerminalScripts(core);
  return scripts === null ? '' : terminalLine(likelyShell(process.platform, process.env['SHELL']), scripts.folder);
}

/** The scripts of the terminal lines, as they are on the disk. */
export interface PreparedScripts {
  readonly folder: string;
  /** PEM of everything that programs shall trust. */
  readonly trustBundle: string;
}

/** Writes a script for each shell; null when no listener is a proxy. */
export async function prepareTerminalScripts(core: BackendCore): Promise<PreparedScripts | null> {
  const { folder, engine, authority, settings } = core;
  const proxy = proxyAddress(engine.listeners);
  if (proxy === null) return null;
  const trust = await writeTrustFiles({
    folder: folder.trust,
    authority: authority.pem.certificate,
    systemRoots: await systemRoots(process.platform),
    environment: process.env,
  });
  const scripts = join(folder.path, 'terminal');
  // The shell that reads the script adds to its own environment, which this process does not know.
  await writeTerminalScripts(
    scripts,
    terminalEnvironment({ ...proxy, credentials: settings.current.proxyAuthentication }, trust, {}),
  );
  return { folder: scripts, trustBundle: trust.bundle };
}
