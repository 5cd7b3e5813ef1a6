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

export interface SetupCalls {
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
