import { globSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'electron-vite';

import { writeLicences, writePackageFile } from './resources/shipped.ts';

const at = (path: string): string => resolve(import.meta.dirname, path);

/** The bootstrap builds aside and then puts the whole in place, so that no start ever sees half a build. */
const OUT = at(process.env['WEIR_BUILD_FOLDER'] ?? 'out');

/** Entries of worker threads, by file name; each is started by a file of its own folder. */
function workers(): Record<string, string> {
  const files = globSync('app/backend/**/*-worker.ts', { cwd: import.meta.dirname });
  return Object.fromEntries(files.map((file) => [basename(file, '.ts'), at(file)]));
}

/**
 * One build for everything that ships: Electron's main process, the backend that it forks, the command line and the
 * worker threads (all under out/main, so that they find each other beside themselves), the preload script and the page.
 */
export default defineConfig({
  main: {
    plugins: [writePackageFile(import.meta.dirname)],
    build: {
      outDir: join(OUT, 'main'),
      sourcemap: true,
      target: 'node24',
      rolldownOptions: {
        input: {
          index: at('app/main/index.ts'),
          cli: at('app/cli/index.ts'),
          backend: at('app/backend/utility-process.ts'),
          'system-proxy-watchdog': at('app/backend/system-proxy-watchdog.ts'),
          bench: at('bench/bench-program.ts'),
          'bench-origin': at('bench/origins/origin-program.ts'),
          'bench-generator': at('bench/generators/generator-program.ts'),
          'bench-relay': at('bench/products/relay-program.ts'),
          'bench-translator': at('bench/products/translator-program.ts'),
          'bench-link': at('bench/products/link-program.ts'),
          'bench-viewer': at('bench/products/viewer-program.ts'),
          'bench-loop-probe': at('bench/products/loop-probe-program.ts'),
          ...workers(),
        },
        output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  },
  preload: {
    build: {
      outDir: join(OUT, 'preload'),
      sourcemap: true,
      rolldownOptions: {
        input: { index: at('app/preload/index.ts') },
        // A sandboxed preload script is CommonJS.
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('app/renderer'),
    build: {
      outDir: join(OUT, 'renderer'),
      emptyOutDir: true,
      sourcemap: true,
      minify: true,
      modulePreload: { polyfill: false },
      rolldownOptions: { input: { index: at('app/renderer/index.html') } },
    },
    plugins: [svelte({ configFile: false }), writeLicences(import.meta.dirname)],
  },
});
