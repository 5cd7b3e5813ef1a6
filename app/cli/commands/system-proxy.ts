import type {
  ContractClient,
  PresentSystemProxy,
  SystemProxyChange,
  SystemProxyRestored,
  SystemProxyStatus,
} from '#contract';
import { createContractClient } from '#contract';
import { connectToBackend } from '../../backend/connect-to-backend.ts';
import { defaultDataFolder, describeDataFolder } from '../../backend/data-folder.ts';
import type { DataFolder } from '../../backend/data-folder.ts';
import { findRunningBackend } from '../../backend/ownership.ts';
import { createCommandRunner } from '../../backend/platform/command-runner.ts';
import type { ProxyChange } from '../../backend/platform/system-proxy/change-system-proxy.ts';
import { restore } from '../../backend/platform/system-proxy/change-system-proxy.ts';
import { chooseSystemProxy } from '../../backend/platform/system-proxy/choose-platform.ts';
import type { SystemProxyPlatform } from '../../backend/platform/system-proxy/system-proxy.ts';
import { placeText } from '../../backend/platform/system-proxy/system-proxy.ts';
import { openSystemProxyJournal } from '../../backend/system-proxy-journal.ts';
import { parseArguments, parseChoice } from '../arguments.ts';
import { print } from '../output.ts';
import { CommandError, UsageError } from '../usage.ts';

/** `weir system-proxy on|off|status|restore` */
export async function systemProxy(args: readonly string[]): Promise<number> {
  const [word] = args;
  if (word === undefined) throw new UsageError('`weir system-proxy` is followed by on, off, status or restore.');
  const action = parseChoice('`weir system-proxy`', word, ['on', 'off', 'status', 'restore']);
  const { values } = parseArguments(args.slice(1), {
    data: { type: 'string' },
    json: { type: 'boolean', default: false },
    bypass: { type: 'string', multiple: true, default: [] },
    chain: { type: 'boolean', default: false },
  });
  if (action !== 'on' && (values.bypass.length > 0 || values.chain)) {
    throw new UsageError('--bypass and --chain belong to `weir system-proxy on`.');
  }
  const folder = describeDataFolder(values.data ?? defaultDataFolder());
  const bypass = values.bypass.flatMap((list) => list.split(',')).filter((host) => host.trim() !== '');
  const wish = { ...(bypass.length === 0 ? {} : { bypass }), chain: values.chain };
  const running = findRunningBackend(folder);
  const client = running === null ? null : createContractClient(await connectToBackend(running));
  try {
    switch (action) {
      case 'on':
        await printStatus(await turnOn(client, wish), values.json);
        break;
      case 'status':
        await printStatus(await (client?.call('systemProxy.status', {}) ?? readStatus(folder)), values.json);
        break;
      default:
        await printRestored(await (client?.call('systemProxy.off', {}) ?? restoreHere(folder)), values.json);
    }
  } finally {
    client?.close();
  }
  return 0;
}

function turnOn(
  client: ContractClient | null,
  wish: { bypass?: string[]; chain: boolean },
): Promise<SystemProxyStatus> {
  if (client !== null) return client.call('systemProxy.on', wish);
  throw new CommandError(
    'No Weir runs on this data folder, so there is nothing that programs could be sent to. Start `weir serve` or `weir open` first.',
  );
}

/** The settings as they are, when no Weir runs that knows more. */
async function readStatus(folder: DataFolder): Promise<SystemProxyStatus> {
  const platform = platformHere();
  const record = openSystemProxyJournal(folder.systemProxyFile).read();
  const off = { changes: [], foreign: [], bypass: record?.bypass ?? [], otherProxy: null, exchanges: null };
  if (typeof platform === 'string') {
    return { platform: null, unsupported: platform, on: record !== null, reached: false, present: null, ...off };
  }
  const present = platform.describe(await platform.read());
  return { platform: platform.name, unsupported: null, on: record !== null, reached: false, present, ...off };
}

/** What an earlier Weir left behind, put back without one that runs. */
async function restoreHere(folder: DataFolder): Promise<SystemProxyRestored> {
  const platform = platformHere();
  if (typeof platform === 'string') throw new CommandError(platform);
  const plan = await restore(platform, openSystemProxyJournal(folder.systemProxyFile), null);
  const inWords = ({ from, to }: ProxyChange): SystemProxyChange => ({
    setting: to.label,
    from: from.value,
    to: to.value,
  });
  return { restored: (plan?.changes ?? []).map(inWords), kept: (plan?.kept ?? []).map(inWords) };
}

function platformHere(): SystemProxyPlatform | string {
  return chooseSystemProxy(process.platform, process.env, createCommandRunner(process.env));
}

async function printStatus(status: SystemProxyStatus, json: boolean): Promise<void> {
  if (json) {
    await print(`${JSON.stringify(status)}\n`);
    return;
  }
  const { platform, unsupported, on, reached, present, otherProxy } = status;
  const lines = [
    `system proxy  ${on ? 'on' : 'off'}`,
    `settings of   ${platform ?? unsupported ?? 'an unknown desktop'}`,
    ...(present === null ? [] : [`now           ${presentText(present)}${reached ? ' (this Weir)' : ''}`]),
    ...(on && !reached
      ? ['              Somebody else changed the settings since; turning off leaves that alone.']
      : []),
    ...(otherProxy === null ? [] : [`other proxy   ${otherProxy} (--chain makes it the upstream proxy)`]),
  ];
  await print(`${lines.join('\n')}\n`);
}

function presentText({ kind, http, https, socks }: PresentSystemProxy): string {
  if (kind === 'off') return 'no proxy';
  if (kind === 'automatic') return 'a script or discovery decides';
  const places = Object.entries({ http, https, socks }).flatMap(([name, place]) =>
    place === null ? [] : [`${name} ${placeText(place)}`],
  );
  return places.join(', ') || 'a proxy without an address';
}

async function printRestored({ restored, kept }: SystemProxyRestored, json: boolean): Promise<void> {
  if (json) {
    await print(`${JSON.stringify({ restored, kept })}\n`);
    return;
  }
  const lines = [
    ...(restored.length === 0 ? ['Nothing had to be put back.'] : []),
    ...restored.map(({ setting, to }) => `put back  ${setting}: ${to === '' ? 'not set' : to}`),
    ...kept.map(({ setting, from }) => `left      ${setting}: ${from} (somebody else changed it)`),
  ];
  await print(`${lines.join('\n')}\n`);
}
