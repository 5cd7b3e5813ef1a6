/** Calls of the Setup page: the system's proxy, trust in our authority, and devices. */

/** Where a proxy listens. */
export interface ProxyPlace {
  /** Name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Where the system sends programs at the moment. */
export interface PresentSystemProxy {
  /** `automatic`: a script or discovery decides. */
  readonly kind: 'off' | 'manual' | 'automatic';
  readonly http: ProxyPlace | null;
  readonly https: ProxyPlace | null;
  readonly socks: ProxyPlace | null;
}

/** One setting of the system that a change touches, in the words of its platform; empty for not set. */
export interface SystemProxyChange {
  readonly setting: string;
  readonly from: string;
  readonly to: string;
}

export interface SystemProxyStatus {
  /** Whose settings these are (GNOME, macOS …); null where Weir cannot set any. */
  readonly platform: string | null;
  /** Why Weir cannot set any; null where it can. */
  readonly unsupported: string | null;
  /** We turned it on and have not turned it off: what was before lies on the disk. */
  readonly on: boolean;
  /** Programs are sent to a listener of ours now. Differs from `on` when somebody else changed the settings. */
  readonly reached: boolean;
  readonly present: PresentSystemProxy | null;
  /** What turning on would change now or, while it is on, what turning off would put back. */
  readonly changes: readonly SystemProxyChange[];
  /** Settings that somebody else changed since; turning off leaves them as they are. */
  readonly foreign: readonly SystemProxyChange[];
  /** Hosts that programs reach without the proxy. */
  readonly bypass: readonly string[];
  /** URL of another program's proxy, which can become our upstream proxy; null without one. */
  readonly otherProxy: string | null;
  /** Exchanges since it was turned on; null while it is off. */
  readonly exchanges: number | null;
}

/** What turning off did. */
export interface SystemProxyRestored {
  readonly restored: readonly SystemProxyChange[];
  /** Somebody else had changed these meanwhile: they stay as they are. */
  readonly kept: readonly SystemProxyChange[];
}

/** How our authority stands in one store of trust, found by looking. */
export interface TrustStoreReport {
  /** Names the store in `trust.install` and in `weir ca trust`. */
  readonly id: string;
  readonly name: string;
  /** Programs that take their trust from it. */
  readonly readers: string;
  /** `untrusted`: it lies there and is not trusted; `other`: only another authority of a Weir does. */
  readonly state: 'trusted' | 'absent' | 'untrusted' | 'other' | 'unreadable';
  /** How many authorities of another Weir it holds. */
  readonly others: number;
  /** Why it cannot be read; empty otherwise. */
  readonly problem: string;
  /** Weir may change it itself; otherwise a person runs the lines. */
  readonly changeable: boolean;
  /** The line that installs our authority. */
  readonly trustLine: string;
  /** The line that takes it out. */
  readonly untrustLine: string;
}

/** Whether a program, started without Weir's help, accepts what comes through the proxy: it was asked. */
export interface TrustProgramReport {
  readonly name: string;
  readonly state: 'trusted' | 'absent' | 'missing' | 'unclear';
  readonly detail: string;
}

export interface TrustReport {
  readonly stores: readonly TrustStoreReport[];
  /** Empty when no listener is a proxy. */
  readonly programs: readonly TrustProgramReport[];
  /** A request through the proxy, verified against our authority: null when all is well, else what is wrong. */
  readonly selfTest: string | null;
}

/** Kinds of shells that a terminal is prepared for; `posix` is bash, zsh and their like. */
export type TerminalShell = 'posix' | 'fish' | 'powershell' | 'cmd';

/** Whether a window with that shell can be opened here: the program that shows it, else why not. */
export type TerminalWindowInfo =
  { readonly name: string; readonly reason: null } | { readonly name: null; readonly reason: string };

/** What a person needs to point programs and devices here. */
export interface SetupWays {
  /** The line for each kind of terminal; all empty when no listener is a proxy. */
  readonly terminalLines: Readonly<Record<TerminalShell, string>>;
  readonly terminalWindows: Readonly<Record<TerminalShell, TerminalWindowInfo>>;
  /** PEM file of everything that programs shall trust, the machine's roots too; empty when no listener is a proxy. */
  readonly trustBundle: string;
  /** Addresses of this computer in its networks, without loopback. */
  readonly addresses: readonly string[];
}

export interface SetupCalls {
  'setup.ways': { input: Record<string, never>; output: SetupWays };
  /**
   * Opens a terminal window whose programs go through Weir; it stays when Weir ends. Fails with `unavailable` where there
   * is none, with the reason that `setup.ways` gives, or when its program refuses.
   */
  'setup.openTerminal': { input: { shell: TerminalShell }; output: { name: string } };
  /** Looks into every store of trust and asks programs; takes seconds. Changes nothing. */
  'trust.examine': { input: Record<string, never>; output: TrustReport };
  /** Makes a store trust our authority. Fails with `not-found` and `unavailable`; the message says what to do. */
  'trust.install': { input: { store: string }; output: TrustStoreReport };
  /** Takes our authority out of a store, and with `all` those of every other Weir. Fails as `trust.install` does. */
  'trust.remove': { input: { store: string; all: boolean }; output: TrustStoreReport };
  /** Reads the system's settings; changes nothing. */
  'systemProxy.status': { input: { bypass?: readonly string[] }; output: SystemProxyStatus };
  /**
   * Sends the programs of this user to our first proxy listener. What was before is on the disk first. With `chain`,
   * another program's proxy becomes our upstream proxy until it is turned off. Fails with `unavailable`; nothing has
   * changed then, unless the message says so.
   */
  'systemProxy.on': {
    input: { bypass?: readonly string[]; chain: boolean };
    output: SystemProxyStatus;
  };
  /** Puts back what was before. Fails with `unavailable` when a setting cannot be written. */
  'systemProxy.off': { input: Record<string, never>; output: SystemProxyRestored };
}
