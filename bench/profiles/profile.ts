import type { BenchFamily, BenchProfile, BenchUnit } from '#contract';
import { fitsNative } from '../native-load.ts';
import type { ExplicitRole, ReverseRole, Role } from '../products/product.ts';
import type { Workload } from '../workload.ts';

/** A profile and how it is driven. */
export interface RunnableProfile {
  readonly profile: BenchProfile;
  readonly role: Role;
  readonly load: Workload;
  /** A ramp counts a load as sustained up to this p99, ms. */
  readonly p99LimitMs: number;
}

/** What a profile says about itself; the rest has usual values. */
export interface ProfileFacts {
  readonly id: string;
  readonly family: BenchFamily;
  readonly title: string;
  readonly workload: string;
  readonly products: readonly string[];
  readonly role: Role;
  readonly load: Workload;
  readonly unit?: BenchUnit;
  readonly sets?: readonly ('quick' | 'full')[];
  readonly p99LimitMs?: number;
}

export const RIVALS = ['weir', 'weir-capture', 'nginx', 'nginx-unbuffered', 'haproxy', 'relay'];
/** Where nginx has nothing to buffer its two modes are one. */
export const RIVALS_UNBUFFERED = ['weir', 'weir-capture', 'nginx', 'haproxy', 'relay'];
export const INTERCEPTORS = ['weir', 'weir-capture', 'mockttp', 'http-mitm-proxy', 'mitmproxy', 'relay'];

export const GET_SMALL: Workload = {
  protocol: 'http1',
  path: '/small',
  sends: 0,
  tls: false,
  fresh: false,
  grpc: false,
  duplex: false,
  readPauseMs: 0,
  newNames: false,
  lossy: false,
  idle: 0,
};
export const REVERSE: ReverseRole = { kind: 'reverse', origin: 'plain', tls: false, http2: false, grpc: false };
export const REVERSE_TLS: ReverseRole = { ...REVERSE, tls: true };
export const REVERSE_H2: ReverseRole = { ...REVERSE, tls: true, http2: true };
export const EXPLICIT: ExplicitRole = { kind: 'explicit', origin: 'tls', way: 'connect', newNames: false };

/** Limits of p99, ms, for what a profile does: the slower the work, the later it may be done. */
function usualLimit({ family, load, role }: ProfileFacts): number {
  if (load.fresh) return 200;
  if (family === 'heavy') return 500;
  return load.protocol === 'http2' || (role.kind === 'explicit' && load.tls) ? 100 : 50;
}

export function runnable(facts: ProfileFacts): RunnableProfile {
  const { id, family, title, workload, role, load, unit = 'requests', sets = [] } = facts;
  const isChecked = role.kind === 'reverse' && fitsNative(load);
  const products = isChecked ? [...facts.products, 'origin-native'] : facts.products;
  const [quick, full] = [sets.includes('quick'), sets.includes('full')];
  return {
    profile: { id, family, title, workload, unit, products, quick, full },
    role,
    load,
    p99LimitMs: facts.p99LimitMs ?? usualLimit(facts),
  };
}
