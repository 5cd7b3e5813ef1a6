import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from '../child.ts';
import type { Peer, PeerSetting, RunningPeer } from './peer.ts';

/** What is measured is what ships: the build. */
const PROGRAM = fileURLToPath(new URL('../../out/main/cli.js', import.meta.url));

interface Ready {
  readonly listeners: readonly { readonly port: number }[];
}

/**
 * Weir itself, one engine worker.
 *
 * @param role `reverse` in front of the plain origin, or `explicit` with interception of TLS
 */
export function weir(role: 'reverse' | 'explicit', capture: boolean): Peer {
  return {
    name: `Weir, capture ${capture ? 'on' : 'off'}`,
    missing: () => (existsSync(PROGRAM) ? null : 'Weir is not built (npm run build)'),
    start: (setting) => start(setting, role, capture),
  };
}

async function start(setting: PeerSetting, role: 'reverse' | 'explicit', capture: boolean): Promise<RunningPeer> {
  const mode =
    role === 'reverse' ? `reverse:http://127.0.0.1:${setting.originPlainPort}@127.0.0.1:0` : 'proxy@127.0.0.1:0';
  const args = [PROGRAM, 'serve', '--json', '--no-ui', '--data', join(setting.folder, 'data'), '--mode', mode];
  args.push('--origin-ca', setting.originCaFile);
  if (!capture) args.push('--no-capture');
  const child = startChild(process.execPath, args, setting.cores);
  const ready = JSON.parse(await child.nextLine()) as Ready;
  const port = ready.listeners[0]?.port;
  if (port === undefined) throw new Error('Weir reported no listener.');
  return { child, port };
}
