import type { ListenerInfo } from '#contract';
import { createContractClient } from '#contract';
import { connectToBackend, requestPageUrl } from '../../backend/connect-to-backend.ts';
import type { BackendOptions } from '../../backend/create-backend.ts';
import { createBackend } from '../../backend/create-backend.ts';
import { defaultDataFolder, prepareDataFolder } from '../../backend/data-folder.ts';
import type { DataFolder } from '../../backend/data-folder.ts';
import { DEFAULT_CONTROL } from '../../backend/default-addresses.ts';
import type { RunningBackend } from '../../backend/ownership.ts';
import { claimDataFolder, isOwnership } from '../../backend/ownership.ts';
import { PAGES_FOLDER } from '../../backend/place.ts';
import { readSettingsFile } from '../../backend/settings-keeper.ts';
import { parseArguments, parseNumber } from '../arguments.ts';
import { listenForExit } from '../exit-signal.ts';
import { parseAddress, planListeners } from '../listener-spec.ts';
import { readCertificateFiles, readTextFile } from '../origin-certificates.ts';
import { print, tell } from '../output.ts';
import { CommandError, UsageError } from '../usage.ts';

/** Exchanges that are under way may take this long to finish once the process is asked to end. */
const DRAIN_MS = 3_000;
const MOST_WORKERS = 64;

/** What there is to say once everything accepts. */
interface Ready {
  readonly listeners: readonly ListenerInfo[];
  /** URL of the inspector; null without one. */
  readonly ui: string | null;
  /** PEM file of the certificate authority. */
  readonly ca: string;
  /** The process whose listeners these are, when it is another one. */
  readonly attachedTo: number | null;
}

/** `weir serve` */
export async function serve(args: readonly string[]): Promise<number> {
  const wish = readWish(args);
  const exit = listenForExit();
  const folder = prepareDataFolder(wish.data ?? defaultDataFolder());
  const claim = await claimDataFolder(folder);
  if (!isOwnership(claim)) return attach(claim, folder, wish, exit.requested);
  const backend = await createBackend({ ...optionsOf(wish), folder, ownership: claim, report: tell });
  await announce(wish, folder, {
    listeners: backend.listeners,
    ui: wish.pages ? backend.control.createPageUrl() : null,
    ca: backend.authorityFile,
    attachedTo: null,
  });
  await exit.requested;
  await backend.stop(DRAIN_MS);
  return 0;
}

type Wish = ReturnType<typeof readWish>;

/** Reads the arguments and the files that they name. */
function readWish(args: readonly string[]) {
  const { values } = parseArguments(args, {
    listen: { type: 'string', multiple: true, default: [] },
    mode: { type: 'string', multiple: true, default: [] },
    ui: { type: 'string' },
    'no-ui': { type: 'boolean', default: false },
    data: { type: 'string' },
    workers: { type: 'string' },
    config: { type: 'string' },
    insecure: { type: 'boolean', default: false },
    'origin-ca': { type: 'string', multiple: true, default: [] },
    cert: { type: 'string' },
    key: { type: 'string' },
    'no-capture': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  const { ui, cert, key, config } = values;
  if (ui !== undefined && values['no-ui']) throw new UsageError('--ui and --no-ui exclude each other.');
  if ((cert === undefined) !== (key === undefined)) throw new UsageError('--cert and --key belong together.');
  return {
    data: values.data,
    json: values.json,
    listeners: planListeners(values.listen, values.mode),
    namesListeners: values.listen.length + values.mode.length > 0,
    ui: ui === undefined ? null : parseAddress('--ui', ui),
    pages: !values['no-ui'],
    workers: usableWorkers(parseNumber('--workers', values.workers ?? '1', 1, MOST_WORKERS)),
    settings: config === undefined ? {} : readSettingsFile(config),
    insecure: values.insecure,
    originCertificateAuthorities: readCertificateFiles('--origin-ca', values['origin-ca']),
    ownCertificate:
      cert === undefined || key === undefined
        ? null
        : { certificate: readCertificateFiles('--cert', [cert]).join(''), key: readTextFile('--key', key) },
    capture: !values['no-capture'],
    /** Options that only the process that starts a backend can give it. */
    ofStarter: ['workers', 'config', 'insecure', 'origin-ca', 'cert', 'ui', 'no-ui'].filter((name) => {
      const value = values[name as keyof typeof values];
      return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
    }),
  };
}

/** Only Linux lets several listeners share one port in the way that spreads connections. */
function usableWorkers(wanted: number): number {
  if (wanted === 1 || process.platform === 'linux') return wanted;
  tell('One engine thread is used: this platform does not let several share a port.');
  return 1;
}

function optionsOf(wish: Wish): Omit<BackendOptions, 'folder' | 'ownership' | 'report'> {
  const { listeners, workers, capture, insecure, originCertificateAuthorities, ownCertificate, settings } = wish;
  // Without an inspector other commands still need a way to this process.
  const control = wish.pages ? (wish.ui ?? DEFAULT_CONTROL) : { host: DEFAULT_CONTROL.host, port: 0 };
  return {
    listeners,
    control: { ...control, pages: wish.pages ? PAGES_FOLDER : null },
    otherPorts: { listeners: false, control: wish.ui === null },
    workers,
    capture,
    insecure,
    originCertificateAuthorities,
    ownCertificate,
    settings,
    keyLogFile: process.env['SSLKEYLOGFILE'] ?? null,
    capabilities: { windowChrome: 'none', openBrowser: true, saveFile: false },
  };
}

/** Adds this process's listeners to the Weir that runs on the data folder, for as long as this process lives. */
async function attach(
  running: RunningBackend,
  folder: DataFolder,
  wish: Wish,
  exitRequested: Promise<void>,
): Promise<number> {
  const pid = String(running.pid);
  if (!wish.capture) {
    throw new CommandError(
      `A Weir that captures runs on ${folder.path} already (process ${pid}), so --no-capture is not possible. ` +
        'Stop it first, or name another folder with --data.',
    );
  }
  const client = createContractClient(await connectToBackend(running));
  const listeners = await new Promise<readonly ListenerInfo[]>((resolve, reject) => {
    if (wish.namesListeners) {
      client.stream(
        'listeners.hold',
        { listeners: wish.listeners },
        {
          items: (items) => {
            resolve(items.flatMap((item) => item.listeners));
          },
          gap: () => undefined,
          ended: (failure) => {
            reject(failure ?? new CommandError('The listeners were closed.'));
          },
        },
      );
    } else {
      client.stream(
        'app.status',
        {},
        {
          items: (items) => {
            resolve(items.at(-1)?.listeners ?? []);
          },
          gap: () => undefined,
          ended: (failure) => {
            reject(failure ?? new CommandError('The running Weir is ending.'));
          },
        },
      );
    }
  });
  tell(`Attached to the Weir that runs on ${folder.path} (process ${pid}).`);
  if (wish.ofStarter.length > 0) {
    const names = wish.ofStarter.map((name) => `--${name}`).join(', ');
    tell(`Not applied, since that Weir was started without this command: ${names}.`);
  }
  await announce(wish, folder, {
    listeners,
    ui: wish.pages ? await requestPageUrl(running) : null,
    ca: folder.certificateAuthorityFile,
    attachedTo: running.pid,
  });
  const gone = new Promise<'gone'>((resolve) => {
    client.onClose(() => {
      resolve('gone');
    });
  });
  const end = await Promise.race([gone, exitRequested]);
  client.close();
  if (end !== 'gone') return 0;
  throw new CommandError(`The Weir that this one was attached to (process ${pid}) has ended.`);
}

async function announce(wish: Wish, folder: DataFolder, ready: Ready): Promise<void> {
  const { listeners, ui, ca, attachedTo } = ready;
  for (const { address, port } of listeners) {
    if (!isLoopback(address)) tell(`Other machines can reach the listener ${address}:${String(port)}.`);
  }
  if (wish.json) {
    const line = {
      ready: true,
      listeners: listeners.map(({ mode, address, port }) => ({ mode, address, port })),
      ui: ui === null ? null : { url: ui },
      ca,
      data: folder.path,
      pid: process.pid,
      ...(attachedTo === null ? {} : { attachedTo }),
    };
    await print(`${JSON.stringify(line)}\n`);
    return;
  }
  for (const { mode, address, port } of listeners) tell(`${mode} listens on ${bracketed(address)}:${String(port)}`);
  if (ui !== null) tell(`inspector: ${ui}`);
  tell(`certificate authority: ${ca}`);
  tell(`data folder: ${folder.path}`);
}

function isLoopback(address: string): boolean {
  return /^(?:127\.|::1$|::ffff:127\.)/.test(address);
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}
