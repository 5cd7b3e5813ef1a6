/**
 * The messages between the desktop shell's parts: main, the backend that it hosts, the preload script and the page.
 * Frames of the contract itself go over the port that these hand out.
 */

/** Main to the backend. `connect` brings one message port along: a new window. */
export type HostToBackend = { readonly type: 'connect' } | { readonly type: 'drain' };

/** The backend to main: `ready` once it serves; `failed` before it ends because it cannot start. */
export type BackendToHost = { readonly type: 'ready' } | { readonly type: 'failed'; readonly message: string };

/** What a window tells its person about the backend. */
export interface BackendDown {
  readonly message: string;
}

/** Channels between main and the preload script. */
export const DESKTOP_CHANNELS = { hello: 'weir:hello', port: 'weir:port', down: 'weir:backend' } as const;

/** The page to the preload script, by `window.postMessage`: it listens now and wants a port. */
export interface PageHello {
  readonly type: 'weir:hello';
}

/** The preload script to the page: a port (in the event's `ports`), or why there is none at the moment. */
export type PageNews =
  { readonly type: 'weir:port' } | { readonly type: 'weir:backend'; readonly state: 'down'; readonly message: string };
