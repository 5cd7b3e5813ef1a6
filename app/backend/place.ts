import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** True when the sources run as they are, false in a build. */
const UNBUILT = import.meta.url.endsWith('.ts');

/** Folder of the built inspector; it may not exist in a clone that was not built. */
export const PAGES_FOLDER = fileURLToPath(new URL(UNBUILT ? '../../out/renderer' : '../renderer', import.meta.url));

/** The program that measures (bench/bench-program.ts), a script for Node; its build stands beside this one's. */
export const BENCH_PROGRAM = fileURLToPath(
  new URL(UNBUILT ? '../../bench/bench-program.ts' : './bench.js', import.meta.url),
);

/** Folder that holds `package.json`: the clone, or what was installed. Both this file and its build stand two below it. */
export const ROOT_FOLDER = fileURLToPath(new URL('../../', import.meta.url));

/** Version of this Weir. */
export function readVersion(): string {
  const facts: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const version = typeof facts === 'object' && facts !== null && 'version' in facts ? facts.version : null;
  return typeof version === 'string' ? version : '0.0.0';
}
