import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { protocol } from 'electron';
import { PAGE_SECURITY_POLICY } from '../../contract/page-policy.ts';

const SCHEME = 'app';
const HOST = 'weir';

/** The only origin that a window of ours may show. */
export const PAGE_ORIGIN = `${SCHEME}://${HOST}`;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** Must be called before the app is ready: makes the scheme a secure origin like https. */
export function declarePageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves the built page from `folder`, and nothing else, under `app://weir/`. */
export function servePage(folder: string): void {
  protocol.handle(SCHEME, async (request) => {
    const url = new URL(request.url);
    if (url.host !== HOST || request.method !== 'GET') return new Response(null, { status: 404 });
    const name = url.pathname === '/' ? 'index.html' : url.pathname.slice(1);
    const contentType = CONTENT_TYPES[extname(name)];
    // Plain names only: no dot segments, no escapes, so that no path leaves the folder.
    if (contentType === undefined || !/^(?:[\w-]+(?:\.[\w-]+)*\/?)+$/.test(name)) {
      return new Response(null, { status: 404 });
    }
    try {
      return new Response(await readFile(join(folder, name)), {
        headers: {
          'Content-Type': contentType,
          'Content-Security-Policy': PAGE_SECURITY_POLICY,
          'X-Content-Type-Options': 'nosniff',
          'Referrer-Policy': 'no-referrer',
        },
      });
    } catch {
      return new Response(null, { status: 404 });
    }
  });
}
