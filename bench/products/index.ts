import { haproxy } from './haproxy.ts';
import { httpMitmProxy, mitmproxy, mockttp } from './interceptors.ts';
import { nginx } from './nginx.ts';
import type { Product } from './product.ts';
import { nativeOrigin, relay, translator } from './relay.ts';
import { weir } from './weir.ts';

/**
 * Every product, Weir's own first.
 *
 * @param version of Weir
 */
export function products(version: string): readonly Product[] {
  return [
    weir('off', version),
    weir('on', version),
    weir('watched', version),
    nginx('on'),
    nginx('off'),
    haproxy,
    mockttp,
    httpMitmProxy,
    mitmproxy,
    relay,
    translator,
    nativeOrigin,
  ];
}

/** Controls say where the floor and the ceiling are, not who wins: one trial each. */
export function trialsOf({ isControl }: Pick<Product, 'isControl'>, trials: number): number {
  return isControl ? 1 : trials;
}
