import { randomBytes } from 'node:crypto';
import { MessageChannel } from 'node:worker_threads';
import type { EngineCertificates, EngineSettings, ListenerConfig } from '#engine';
import { authorityFacts, DEFAULT_LIMITS, DEFAULT_TIMEOUTS, openAuthorityFolder } from '#engine';
import type { AppSettings, Capabilities, ListenerInfo } from '#contract';
import { ContractError } from '#contract';
import type { BackendAuthority, BackendCore } from './backend-core.ts';
import { ClientPrograms } from './client-programs.ts';
import { ChangeFeed } from './change-feed.ts';
import { ClientCertificates } from './client-certificates.ts';
import { createServices } from './create-services.ts';
import type { DataFolder } from './data-folder.ts';
import type { EngineHost } from './engine-host.ts';
import { startEngines } from './engine-host.ts';
import { createInternalPages } from './internal-pages/internal-pages.ts';
import { MessageFeed } from './message-feed.ts';
import { BENCH_PROGRAM } from './place.ts';
import { createBenchService } from './services/bench.ts';
import type { Ownership } from './ownership.ts';
import { programFinder } from './platform/client-program.ts';
import { createCommandRunner } from './platform/command-runner.ts';
import { chooseSystemProxy } from './platform/system-proxy/choose-platform.ts';
import { createBrowserService } from './services/browsers.ts';
import { createSystemProxyService } from './services/system-proxy.ts';
import { ProtoStore } from './proto-store.ts';
import { readAside } from './protos/read-aside.ts';
import { SettingsKeeper } from './settings-keeper.ts';
import { StatusBoard } from './status-board.ts';
import { openStore } from './store-host.ts';
import type { ControlServer } from './transport/control-server.ts';
import { startControlServer } from './transport/control-server.ts';
import type { Services } from './transport/server.ts';
import { serveContract } from './transport/server.ts';

export interface BackendOptions {
  readonly folder: DataFolder;
  /** The right to run on the folder; given up when the backend stops. */
  readonly ownership: Ownership;
  readonly listeners: readonly ListenerConfig[];
  /** Where the control port listens; `pages` is the folder of the built inspector, or null for the contract alone. */
  readonly control: { readonly host: string; readonly port: number; readonly pages: string | null };
  /** Takes free ports instead of failing where `listeners` or `control` are taken, and reports it. */
  readonly otherPorts: { readonly listeners: boolean; readonly control: boolean };
  /** Number of engine threads. */
  readonly workers: number;
  readonly capture: boolean;
  /** Origins are not verified. */
  readonly insecure: boolean;
  /** PEM texts trusted beside the system's roots towards origins. */
  readonly originCertificateAuthorities: readonly string[];
  /** For reverse listeners and TLS to the proxy itself; forged when null. */
  readonly ownCertificate: EngineCertificates['own'];
  /** Settings of this run that are not stored. */
  readonly settings: Partial<AppSettings>;
  /** File that TLS secrets are appended to, or null. */
  readonly keyLogFile: string | null;
  readonly capabilities: Capabilities;
  /** The program that measures, a script for Node; Weir's own when absent. */
  readonly benchProgram?: string | undefined;
  /** A line for the person who runs this backend. */
  readonly report: (message: string) => void;
}

/** The program that `weir serve` is and that the desktop app hosts. */
export interface Backend {
  /** One for each configured listener, in that order. */
  readonly listeners: readonly ListenerInfo[];
  readonly control: ControlServer;
  /** PEM file of the certificate authority. */
  readonly authorityFile: string;
  readonly services: Services;
  /** Drains the traffic for up to `drainMs`, writes everything and ends. */
  stop(drainMs: number): Promise<void>;
}

/**
 * Starts everything: the store, the certificate authority, the engine's threads, the control port. Nothing runs when it
 * throws.
 *
 * @throws ContractError `conflict` with a message for a person when an address cannot be listened on
 * @throws PkiError when the certificate authority cannot be used
 */
export async function createBackend(options: BackendOptions): Promise<Backend> {
  const undo: (() => Promise<void> | void)[] = [
    () => {
      options.ownership.release();
    },
  ];
  try {
    return await compose(options, undo);
  } catch (error: unknown) {
    for (const step of undo.reverse()) await step();
    throw error;
  }
}

async function compose(options: BackendOptions, undo: (() => Promise<void> | void)[]): Promise<Backend> {
  const { folder, report } = options;
  let status: StatusBoard | null = null;
  let services: Services | null = null;
  let engine: EngineHost | null = null;
  const changes: ChangeFeed = new ChangeFeed((on) => {
    store.watch(on);
  });
  const messages: MessageFeed = new MessageFeed((exchanges) => {
    store.watchMessages(exchanges);
  });
  const opening = openStore(folder.store, {
    changed: (exchanges) => {
      changes.publish(exchanges);
    },
    messages: (committed) => {
      messages.publish(committed);
    },
    session: (session) => status?.sessionChanged(session),
    trouble: (trouble) => {
      report(trouble === null ? 'Recording works again.' : `Recording fails: ${trouble.message} Traffic goes on.`);
      status?.troubleChanged(trouble);
    },
    searchLag: (exchanges) => status?.searchLagChanged(exchanges),
    crashed: (error) => {
      report(`${error.message} It is being started again. ${causeOf(error)}`);
    },
    reopened: ({ session }) => {
      status?.sessionChanged(session);
      engine?.renewCapturePorts();
      retain();
    },
  });
  undo.push(() => opening.then((opened) => opened.close()).catch(() => undefined));
  const [store, authority, control] = await Promise.all([
    opening,
    openAuthority(folder, report),
    openControl(options, (carrier) => {
      if (services === null) carrier.close();
      else
        serveContract(carrier, services, (error) => {
          report(causeOf(error));
        });
    }).then((server) => {
      undo.push(() => server.close());
      return server;
    }),
  ]);

  const settings = new SettingsKeeper(folder.settingsFile, options.settings, report);
  const clientCertificates = new ClientCertificates(folder.clientCertificatesFile, report);
  const protos = new ProtoStore(folder.protos, readAside, report);
  const retain = (): void => {
    store.write('retain', settings.current.retention).catch((error: unknown) => {
      report(causeOf(error));
    });
  };
  retain();
  const engineSettings = (current: AppSettings): EngineSettings => ({
    timeouts: { ...DEFAULT_TIMEOUTS, ...current.timeouts },
    limits: { ...DEFAULT_LIMITS, ...current.limits },
    passthroughHosts: current.passthroughHosts,
    trustedHosts: current.trustedHosts,
    insecure: options.insecure,
    originCertificateAuthorities: options.originCertificateAuthorities,
    internalPages: createInternalPages(authority.info(), authority.pem.certificate),
    hostOverrides: {},
    forwardedFields: current.forwardedFields,
    tolerateBareLineFeed: current.tolerateBareLineFeed,
    stripOuterSpace: current.stripOuterSpace,
    clientHalfClose: current.clientHalfClose,
    upstreamProxy: current.upstreamProxy,
    upstreamRules: current.upstreamRules,
    noProxy: current.noProxy,
    proxyAuthentication: current.proxyAuthentication,
    approvedClients: current.approvedClients,
    clientCertificates: clientCertificates.forEngine(),
    legacyHosts: current.legacyHosts,
    autoPassthrough: current.autoPassthrough,
    stripHttp3Offers: current.stripHttp3Offers,
    recordFrames: current.recordFrames,
  });
  const find = options.capture ? programFinder(process.platform) : null;
  const programs =
    find === null
      ? null
      : new ClientPrograms(find, (clients) => {
          // The writer may be starting again; these connections stay unnamed then.
          store.write('namePrograms', { clients }).catch(() => undefined);
        });
  undo.push(() => programs?.close());
  const engines = await openEngines(options, {
    config: {
      certificates: {
        caCertificate: authority.pem.certificate,
        caKey: authority.pem.key,
        leafKey: 'ecdsa',
        own: options.ownCertificate,
      },
      settings: engineSettings(settings.current),
      ownAddresses: [`${control.address}:${String(control.port)}`],
      instance: randomBytes(8).toString('hex'),
      capture: options.capture,
      keyLogFile: options.keyLogFile,
    },
    workers: options.workers,
    nextExchangeId: store.opened.nextExchangeId,
    nextConnectionId: store.opened.nextConnectionId,
    openCapturePort: () => {
      if (!options.capture) return null;
      const { port1, port2 } = new MessageChannel();
      store.attach(port2, null);
      return port1;
    },
    onCrash: (error) => {
      report(`${error.message} It is being started again. ${causeOf(error)}`);
    },
    onClients: (clients) => {
      for (const client of clients) programs?.add(client);
    },
    onUnknownClient: (address) => {
      if (status?.deviceWaits(address) !== true) return;
      report(
        `A device at ${address} wants to use Weir and was turned away. Allow it in the inspector, or add it to approvedClients in the settings.`,
      );
    },
    onRestart: () => status?.engineRestarted(),
  });
  engine = engines;
  undo.push(() => engines.stop(0));

  status = new StatusBoard({
    listeners: () => engines.listeners,
    stats: () => engines.stats(),
    certificateAuthority: () => authority.info(),
    capture: options.capture,
    session: store.opened.session,
    protos: protos.revision,
    now: () => Date.now() * 1_000,
  });
  const core: BackendCore = {
    folder,
    engine: engines,
    store,
    settings,
    clientCertificates,
    protos,
    status,
    changes,
    messages,
    authority,
    capabilities: options.capabilities,
    capture: options.capture,
    engineSettings,
    report,
  };
  const systemProxy = createSystemProxyService(
    core,
    chooseSystemProxy(process.platform, process.env, createCommandRunner(process.env)),
  );
  await systemProxy.recover();
  const browsers = createBrowserService(core);
  const bench = createBenchService(core, options.benchProgram ?? BENCH_PROGRAM);
  services = createServices(core, systemProxy, browsers, bench);
  announce(options, control);

  return {
    listeners: engines.listeners,
    control,
    authorityFile: authority.file,
    services,
    async stop(drainMs) {
      // First, so that nobody is sent to a listener that is gone.
      await systemProxy.close();
      await bench.close();
      await browsers.close();
      programs?.close();
      await engines.stop(drainMs);
      status.stop();
      await control.close();
      await store.close();
      options.ownership.release();
    },
  };
}

async function openAuthority(folder: DataFolder, report: (message: string) => void): Promise<BackendAuthority> {
  const opened = await openAuthorityFolder(folder.certificateAuthority);
  const { certificateFile, notices } = opened;
  let { pem } = opened;
  for (const notice of notices) report(notice);
  return {
    get pem() {
      return pem;
    },
    file: certificateFile,
    use(next) {
      pem = next;
    },
    info() {
      const { subject, notBefore, notAfter, fingerprint, daysLeft } = authorityFacts(pem.certificate, Date.now());
      return { subject, notBefore, notAfter, fingerprint, daysLeft, file: certificateFile };
    },
  };
}

async function openControl(
  { control, otherPorts, report }: BackendOptions,
  onClient: Parameters<typeof startControlServer>[0]['onClient'],
): Promise<ControlServer> {
  try {
    return await startControlServer({ ...control, onClient });
  } catch (error: unknown) {
    const name = `${control.host}:${String(control.port)}`;
    if (otherPorts.control && control.port !== 0) {
      const server = await startControlServer({ ...control, port: 0, onClient });
      report(`${name} is taken, so the inspector is at port ${String(server.port)}.`);
      return server;
    }
    const reason = error instanceof Error ? error.message : String(error);
    throw new ContractError('conflict', `The inspector cannot listen on ${name}: ${reason}. Name another with --ui.`);
  }
}

async function openEngines(
  { listeners, otherPorts, report }: BackendOptions,
  options: Omit<Parameters<typeof startEngines>[0], 'listeners'>,
): Promise<EngineHost> {
  try {
    return await startEngines({ ...options, listeners });
  } catch (error: unknown) {
    if (!otherPorts.listeners || !(error instanceof ContractError) || error.code !== 'conflict') throw error;
    const engine = await startEngines({ ...options, listeners: listeners.map((given) => ({ ...given, port: 0 })) });
    report(`${error.message} The proxy is at port ${String(engine.listeners[0]?.port)} instead.`);
    return engine;
  }
}

function announce({ ownership, report }: BackendOptions, control: ControlServer): void {
  try {
    ownership.announce({ pid: process.pid, url: control.url, token: control.token });
  } catch (error: unknown) {
    report(`Other Weir commands cannot find this one: ${causeOf(error)}`);
  }
}

function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? (error.cause.stack ?? error.cause.message) : (error.stack ?? error.message);
}
