import type { PresentSystemProxy, ProxyPlace } from '#contract';

/** What the system shall be told. */
export interface WantedProxy {
  readonly proxy: ProxyPlace;
  /** Hosts, `*.suffixes` and ranges of addresses that programs reach without the proxy. */
  readonly bypass: readonly string[];
}

/** Loopback stays direct: what runs on this computer, Weir's own page too, is reached without a proxy. */
export const DEFAULT_BYPASS: readonly string[] = ['localhost', '127.0.0.0/8', '::1'];

/** One setting of the system as it is, was or shall be. */
export interface ProxyEntry {
  /** Names it within its platform; the same setting has the same key in every snapshot. */
  readonly key: string;
  /** What a person calls it. */
  readonly label: string;
  /** `switch` makes the others count; `endpoint` says where traffic goes; `detail` is the rest. */
  readonly role: 'switch' | 'endpoint' | 'detail';
  /** Platform's own text, readable; empty when it is not set. */
  readonly value: string;
}

/** Every setting that a change touches, in no order. */
export type ProxySnapshot = readonly ProxyEntry[];

/** A setting that could not be written, and why, for a person. */
export interface WriteFailure {
  readonly entry: ProxyEntry;
  readonly reason: string;
}

/** The proxy settings of one kind of desktop. */
export interface SystemProxyPlatform {
  /** As in "the proxy settings of NAME". */
  readonly name: string;
  /** @throws SystemProxyError `unreadable` */
  read(): Promise<ProxySnapshot>;
  /** The same settings with every program of the user sent to `wanted`. Touches nothing. */
  plan(present: ProxySnapshot, wanted: WantedProxy): ProxySnapshot;
  /** The same settings with no proxy; what is left of another's details stays. Touches nothing. */
  planOff(present: ProxySnapshot): ProxySnapshot;
  /** Where `snapshot` sends programs. Touches nothing. */
  describe(snapshot: ProxySnapshot): PresentSystemProxy;
  /**
   * Writes settings in the given order and tells running programs.
   * @param onFailure `stop` leaves the rest alone after the first failure
   * @returns what could not be written
   */
  write(entries: readonly ProxyEntry[], onFailure: 'stop' | 'go-on'): Promise<readonly WriteFailure[]>;
}

export type SystemProxyErrorCode = 'unsupported' | 'unreadable' | 'not-written';

/** The system's proxy settings could not be read or changed; the message says what to do. */
export class SystemProxyError extends Error {
  override readonly name = 'SystemProxyError';
  readonly code: SystemProxyErrorCode;

  constructor(code: SystemProxyErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Writes entries one by one with what writes a single one; see `SystemProxyPlatform.write`. */
export async function writeInTurn(
  entries: readonly ProxyEntry[],
  onFailure: 'stop' | 'go-on',
  writeOne: (entry: ProxyEntry) => Promise<string | null>,
): Promise<WriteFailure[]> {
  const failures: WriteFailure[] = [];
  for (const entry of entries) {
    const reason = await writeOne(entry);
    if (reason === null) continue;
    failures.push({ entry, reason });
    if (onFailure === 'stop') break;
  }
  return failures;
}

/** The value of a key; empty when the snapshot has none. */
export function valueOf(snapshot: ProxySnapshot, key: string): string {
  return snapshot.find((entry) => entry.key === key)?.value ?? '';
}

/** A snapshot with other values for some keys. */
export function withValues(snapshot: ProxySnapshot, values: Readonly<Record<string, string>>): ProxySnapshot {
  return snapshot.map((entry) => ({ ...entry, value: values[entry.key] ?? entry.value }));
}

/** Reads `host:port` or `[address]:port`, with or without a scheme in front. @returns null when it is neither */
export function parsePlace(text: string): ProxyPlace | null {
  const match = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:\[([^\]]+)\]|([^:/[\]\s]+)):(\d{1,5})\/?$/i.exec(text.trim());
  const host = match?.[1] ?? match?.[2];
  return host === undefined ? null : { host, port: Number(match?.[3]) };
}

/** `host:port`, an IPv6 address in brackets. */
export function placeText({ host, port }: ProxyPlace): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** True when two places are one, whatever name loopback has in each. */
export function isSamePlace(one: ProxyPlace, other: ProxyPlace): boolean {
  return one.port === other.port && canonicalHost(one.host) === canonicalHost(other.host);
}

function canonicalHost(host: string): string {
  const name = host.toLowerCase();
  return name === 'localhost' || name === '::1' || name === '0.0.0.0' || name === '::' || /^127\./.test(name)
    ? 'localhost'
    : name;
}
