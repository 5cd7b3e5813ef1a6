import type { RunnableProfile } from './profiles.ts';
import type { OriginPorts, Workload } from './workload.ts';

/**
 * The work of a profile without a proxy: what the origin alone can do, in the protocol that it speaks. Where that is another one
 * than the client's, as much is under way at once.
 */
export function directLoad({ role, load }: RunnableProfile): {
  readonly workload: Workload;
  readonly port: keyof OriginPorts;
} {
  if (role.kind === 'tcp' || role.kind === 'udp') return { workload: load, port: role.kind };
  const tls = role.origin === 'tls' || role.origin === 'h2';
  const isHttp2 = role.origin === 'h2c' || role.origin === 'h2';
  const protocol = load.protocol === 'websocket' ? 'websocket' : isHttp2 ? 'http2' : 'http1';
  return { workload: { ...load, protocol, tls }, port: role.origin };
}
