import { constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { ContractError, type TerminalShell, type TerminalWindowInfo } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import { terminalLine } from '../platform/terminal-script.ts';
import type { TerminalPlan, TerminalSurroundings } from '../platform/terminal-window.ts';
import { openTerminal, planTerminal, TerminalError } from '../platform/terminal-window.ts';
import type { CallHandlers } from '../transport/server.ts';
import { prepareTerminalScripts, type PreparedScripts } from './app.ts';

/** What the Setup page tells a person to paste and to scan, and the terminal windows that it opens. */
export function createSetupCalls(core: BackendCore): Pick<CallHandlers, 'setup.ways' | 'setup.openTerminal'> {
  const surroundings: TerminalSurroundings = { platform: process.platform, environment: process.env, isExecutable };

  function plan(shell: TerminalShell, scripts: PreparedScripts | null): Promise<TerminalPlan> {
    if (scripts !== null) return planTerminal(shell, scripts.folder, surroundings);
    return Promise.resolve({ window: null, reason: 'No listener of this Weir is a proxy. Add one with --mode proxy.' });
  }

  return {
    async 'setup.ways'() {
      const scripts = await prepareTerminalScripts(core);
      const line = (shell: TerminalShell): string => (scripts === null ? '' : terminalLine(shell, scripts.folder));
      const window = async (shell: TerminalShell): Promise<TerminalWindowInfo> => {
        const { window: found, reason } = await plan(shell, scripts);
        return found === null ? { name: null, reason } : { name: found.name, reason: null };
      };
      const [posix, fish, powershell, cmd] = await Promise.all([
        window('posix'),
        window('fish'),
        window('powershell'),
        window('cmd'),
      ]);
      return {
        terminalLines: {
          posix: line('posix'),
          fish: line('fish'),
          powershell: line('powershell'),
          cmd: line('cmd'),
        },
        terminalWindows: { posix, fish, powershell, cmd },
        trustBundle: scripts?.trustBundle ?? '',
        addresses: ownAddresses(),
      };
    },
    async 'setup.openTerminal'({ shell }) {
      // Written anew: proxy and authority may have changed since.
      const scripts = await prepareTerminalScripts(core);
      const { window, reason } = await plan(shell, scripts);
      if (window === null || scripts === null) throw new ContractError('unavailable', reason ?? '');
      try {
        await openTerminal(window, scripts.folder, process.env);
      } catch (error: unknown) {
        if (error instanceof TerminalError) throw new ContractError('unavailable', error.message);
        throw error;
      }
      return { name: window.name };
    },
  };
}

/** On Windows `wt` is an alias of a kind that only says that it is there. */
async function isExecutable(path: string): Promise<boolean> {
  const look = process.platform === 'win32' ? lstat(path) : access(path, constants.X_OK);
  return look.then(
    () => true,
    () => false,
  );
}

/** IPv4 alone: a short address is what a person can type where a camera does not help. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
}
