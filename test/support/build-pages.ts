import { resolve } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build } from 'vite';

// A program: `node build-pages.ts FOLDER` builds the inspector into that folder.
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Say which folder to build into.');
await build({
  configFile: false,
  root: resolve(import.meta.dirname, '../../app/renderer'),
  logLevel: 'error',
  plugins: [svelte({ configFile: false })],
  build: { outDir: folder, emptyOutDir: true, modulePreload: { polyfill: false }, reportCompressedSize: false },
});
