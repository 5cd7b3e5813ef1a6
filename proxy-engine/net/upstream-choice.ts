import type { EngineSettings } from '../model/engine-config.ts';
import { parseProxyUrl, parseUpstreamRule, type UpstreamProxy } from '../model/upstream-proxy.ts';
import { compileHostPatterns, type HostMatcher } from './host-patterns.ts';

type UpstreamSettings = Pick<EngineSettings, 'upstreamProxy' | 'upstreamRules' | 'noProxy'>;

/** Which upstream proxy a host is reached through: its own rule, else none by `noProxy`, else the one for all. */
export class UpstreamChoice {
  /** Whether any host has one. */
  readonly isAny: boolean;
  readonly #rules: readonly { readonly matches: HostMatcher; readonly proxy: UpstreamProxy | null }[];
  readonly #isDirect: HostMatcher;
  readonly #proxy: UpstreamProxy | null;

  constructor({ upstreamProxy, upstreamRules, noProxy }: UpstreamSettings) {
    this.#rules = upstreamRules.flatMap((text) => {
      const rule = parseUpstreamRule(text);
      return rule === null ? [] : [{ matches: compileHostPatterns([rule.pattern]), proxy: rule.proxy }];
    });
    this.#isDirect = compileHostPatterns(noProxy);
    this.#proxy = parseProxyUrl(upstreamProxy);
    this.isAny = this.#proxy !== null || this.#rules.some(({ proxy }) => proxy !== null);
  }

  /** @returns null for a direct connection */
  for(host: string, port: number): UpstreamProxy | null {
    if (!this.isAny) return null;
    const rule = this.#rules.find(({ matches }) => matches(host, port));
    if (rule !== undefined) return rule.proxy;
    return this.#isDirect(host, port) ? null : this.#proxy;
  }
}
