import { watch } from 'node:fs';
import { createServer as createListener } from 'node:net';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { createServer } from 'vite';
import type { Plugin, ViteDevServer } from 'vite';
import { BackendProgram } from './backend-program.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE_PORT = 5173;
/** Editors write a file in several steps; one restart is enough for all. */
const QUIET_MS = 200;

const controlPort = await findFreePort();
const control = `http://127.0.0.1:${String(controlPort)}`;
const backend = new BackendProgram(join(ROOT, '.cache', 'dev-data'), controlPort);

/** Each load of the page gets a code of its own, so that it may speak with whichever backend runs now. */
const freshCode: Plugin = {
  name: 'weir:fresh-code',
  transformIndexHtml: {
    order: 'pre',
    handler: async () => {
      const fragment = await backend.pageFragment();
      if (fragment === '') return [];
      return [
        {
          tag: 'script',
          children: `history.replaceState(null, '', ${JSON.stringify(fragment)});`,
          injectTo: 'head-prepend',
        },
      ];
    },
  },
};

const server = await createServer({
  configFile: false,
  root: join(ROOT, 'app/renderer'),
  cacheDir: join(ROOT, '.cache/vite'),
  plugins: [svelte({ configFile: false }), freshCode],
  server: {
    host: '127.0.0.1',
    port: PAGE_PORT,
    proxy: {
      // The control port speaks with its own page only; here the page comes from this server instead.
      '/api': {
        target: control,
        ws: true,
        changeOrigin: true,
        rewriteWsOrigin: true,
        configure: (proxy) => {
          proxy.on('proxyReq', (request) => {
            request.setHeader('origin', control);
          });
        },
      },
    },
  },
});

await backend.restart();
await server.listen();
await backend.showSample().catch((error: unknown) => {
  console.error('The sample traffic could not be shown:', error);
});
server.printUrls();
watchBackend(server);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void Promise.all([server.close(), backend.stop()]).then(() => process.exit(0));
  });
}

/** Starts the backend again when a source of it changed, then the page. */
function watchBackend(page: ViteDevServer): void {
  let timer: NodeJS.Timeout | undefined;
  const changed = (_event: string, file: string | null): void => {
    if (file === null || !file.endsWith('.ts') || file.endsWith('.test.ts')) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      console.log(`${file} changed: the backend starts again`);
      void backend.restart().then((serves) => {
        if (serves) page.ws.send({ type: 'full-reload' });
      });
    }, QUIET_MS);
  };
  for (const folder of ['app/backend', 'app/cli', 'app/contract', 'proxy-engine']) {
    watch(join(ROOT, folder), { recursive: true }, changed);
  }
}

/** A port that is free now and will be the backend's through all its restarts. */
async function findFreePort(): Promise<number> {
  const listener = createListener().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  listener.close();
  await once(listener, 'close');
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
}
