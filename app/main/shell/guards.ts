import { app, session, shell } from 'electron';
import { PAGE_ORIGIN } from './page-protocol.ts';

/** Sites that the inspector's help links to; everything else stays closed. */
const EXTERNAL_HOSTS: ReadonlySet<string> = new Set(['developer.mozilla.org', 'www.rfc-editor.org']);

/** Copying text out is all that the page may ask the system for. */
const PERMISSIONS: ReadonlySet<string> = new Set(['clipboard-sanitized-write']);

/**
 * Closes every door that a page could leave by, for all windows to come: no navigation, no new windows, no embedded
 * views, no permissions. Captured data that found a hole in the page ends here.
 */
export function guardEveryPage(): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.on('will-navigate', (event) => {
      if (!isPageUrl(event.url)) event.preventDefault();
    });
    contents.on('will-redirect', (event) => {
      event.preventDefault();
    });
    contents.on('will-attach-webview', (event) => {
      event.preventDefault();
    });
    contents.setWindowOpenHandler(({ url }) => {
      openExternally(url);
      return { action: 'deny' };
    });
  });
  session.defaultSession.setPermissionRequestHandler((contents, permission, answer) => {
    answer(PERMISSIONS.has(permission) && isPageUrl(contents.getURL()));
  });
  session.defaultSession.setPermissionCheckHandler((_contents, permission, origin) => {
    return PERMISSIONS.has(permission) && isPageUrl(origin);
  });
}

/** True for addresses of the inspector's own page. */
export function isPageUrl(url: string): boolean {
  return url === PAGE_ORIGIN || url.startsWith(`${PAGE_ORIGIN}/`);
}

/** Opens a link in the person's browser when it is https and on the list; else does nothing. */
function openExternally(link: string): void {
  if (!URL.canParse(link)) return;
  const url = new URL(link);
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.port !== '') return;
  if (EXTERNAL_HOSTS.has(url.hostname)) void shell.openExternal(url.href);
}
