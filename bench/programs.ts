import { fileURLToPath } from 'node:url';

/** Programs that a run starts, each a process of its own. */
const SOURCES = {
  origin: './origins/origin-program.ts',
  generator: './generators/generator-program.ts',
  relay: './products/relay-program.ts',
  translator: './products/translator-program.ts',
  link: './products/link-program.ts',
  viewer: './products/viewer-program.ts',
  'loop-probe': './products/loop-probe-program.ts',
} as const;

export type BenchProgramName = keyof typeof SOURCES;

const IS_BUILT = !import.meta.url.endsWith('.ts');

/** Where a program stands: beside this one in the build, in its folder in the source tree. */
export function programPath(name: BenchProgramName): string {
  return fileURLToPath(new URL(IS_BUILT ? `./bench-${name}.js` : SOURCES[name], import.meta.url));
}

/** The built command line: what is measured is what ships. */
export const WEIR_COMMAND = fileURLToPath(new URL(IS_BUILT ? './cli.js' : '../out/main/cli.js', import.meta.url));

/** Makes Electron's executable behave as Node; anything else does not look at it. */
export const NODE_ENVIRONMENT = { ELECTRON_RUN_AS_NODE: '1' } as const;
