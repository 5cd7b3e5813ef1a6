import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { AppSettings, ContractClient, ListenerInfo } from '#contract';
import { createContractClient } from '#contract';
import { connectToBackend } from '../../backend/connect-to-backend.ts';
import type { DataFolder } from '../../backend/data-folder.ts';
import { defaultDataFolder, prepareDataFolder } from '../../backend/data-folder.ts';
import type { Ownership, RunningBackend } from '../../backend/ownership.ts';
import { claimDataFolder, isOwnership } from '../../backend/ownership.ts';
import { systemRoots } from '../../backend/platform/system-roots.ts';
import { terminalEnvironment } from '../../backend/platform/terminal-environment.ts';
import { writeTrustFiles } from '../../backend/platform/trust-files.ts';
import { proxyAddress } from '../../backend/proxy-address.ts';
import { SettingsKeeper } from '../../backend/settings-keeper.ts';
import { parseArguments } from '../arguments.ts';
import { readCertificateFiles, readTextFile } from '../origin-certificates.ts';
import { tell } from '../output.ts';
import { DRAIN_MS, refuseAuthorities, startShortBackend } from '../short-backend.ts';
import { CommandError, UsageError } from '../usage.ts';

/** What shells answer when a command cannot be run. */
const NOT_FOUND = 127;
const NOT_EXECUTABLE = 126;

/** The Weir that a command runs through. */
interface Way {
  readonly listeners: readonly ListenerInfo[];
  /** What its proxy asks clients for. */
  readonly credentials: AppSettings['proxyAuthentication'];
  end(): Promise<void>;
}

/** `weir run -- COMMAND`: the exit code is the command's. */
export async function run(args: readonly string[]): Promise<number> {
  const split = args.indexOf('--');
  const [command, ...commandArgs] = split === -1 ? [] : args.slice(split + 1);
  if (command === undefined) throw new UsageError('Write the command behind `--`, as in `weir run -- curl URL`.');
  const { values } = parseArguments(args.slice(0, split), {
    data: { type: 'string' },
    'origin-ca': { type: 'string', multiple: true, default: [] },
  });
  const authorities = readCertificateFiles('--origin-ca', values['origin-ca']);
  const folder = prepareDataFolder(values.data ?? defaultDataFolder());
  const claim = await claimDataFolder(folder);
  const way = isOwnership(claim) ? await start(folder, claim, authorities) : await join(claim, authorities.length > 0);
  try {
    return await runCommand(command, commandArgs, await environmentFor(folder, way));
  } finally {
    await way.end();
  }
}

async function start(folder: DataFolder, ownership: Ownership, authorities: readonly string[]): Promise<Way> {
  const backend = await startShortBackend(folder, ownership, authorities);
  const { proxyAuthentication } = new SettingsKeeper(folder.settingsFile, {}, tell).current;
  return { listeners: backend.listeners, credentials: proxyAuthentication, end: () => backend.stop(DRAIN_MS) };
}

/** Uses the proxy of the Weir that runs already; one is opened there for as long as the command runs if it has none. */
async function join(running: RunningBackend, wantsAuthorities: boolean): Promise<Way> {
  if (wantsAuthorities) {
    throw refuseAuthorities(running.pid);
  }
  const client = createContractClient(await connectToBackend(running));
  const present = await readListeners(client);
  const listeners = proxyAddress(present) === null ? await holdProxy(client) : present;
  const { proxyAuthentication } = await client.call('settings.get', {});
  return {
    listeners,
    credentials: proxyAuthentication,
    end() {
      client.close();
      return Promise.resolve();
    },
  };
}

function readListeners(client: ContractClient): Promise<readonly ListenerInfo[]> {
  return new Promise((resolve, reject) => {
    const stream = client.stream(
      'app.status',
      {},
      {
        items(items) {
          stream.close();
          resolve(items.at(-1)?.listeners ?? []);
        },
        gap: () => undefined,
        ended: reject,
      },
    );
  });
}

function holdProxy(client: ContractClient): Promise<readonly ListenerInfo[]> {
  return new Promise((resolve, reject) => {
    client.stream(
      'listeners.hold',
      { listeners: [{ mode: { kind: 'proxy' }, host: '127.0.0.1', port: 0 }] },
      {
        items: (items) => {
          resolve(items.flatMap((item) => item.listeners));
        },
        gap: () => undefined,
        ended: reject,
      },
    );
  });
}

async function environmentFor(folder: DataFolder, { listeners, credentials }: Way): Promise<NodeJS.ProcessEnv> {
  const proxy = proxyAddress(listeners);
  if (proxy === null) throw new CommandError('The running Weir has no proxy listener.');
  const trust = await writeTrustFiles({
    folder: folder.trust,
    authority: readTextFile('certificate authority', folder.certificateAuthorityFile),
    systemRoots: await systemRoots(process.platform),
    environment: process.env,
  });
  return { ...process.env, ...terminalEnvironment({ ...proxy, credentials }, trust, process.env) };
}

function runCommand(command: string, args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', env: environment });
    const forward = (signal: NodeJS.Signals): void => {
      // A terminal sends Ctrl-C to the command itself.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, forward);
    child.once('error', (error: NodeJS.ErrnoException) => {
      tell(`${command} cannot be run: ${error.message}`);
      resolve(error.code === 'ENOENT' ? NOT_FOUND : NOT_EXECUTABLE);
    });
    child.once('exit', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}
