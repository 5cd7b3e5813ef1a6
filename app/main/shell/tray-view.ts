/** What the tray tells. */
export type TrayState = { readonly recording: boolean; readonly systemProxy: boolean } | 'starting' | 'down';

/** What a person can do in the tray's menu. */
export type TrayAction = 'show' | 'pause' | 'resume' | 'system-proxy-off' | 'quit';

/** An entry of the menu; a line of text without an action, a separator for null. */
export type TrayEntry = { readonly label: string; readonly action: TrayAction | null } | null;

export interface TrayView {
  /** File in `resources/tray`; the system finds its @2x by itself. */
  readonly picture: string;
  readonly toolTip: string;
  readonly menu: readonly TrayEntry[];
}

/**
 * The tray in a state of the backend. That the computer's traffic goes through Weir is what one must not forget, so its
 * picture comes before that of recording.
 *
 * @param dark whether the panel that the picture stands in is dark; macOS tints its pictures itself
 */
export function trayView(state: TrayState, platform: NodeJS.Platform, dark: boolean): TrayView {
  const running = typeof state === 'string' ? null : state;
  const kind = running?.systemProxy === true ? 'system-proxy' : running?.recording === true ? 'recording' : 'idle';
  const form = platform !== 'darwin' && dark ? '-light' : 'Template';
  const absent = state === 'down' ? 'Not running' : 'Starting';
  const said = running === null ? absent : running.recording ? 'Recording' : 'Recording is paused';
  const told = running?.systemProxy === true ? `${said}, system proxy on` : said;
  return {
    picture: `${kind}${form}.png`,
    toolTip: `Weir: ${told.charAt(0).toLowerCase()}${told.slice(1)}`,
    menu: [
      { label: told, action: null },
      { label: 'Show Weir', action: 'show' },
      null,
      ...actionsOf(running),
      { label: 'Quit Weir', action: 'quit' },
    ],
  };
}

function actionsOf(state: Exclude<TrayState, string> | null): TrayEntry[] {
  if (state === null) return [];
  return [
    state.recording ? { label: 'Pause recording', action: 'pause' } : { label: 'Resume recording', action: 'resume' },
    // Turning it on wants a look at what will change: that is the window's.
    ...(state.systemProxy ? [{ label: 'Turn the system proxy off', action: 'system-proxy-off' } as const] : []),
    null,
  ];
}
