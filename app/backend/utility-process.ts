import { parseArgs } from 'node:util';
import type { Carrier, ClientFrame, ServerFrame } from '#contract';
import type { BackendToHost, HostToBackend } from '../contract/desktop.ts';
import { connectToBackend } from './connect-to-backend.ts';
import { createBackend } from './create-backend.ts';
import { defaultDataFolder, prepareDataFolder } from './data-folder.ts';
import type { Ownership, RunningBackend } from './ownership.ts';
import { claimDataFolder, isOwnership } from './ownership.ts';
import { PAGES_FOLDER } from './place.ts';
import type { HostPort } from './transport/port.ts';
import { createPortCarrier } from './transport/port.ts';
import { serveContract } from './transport/server.ts';
import { DEFAULT_CONTROL, DEFAULT_LISTENER } from './default-addresses.ts';

/*
 * Entry of the backend in the desktop app, where Electron's main process forks it as a utility process and hands it one
 * message port for each window. When another Weir runs on the data folder already, windows are joined to that one.
 */

/** What Electron gives a utility process to speak with main; it has no types outside of Electron. */
interface ParentPort {
  postMessage(message: BackendToHost): void;
  on(
    event: 'message',
    listener: (event: { readonly data: HostToBackend; readonly ports: readonly HostPort[] }) => void,
  ): void;
}

/** How this process serves its windows, and how it ends. */
interface Host {
  connect(port: HostPort): void;
  stop(): Promise<void>;
}

const DRAIN_MS = 3_000;

const parent = (process as { readonly parentPort?: ParentPort }).parentPort;
if (parent === undefined) throw new Error('This file runs in a utility process of the desktop app.');
start(parent).catch((error: unknown) => {
  parent.postMessage({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
  setImmediate(() => process.exit());
});

async function start(host: ParentPort): Promise<void> {
  const { values } = parseArgs({ options: { data: { type: 'string' } }, strict: false });
  const folder = prepareDataFolder(typeof values.data === 'string' ? values.data : defaultDataFolder());
  const claim = await claimDataFolder(folder);
  const served = isOwnership(claim) ? await serve(folder, claim) : join(claim);
  host.on('message', ({ data, ports }) => {
    const [port] = ports;
    if (data.type === 'connect' && port !== undefined) served.connect(port);
    if (data.type === 'drain') void served.stop().then(() => process.exit(0));
  });
  host.postMessage({ type: 'ready' });
}

async function serve(folder: ReturnType<typeof prepareDataFolder>, ownership: Ownership): Promise<Host> {
  const report = (message: string): void => void process.stderr.write(`weir: ${message}\n`);
  const backend = await createBackend({
    folder,
    ownership,
    listeners: [DEFAULT_LISTENER],
    control: { ...DEFAULT_CONTROL, pages: PAGES_FOLDER },
    otherPorts: { listeners: true, control: true },
    workers: 1,
    capture: true,
    insecure: false,
    originCertificateAuthorities: [],
    ownCertificate: null,
    settings: {},
    keyLogFile: process.env['SSLKEYLOGFILE'] ?? null,
    capabilities: {
      windowChrome: process.platform === 'darwin' ? 'macos' : 'overlay',
      openBrowser: true,
      saveFile: false,
    },
    report,
  });
  return {
    connect(port) {
      serveContract(createPortCarrier(port), backend.services, (error) => {
        report(String(error));
      });
    },
    stop: () => backend.stop(DRAIN_MS),
  };
}

function join(running: RunningBackend): Host {
  return {
    connect(port) {
      const window = createPortCarrier(port);
      const early: ClientFrame[] = [];
      let backend: Carrier<ClientFrame, ServerFrame> | null = null;
      window.onFrame((frame) => {
        if (backend === null) early.push(frame);
        else backend.send(frame);
      });
      window.onClose(() => {
        backend?.close();
      });
      connectToBackend(running).then(
        (carrier) => {
          backend = carrier;
          carrier.onFrame((frame) => {
            window.send(frame);
          });
          // The folder has no backend now: main starts this process again, which then becomes it.
          carrier.onClose(() => process.exit(1));
          for (const frame of early) carrier.send(frame);
        },
        () => process.exit(1),
      );
    },
    stop: () => Promise.resolve(),
  };
}
