import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

const MINUTE = 60_000;

/** Unit tests stand beside their code; the others under test/, one folder a kind. */
export default defineConfig({
  plugins: [svelte({ configFile: false })],
  test: {
    // Native modules and worker threads behave in processes as they do in the product.
    pool: 'forks',
    maxWorkers: 2,
    passWithNoTests: true,
    // Whatever a test starts must not fetch Electron.
    env: { WEIR_ELECTRON_DOWNLOAD: 'never' },
    reporters: ['default'],
    globalSetup: ['test/support/stripped-sources.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{proxy-engine,app,bench,bin,resources}/**/*.test.ts'],
          // Generous, since what takes milliseconds takes seconds on a machine that is busy with something else.
          testTimeout: 30_000,
          hookTimeout: MINUTE,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          testTimeout: MINUTE,
          hookTimeout: MINUTE,
        },
      },
      {
        extends: true,
        test: {
          name: 'conformance',
          include: ['test/conformance/**/*.test.ts'],
          testTimeout: MINUTE,
          hookTimeout: MINUTE,
        },
      },
      {
        extends: true,
        test: { name: 'fuzz', include: ['test/fuzz/**/*.test.ts'], testTimeout: 2 * MINUTE },
      },
      ...['e2e', 'acceptance'].map((name) => ({
        extends: true as const,
        test: {
          name,
          // The pictures are taken in the same browser as the other tests of the page.
          include: [`test/${name}/**/*.test.ts`, ...(name === 'e2e' ? ['test/shots/**/*.test.ts'] : [])],
          testTimeout: (name === 'acceptance' ? 20 : 2) * MINUTE,
          hookTimeout: 2 * MINUTE,
          globalSetup: ['test/support/built-pages.ts'],
          fileParallelism: false, // one browser at a time is enough for two cores
        },
      })),
    ],
  },
});
