/**
 * Chromium loads no scheme of ours without Electron, so `app://weir/x` is shown at `https://weir.app.invalid/x`: also a
 * secure origin of its own, and one that no network answers for.
 */
const STAND_IN_HOST = /^https:\/\/([\w-]+)\.app\.invalid(\/|$)/;

export function toShown(url: string): string {
  return url.replace(/^app:\/\/([\w-]+)(\/|$)/, 'https://$1.app.invalid$2');
}

export function toOwn(url: string): string {
  return url.replace(STAND_IN_HOST, 'app://$1$2');
}

export function isShown(url: string): boolean {
  return STAND_IN_HOST.test(url);
}
