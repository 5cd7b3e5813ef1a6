import type { Child } from '../child.ts';
import type { OriginPorts } from '../workload.ts';

/** What an origin of HTTP speaks: HTTP/1 without and with TLS, HTTP/2 without (by prior knowledge) and with TLS. */
export type OriginKind = 'plain' | 'tls' | 'h2c' | 'h2';

/** In front of one origin. */
export interface ReverseRole {
  readonly kind: 'reverse';
  readonly origin: OriginKind;
  /** Towards the client. */
  readonly tls: boolean;
  readonly http2: boolean;
  /** What comes are calls of gRPC, or streams that are carried as those are. */
  readonly grpc: boolean;
}

/** A forward proxy that looks into what it carries, and opens TLS on both legs. */
export interface ExplicitRole {
  readonly kind: 'explicit';
  readonly origin: Exclude<OriginKind, 'h2c'>;
  readonly way: 'connect' | 'socks5' | 'request';
  /** Each connection is for a host that is new in TLS; what it is tunnelled to stays the same. */
  readonly newNames: boolean;
}

/** What a product is to do in a profile. */
export type Role = ReverseRole | ExplicitRole | { readonly kind: 'tcp' } | { readonly kind: 'udp' };

/** Where a product runs, and against what. */
export interface ProductSetting {
  readonly role: Role;
  /** Fresh folder for configuration and data; removed by the runner. */
  readonly folder: string;
  /** Cores for the product, `taskset` syntax, or null. */
  readonly cores: string | null;
  /** Cores for everything else. */
  readonly otherCores: string | null;
  readonly origin: OriginPorts;
  /** PEM files of a certificate for `localhost`, and of the authority that signed it. */
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly caFile: string;
}

export interface RunningProduct {
  readonly child: Child;
  readonly port: number;
  /** Looks after the measured window whether the product did what it was to do; throws when it did not. */
  readonly check?: () => Promise<void>;
  /** What stands beside it and ends with it. */
  readonly beside?: readonly Child[];
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
  /**
   * Null when it can run here (in this role, where one is named), else why not and what would help; what the product cannot do at
   * all begins with `Not possible`.
   */
  missing(role?: Role): string | null;
  /** Null: nothing is started, a generator of others loads the origin itself. */
  readonly start: ((setting: ProductSetting) => Promise<RunningProduct>) | null;
}
