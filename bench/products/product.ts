import type { Child } from '../child.ts';
import type { OriginPorts } from '../workload.ts';

/** What a product is to do in a profile. */
export type Role =
  /** In front of one origin. */
  | { readonly kind: 'reverse'; readonly origin: 'plain' | 'h2c'; readonly tls: boolean; readonly http2: boolean }
  /** A forward proxy that opens TLS on both legs. */
  | { readonly kind: 'explicit' }
  | { readonly kind: 'tcp' }
  | { readonly kind: 'udp' };

/** Where a product runs, and against what. */
export interface ProductSetting {
  readonly role: Role;
  /** Fresh folder for configuration and data; removed by the runner. */
  readonly folder: string;
  /** Cores for the product, `taskset` syntax, or null. */
  readonly cores: string | null;
  readonly origin: OriginPorts;
  /** PEM files of a certificate for `localhost`, and of the authority that signed it. */
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

export interface RunningProduct {
  readonly child: Child;
  readonly port: number;
}

/** A program that can be measured. */
export interface Product {
  readonly id: string;
  readonly name: string;
  /** One of ours: never what others are divided by. */
  readonly isWeir: boolean;
  /** A control, not a rival. */
  readonly isControl: boolean;
  /** As the program says it; null when it is not here. */
  version(): string | null;
  /** Null when it can run here (in this role, where one is named), else why not and what would help. */
  missing(role?: Role): string | null;
  start(setting: ProductSetting): Promise<RunningProduct>;
}
