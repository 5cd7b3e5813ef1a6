import type { App } from '../../../model/app.svelte.ts';
import { TREE_TEXT } from '../../../text/inspector.ts';
import { copyAndSay } from '../copy-and-say.ts';

/** Puts a path on the clipboard and says so. */
export function copyJsonPath(app: App, path: string): void {
  copyAndSay(app, path, TREE_TEXT.pathCopied(path));
}

/** Puts a value on the clipboard and says so. */
export function copyJsonValue(app: App, value: string): void {
  copyAndSay(app, value, TREE_TEXT.valueCopied);
}

/** Puts the name of a member on the clipboard and says so. */
export function copyJsonName(app: App, name: string): void {
  copyAndSay(app, name, TREE_TEXT.nameCopied);
}
