import type { App } from '../../model/app.svelte.ts';
import { copyText } from '../../model/clipboard.ts';

/** Puts a text on the clipboard and says so, or why it did not go. */
export function copyAndSay(app: App, text: string, said: string): void {
  copyText(text).then(
    () => {
      app.toasts.say(said);
    },
    (error: unknown) => {
      app.toasts.fail(error);
    },
  );
}
