import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { TrayState } from './tray-view.ts';
import { trayView } from './tray-view.ts';

const PICTURES = join(import.meta.dirname, '../../../resources/tray');

const STATES: readonly (readonly [
  what: string,
  state: TrayState,
  picture: string,
  toolTip: string,
  actions: string[],
])[] = [
  ['no backend yet', 'starting', 'idle', 'Weir: starting', ['show', 'quit']],
  ['no backend any more', 'down', 'idle', 'Weir: not running', ['show', 'quit']],
  ['pause', { recording: false, systemProxy: false }, 'idle', 'Weir: recording is paused', ['show', 'resume', 'quit']],
  ['recording', { recording: true, systemProxy: false }, 'recording', 'Weir: recording', ['show', 'pause', 'quit']],
  [
    'the system proxy',
    { recording: true, systemProxy: true },
    'system-proxy',
    'Weir: recording, system proxy on',
    ['show', 'pause', 'system-proxy-off', 'quit'],
  ],
  [
    'the system proxy in a pause',
    { recording: false, systemProxy: true },
    'system-proxy',
    'Weir: recording is paused, system proxy on',
    ['show', 'resume', 'system-proxy-off', 'quit'],
  ],
];

describe.each(STATES)('with %s the tray', (_what, state, picture, toolTip, actions) => {
  test.each([
    ['darwin', true, 'Template'],
    ['darwin', false, 'Template'],
    ['win32', true, '-light'],
    ['win32', false, 'Template'],
    ['linux', true, '-light'],
  ] as const)('shows its picture on %s (dark: %s)', (platform, dark, form) => {
    const view = trayView(state, platform, dark);
    expect(view.picture).toBe(`${picture}${form}.png`);
    expect(existsSync(join(PICTURES, view.picture))).toBe(true);
  });

  test('says the state and offers what can be done then', () => {
    const view = trayView(state, 'linux', false);
    expect(view.toolTip).toBe(toolTip);
    expect(view.menu.flatMap((entry) => entry?.action ?? [])).toEqual(actions);
    expect(`Weir: ${view.menu[0]?.label ?? ''}`.toLowerCase()).toBe(toolTip.toLowerCase());
  });
});
