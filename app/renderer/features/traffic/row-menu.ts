import Copy from '@lucide/svelte/icons/copy';
import Funnel from '@lucide/svelte/icons/funnel';
import Lock from '@lucide/svelte/icons/lock';
import type { App } from '../../model/app.svelte.ts';
import { keyHint } from '../../model/keys.ts';
import type { ActionId } from '../../model/keys.ts';
import { ACTION_TEXT, MENU_TEXT } from '../../text/actions.ts';
import type { MenuEntry } from '../../ui/menu-entry.ts';

/** The menu of the active row: what can be done with it now. */
export function rowMenu(app: App): readonly MenuEntry[] {
  const item = (id: ActionId, label = ACTION_TEXT[id]): MenuEntry => ({
    kind: 'item',
    id,
    label,
    keys: keyHint(id, app.mac),
    disabled: !app.actions.isAvailable(id),
    run: () => {
      app.actions.run(id);
    },
  });
  return [
    {
      kind: 'menu',
      id: 'copy',
      label: MENU_TEXT.copy,
      icon: Copy,
      entries: [
        item('copy-url', MENU_TEXT.url),
        item('copy-curl', MENU_TEXT.curl),
        { kind: 'line', id: 'line' },
        item('copy-request-headers', MENU_TEXT.requestHeaders),
        item('copy-request-body', MENU_TEXT.requestBody),
        item('copy-response-headers', MENU_TEXT.responseHeaders),
        item('copy-response-body', MENU_TEXT.responseBody),
      ],
    },
    {
      kind: 'menu',
      id: 'filter',
      label: MENU_TEXT.filter,
      icon: Funnel,
      entries: [item('filter-host'), item('filter-not-host'), item('filter-path'), item('filter-status')],
    },
    { kind: 'line', id: 'line-host' },
    { ...item('pass-through-host'), icon: Lock } as MenuEntry,
  ];
}
