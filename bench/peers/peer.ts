import type { Child } from '../child.ts';

/** Where a product runs, and against what. */
export interface PeerSetting {
  /** Fresh folder for configuration and data; removed by the runner. */
  readonly folder: string;
  /** Cores for the product, `taskset` syntax, or null. */
  readonly cores: string | null;
  readonly originPlainPort: number;
  readonly originTlsPort: number;
  /** PEM file that the origin's certificate is signed with. */
  readonly originCaFile: string;
}

export interface RunningPeer {
  readonly child: Child;
  readonly port: number;
}

/** A product that can be measured in one role. */
export interface Peer {
  readonly name: string;
  /** Null when it can run here, else why not, for the table. */
  missing(): string | null;
  start(setting: PeerSetting): Promise<RunningPeer>;
}
