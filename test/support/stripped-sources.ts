import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FOLDER = join(ROOT, '.cache', 'sources');
const CACHE = join(FOLDER, 'cache');

/** What Node itself runs from its TypeScript: neither the pages nor what only Vitest reads. */
const SOURCES = ['proxy-engine/**/*.ts', 'app/{backend,cli,contract}/**/*.ts', 'bench/**/*.ts'];

/**
 * Vitest's set-up of a whole run: every source is stripped of its types once, in one thread, and kept in Node's compile
 * cache for each process and thread of the tests. Threads that strip at the same time share a table of V8's for the
 * WebAssembly that strips, and that table ends the process now and then ("allocations_.erase(addr) == 1", Node 24).
 * A thread also begins in half the time. What people run is built and strips nothing.
 */
export async function setup(): Promise<void> {
  // Each project of a run asks for it.
  if (process.env['NODE_COMPILE_CACHE'] === CACHE) return;
  process.env['NODE_COMPILE_CACHE'] = CACHE;
  const files = globSync(SOURCES, { cwd: ROOT, exclude: ['**/*.test.ts', '**/*.d.ts'] }).sort();
  // All is read before the first line of any module runs, and that line ends the program.
  const stop = 'data:text/javascript,process.exit()';
  const program = [stop, ...files.map((file) => pathToFileURL(join(ROOT, file)).href)];
  await mkdir(FOLDER, { recursive: true });
  const entry = join(FOLDER, 'all.mjs');
  await writeFile(entry, program.map((url) => `import ${JSON.stringify(url)};\n`).join(''));
  await run(process.execPath, [entry]);
}
