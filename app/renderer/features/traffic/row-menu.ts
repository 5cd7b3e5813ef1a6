import Copy from '@lucide/svelte/icons/copy';
import Download from '@lucide/svelte/icons/download';
import Funnel from '@lucide/svelte/icons/funnel';
import GitCompare from '@lucide/svelte/icons/git-compare';
import Lock from '@lucide/svelte/icons/lock';
import MessageSquareText from '@lucide/svelte/icons/message-square-text';
import PencilLine from '@lucide/svelte/icons/pencil-line';
import Pin from '@lucide/svelte/icons/pin';
import PinOff from '@lucide/svelte/icons/pin-off';
import RotateCw from '@lucide/svelte/icons/rotate-cw';
import Tag from '@lucide/svelte/icons/tag';
import Trash from '@lucide/svelte/icons/trash';
import type { App } from '../../model/app.svelte.ts';
import { keyHint } from '../../model/keys.ts';
import type { ActionId } from '../../model/keys.ts';
import { ACTION_TEXT, MENU_TEXT } from '../../text/actions.ts';
import type { MenuEntry, MenuItem } from '../../ui/menu-entry.ts';

const LABEL_ACTIONS = ['label-1', 'label-2', 'label-3', 'label-4', 'label-5', 'label-6'] as const;

/** The menu of the active row, or of all that are chosen: what can be done with them now. */
export function rowMenu(app: App): readonly MenuEntry[] {
  const row = app.activeRow;
  const count = Math.max(1, app.selection.ids.size);
  const item = (id: ActionId, label: string = ACTION_TEXT[id], more: Partial<MenuItem> = {}): MenuItem => ({
    kind: 'item',
    id,
    label,
    keys: keyHint(id, app.mac),
    disabled: !app.actions.isAvailable(id),
    run: () => {
      app.actions.run(id);
    },
    ...more,
  });
  return [
    item('replay', MENU_TEXT.replay(count), { icon: RotateCw }),
    item('edit-and-resend', ACTION_TEXT['edit-and-resend'], { icon: PencilLine }),
    { kind: 'line', id: 'line-replay' },
    {
      kind: 'menu',
      id: 'copy',
      label: MENU_TEXT.copy,
      icon: Copy,
      entries: [
        item('copy-url', MENU_TEXT.url),
        item('copy-curl', MENU_TEXT.curl),
        item('copy-fetch', MENU_TEXT.fetch),
        item('copy-httpie', MENU_TEXT.httpie),
        item('copy-python', MENU_TEXT.python),
        item('copy-go', MENU_TEXT.go),
        item('copy-java', MENU_TEXT.java),
        { kind: 'line', id: 'line' },
        item('copy-request-headers', MENU_TEXT.requestHeaders),
        item('copy-request-body', MENU_TEXT.requestBody),
        item('copy-raw-request', MENU_TEXT.rawRequest),
        { kind: 'line', id: 'line-response' },
        item('copy-response-headers', MENU_TEXT.responseHeaders),
        item('copy-response-body', MENU_TEXT.responseBody),
        item('copy-raw-response', MENU_TEXT.rawResponse),
      ],
    },
    {
      kind: 'menu',
      id: 'filter',
      label: MENU_TEXT.filter,
      icon: Funnel,
      entries: [
        item('filter-host'),
        item('filter-not-host'),
        item('filter-path'),
        item('filter-status'),
        item('filter-type'),
        item('filter-method'),
        item('filter-program'),
      ],
    },
    { kind: 'line', id: 'line-marks' },
    {
      kind: 'menu',
      id: 'label',
      label: MENU_TEXT.label,
      icon: Tag,
      entries: [
        ...LABEL_ACTIONS.map((id, at) => item(id, MENU_TEXT.labels[at + 1] ?? '', { swatch: at + 1 })),
        { kind: 'line', id: 'line' },
        item('label-0', MENU_TEXT.noLabel),
      ],
    },
    item('toggle-pin', row?.pinned === true ? MENU_TEXT.unpin : MENU_TEXT.pin, {
      icon: row?.pinned === true ? PinOff : Pin,
    }),
    item('comment', row?.commented === true ? MENU_TEXT.editComment : MENU_TEXT.comment, { icon: MessageSquareText }),
    { kind: 'line', id: 'line-more' },
    item('compare', ACTION_TEXT.compare, { icon: GitCompare }),
    item('export', MENU_TEXT.export(count), { icon: Download }),
    item('pass-through-host', ACTION_TEXT['pass-through-host'], { icon: Lock }),
    { kind: 'line', id: 'line-remove' },
    item('remove', MENU_TEXT.remove(count), { icon: Trash, tone: 'danger' }),
  ];
}
