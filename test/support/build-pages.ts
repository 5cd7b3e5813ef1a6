import { resolve } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { build } from 'vite';
import { writeLicences } from '../../resources/shipped.ts';

// A program: `node build-pages.ts FOLDER [fake]` builds the inspector, or the page that a test plays, into that folder.
const [folder, which] = process.argv.slice(2);
if (folder === undefined) throw new Error('Say which folder to build into.');
const isFake = which === 'fake';
await build({
  configFile: false,
  root: isFake ? resolve(import.meta.dirname, 'fake-page') : resolve(import.meta.dirname, '../../app/renderer'),
  logLevel: 'error',
  plugins: [svelte({ configFile: false }), writeLicences(resolve(import.meta.dirname, '../..'))],
  build: {
    outDir: folder,
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    ...(isFake ? { minify: false } : {}),
  },
});
