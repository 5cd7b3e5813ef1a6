import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { _electron, chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import type * as Electron from 'electron';
import { findElectron } from '../../app/cli/desktop/electron-binary.ts';
import { isShown } from './electron-stand-in/addresses.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'out/main/index.js');
const ELECTRON = join(ROOT, 'node_modules/electron');

type ElectronModule = typeof Electron;

/** The built desktop app, in real Electron or in the stand-in; specifications see no difference. */
export interface DesktopApp {
  /** The first window's page. */
  firstPage(): Promise<Page>;
  pages(): Page[];
  /** Runs a self-contained function in the main process, with the `electron` module and one argument. */
  evaluate<Result, Argument>(
    work: (electron: ElectronModule, arg: Argument) => Result,
    arg: Argument,
  ): Promise<Awaited<Result>>;
  /** Resolves with the exit code when the program has ended. */
  readonly exited: Promise<number | null>;
  /** Ends it whatever its state. */
  dispose(): Promise<void>;
}

/** Which of the two runs here, for the tests to say loudly. */
export function desktopKind(): 'real Electron' | 'the stand-in for Electron' {
  return findElectron(ELECTRON) === null ? 'the stand-in for Electron' : 'real Electron';
}

/**
 * Starts the built app on a data folder; a second start on the same folder is allowed and ends soon.
 * @param files what the app is started to open
 */
export function launchDesktop(dataFolder: string, files: readonly string[] = []): Promise<DesktopApp> {
  const executable = findElectron(ELECTRON);
  const args = [`--data=${dataFolder}`, ...files];
  return executable === null ? launchStandIn(args) : launchElectron(executable, args);
}

async function launchElectron(executablePath: string, own: readonly string[]): Promise<DesktopApp> {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const app = await _electron.launch({ executablePath, args: [...sandbox, ROOT, ...own] });
  const child = app.process();
  const exited = exitOf(child);
  return {
    firstPage: () => app.firstWindow(),
    pages: () => app.windows(),
    evaluate: (work, arg) => app.evaluate(work as never, arg as never),
    exited,
    dispose: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function launchStandIn(args: readonly string[]): Promise<DesktopApp> {
  const start = new URL('electron-stand-in/start.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--import', start, MAIN, ...args], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = exitOf(child);
  const ask = questions(child);
  let browser: Browser | null = null;
  const pages = (): Page[] =>
    (browser?.contexts() ?? []).flatMap((context) => context.pages()).filter((page) => isShown(page.url()));
  return {
    firstPage: async () => {
      browser ??= await chromium.connectOverCDP(String(await ask(null, null)));
      const [page] = pages();
      if (page === undefined) throw new Error('The program has shown a window and closed it again.');
      return page;
    },
    pages,
    evaluate: async (work, arg) => (await ask(work.toString(), arg)) as never,
    exited,
    dispose: async () => {
      await browser?.close().catch(() => undefined);
      if (child.connected) child.disconnect(); // it closes its Chromium and ends
      const overdue = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await exited;
      clearTimeout(overdue);
    },
  };
}

/** Asks the stand-in's process, one numbered question an answer. */
function questions(child: ChildProcess): (source: string | null, arg: unknown) => Promise<unknown> {
  const open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let last = 0;
  child.on('message', (reply: { id: number; value?: unknown; error?: string }) => {
    const waiting = open.get(reply.id);
    open.delete(reply.id);
    if (reply.error === undefined) waiting?.resolve(reply.value);
    else waiting?.reject(new Error(reply.error));
  });
  child.once('exit', (code) => {
    for (const { reject } of open.values()) reject(new Error(`The desktop app ended (exit code ${String(code)}).`));
  });
  return (source, arg) =>
    new Promise((resolve, reject) => {
      last += 1;
      open.set(last, { resolve, reject });
      child.send({ id: last, source, arg });
    });
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return once(child, 'exit').then(([code]) => code as number | null);
}
