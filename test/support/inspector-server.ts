import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { builtPages } from './built-pages.ts';

const programOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** A whole backend in a process of its own, serving built pages from a fresh data folder. */
export interface InspectorServer {
  readonly proxyPort: number;
  readonly dataFolder: string;
  /** What it wrote to standard error. */
  readonly errors: () => string;
  /** An address that lets one page in. */
  pageUrl(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Serves the inspector as it ships.
 *
 * @param environment added to what the backend inherits
 * @param kept an existing data folder, which is left as it is by then; without it a fresh one is made and removed
 * @throws Error when the backend ends before it is ready
 */
export async function startInspectorServer(
  environment: NodeJS.ProcessEnv = {},
  kept: string | null = null,
): Promise<InspectorServer> {
  const data = kept ?? (await mkdtemp(join(tmpdir(), 'weir-inspector-')));
  const pages = await builtPages('real');
  const child = spawn(process.execPath, [programOf('./inspector-program.ts'), data, pages.folder], {
    env: { ...process.env, ...environment },
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`The backend ended: ${errors}`);
    return value;
  };
  return {
    proxyPort: Number(await nextLine()),
    dataFolder: data,
    errors: () => errors,
    async pageUrl() {
      child.stdin.write('\n');
      return nextLine();
    },
    async stop() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
      await pages.remove();
      if (kept === null) await rm(data, { recursive: true, force: true });
    },
  };
}
