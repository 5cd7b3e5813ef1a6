import { networkInterfaces } from 'node:os';
import type { BackendCore } from '../backend-core.ts';
import { terminalLine } from '../platform/terminal-script.ts';
import type { CallHandlers } from '../transport/server.ts';
import { prepareTerminalScripts } from './app.ts';

/** What the Setup page tells a person to paste and to scan. */
export function createSetupCalls(core: BackendCore): Pick<CallHandlers, 'setup.ways'> {
  return {
    async 'setup.ways'() {
      const scripts = await prepareTerminalScripts(core);
      const line = (shell: Parameters<typeof terminalLine>[0]): string =>
        scripts === null ? '' : terminalLine(shell, scripts);
      const terminalLines = {
        posix: line('posix'),
        fish: line('fish'),
        powershell: line('powershell'),
        cmd: line('cmd'),
      };
      return { terminalLines, addresses: ownAddresses() };
    },
  };
}

/** IPv4 alone: a short address is what a person can type where a camera does not help. */
function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
}
