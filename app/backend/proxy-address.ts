import type { ListenerInfo } from '#contract';

/**
 * Where programs of this machine reach the proxy.
 *
 * @returns the first proxy listener, by the loopback address when it listens on every address; null without one
 */
export function proxyAddress(listeners: readonly ListenerInfo[]): { host: string; port: number } | null {
  const proxy = listeners.find(({ mode }) => mode === 'proxy');
  if (proxy === undefined) return null;
  const { address, port } = proxy;
  if (address === '0.0.0.0') return { host: '127.0.0.1', port };
  return { host: address === '::' ? '::1' : address, port };
}
