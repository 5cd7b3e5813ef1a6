import { homedir } from 'node:os';
import { join } from 'node:path';
import { MAGIC_HOST } from '#engine';
import { ContractError } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import type { BrowserSurroundings } from '../platform/browser.ts';
import { BrowserError } from '../platform/browser.ts';
import { findBrowsers } from '../platform/find-browsers.ts';
import type { RunningBrowser } from '../platform/open-browser.ts';
import { openBrowser } from '../platform/open-browser.ts';
import { WELCOME_PATH } from '../internal-pages/welcome-page.ts';
import { proxyAddress } from '../proxy-address.ts';
import type { CallHandlers } from '../transport/server.ts';

export interface BrowserService {
  readonly calls: Pick<CallHandlers, 'browsers.list' | 'browsers.open'>;
  /** Ends the browsers that were opened: without their proxy they are of no use. */
  close(): Promise<void>;
}

/** Browsers with a fresh profile behind this Weir. */
export function createBrowserService(core: BackendCore): BrowserService {
  const running = new Set<RunningBrowser>();
  const profiles = join(core.folder.path, 'browsers');
  const surroundings: BrowserSurroundings = {
    platform: process.platform,
    environment: process.env,
    home: homedir(),
  };
  return {
    calls: {
      'browsers.list': () => findBrowsers(surroundings),
      async 'browsers.open'({ path, url }) {
        const proxy = proxyAddress(core.engine.listeners);
        if (proxy === null) {
          throw new ContractError('unavailable', 'No listener of this Weir is a proxy. Add one with --mode proxy.');
        }
        const { found, searched } = await findBrowsers(surroundings);
        // Only what was found here is started, whatever path the page names.
        const browser = path === null ? found[0] : found.find((candidate) => candidate.path === path);
        if (browser === undefined) {
          throw new ContractError('no-browser', `No browser was found. Searched: ${searched.join(', ')}.`);
        }
        const opened = await openBrowser({
          browser,
          surroundings,
          profiles,
          proxy,
          authority: core.authority.pem.certificate,
          url: url ?? `https://${MAGIC_HOST}${WELCOME_PATH}`,
          asRoot: process.getuid?.() === 0,
        }).catch(rethrow);
        running.add(opened);
        void opened.closed.finally(() => running.delete(opened));
        return { name: opened.name, pid: opened.pid };
      },
    },
    async close() {
      await Promise.all([...running].map((browser) => browser.close()));
    },
  };
}

function rethrow(error: unknown): never {
  if (error instanceof BrowserError) throw new ContractError('no-browser', error.message);
  throw error;
}
