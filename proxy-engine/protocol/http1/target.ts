import type { RequestHead } from './message.ts';

/** The four forms of a request target (RFC 9112 §3.2). */
export type TargetForm = 'origin' | 'absolute' | 'authority' | 'asterisk';

/** Where a request wants to go, from its target and its Host field. */
export interface RequestTarget {
  readonly form: TargetForm;
  /** Absolute form only (`ws` counts as `http`, `wss` as `https`), else null. */
  readonly scheme: 'http' | 'https' | null;
  /** Lower case, IDN as A-labels, IPv6 without brackets. Of the target, else of Host; empty when neither names one. */
  readonly host: string;
  /** As named, else the scheme's default in absolute form; null when neither the target nor Host names one. */
  readonly port: number | null;
  /** What an origin is sent: path and query, or `*`; empty in authority form. */
  readonly path: string;
  /** Host and port as written, for a forwarded Host field: of the target, else of Host (IDN as A-labels in absolute form). */
  readonly authority: string;
  /** The target names another authority than the Host field did; the target won. */
  readonly differsFromHost: boolean;
}

/** Host and port as one authority names them. */
export interface Authority {
  /** Lower case, IDN as A-labels, IPv6 without brackets. */
  readonly host: string;
  readonly port: number | null;
}

/** Reads target and Host of a head that the decoder accepted (so it cannot fail). */
export function requestTarget(head: RequestHead): RequestTarget {
  throw new Error(head.target);
}

/** Reads `host`, `host:port`, `[v6]`, `[v6]:port`; null when it is none of them or carries userinfo, path or list. */
export function parseAuthority(text: string): Authority | null {
  throw new Error(text);
}

/** Writes a host (IPv6 gets brackets) and a port unless it is the scheme's default. */
export function formatAuthority(host: string, port: number, scheme: 'http' | 'https'): string {
  throw new Error(`${host}${port}${scheme}`);
}
