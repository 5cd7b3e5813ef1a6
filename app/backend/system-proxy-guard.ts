import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The watchdog process of one turn-on. */
export interface SystemProxyGuard {
  readonly pid: number;
  /** Sends it home: what was before has been put back. */
  dismiss(): void;
}

const UNBUILT = import.meta.url.endsWith('.ts');
const PROGRAM = fileURLToPath(
  new URL(UNBUILT ? './system-proxy-watchdog.ts' : './system-proxy-watchdog.js', import.meta.url),
);
const PATIENCE_MS = 15_000;

/**
 * Starts the watchdog and waits until it watches. In the packaged app it runs on the app's own executable (ADR 3).
 *
 * @param path file of the record @param id of the record
 * @throws Error when it does not start
 */
export async function startSystemProxyGuard(path: string, id: string): Promise<SystemProxyGuard> {
  const environment =
    process.versions['electron'] === undefined ? process.env : { ...process.env, ELECTRON_RUN_AS_NODE: '1' };
  const child = spawn(process.execPath, [PROGRAM, path, id], {
    // A session of its own: what ends our terminal or our group does not end it.
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: environment,
    windowsHide: true,
  });
  child.stdin.on('error', () => undefined);
  const ready = once(child.stdout, 'data', { signal: AbortSignal.timeout(PATIENCE_MS) });
  const failed = once(child, 'exit').then(([code]: unknown[]) => {
    throw new Error(
      `The process that puts the system proxy back after a crash did not start (exit code ${String(code)}).`,
    );
  });
  failed.catch(() => undefined);
  try {
    await Promise.race([ready, failed]);
  } catch (error: unknown) {
    child.kill('SIGKILL');
    throw error;
  }
  child.stdout.destroy();
  child.unref();
  // An open pipe is what tells it that we live; it must not keep us alive.
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return {
    pid: child.pid ?? 0,
    dismiss() {
      child.stdin.end('done\n');
    },
  };
}
