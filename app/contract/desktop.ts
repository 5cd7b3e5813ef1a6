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

/** A file that the system handed to the app; its bytes are read over a port that comes along. */
export interface OfferedFile {
  /** Without its folder. */
  readonly name: string;
  readonly bytes: number;
}

/** A page to main, over the port of a file: the piece that begins at byte `at`; that it needs no more, or none of the others. */
export type FileRequest = { readonly type: 'read'; readonly at: number } | { readonly type: 'done' | 'cancel' };

/** Main to a page, over the port of a file: at most 256 KiB, or why there is nothing more. */
export type FileAnswer =
  | { readonly type: 'piece'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly type: 'failed'; readonly message: string };

/** Channels between main and the preload script. */
export const DESKTOP_CHANNELS = {
  hello: 'weir:hello',
  port: 'weir:port',
  down: 'weir:backend',
  file: 'weir:file',
  refused: 'weir:file-refused',
} as const;

/** The page to the preload script, by `window.postMessage`: it listens now and wants a port. */
export interface PageHello {
  readonly type: 'weir:hello';
}

/**
 * The preload script to the page: a port (in the event's `ports`), or why there is none at the moment; a file to import
 * (its port in `ports`), or why one that the system named is none.
 */
export type PageNews =
  | { readonly type: 'weir:port' }
  | { readonly type: 'weir:backend'; readonly state: 'down'; readonly message: string }
  | { readonly type: 'weir:file'; readonly file: OfferedFile }
  | { readonly type: 'weir:file-refused'; readonly message: string };

/** Kinds of files that installers associate with Weir (electron-builder.yml), and no others. */
const OPENED_NAME = /\.(?:weir|har)$/i;

/** True for names of files that the system may hand to Weir. */
export function isOpenedName(name: string): boolean {
  return OPENED_NAME.test(name);
}
