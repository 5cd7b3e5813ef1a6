import { haproxy } from './haproxy.ts';
import { httpMitmProxy, mitmproxy, mockttp } from './interceptors.ts';
import { nginx } from './nginx.ts';
import type { Product } from './product.ts';
import { relay, translator } from './relay.ts';
import { weir } from './weir.ts';

/**
 * Every product, Weir's own first.
 *
 * @param version of Weir
 */
export function products(version: string): readonly Product[] {
  return [
    weir(false, version),
    weir(true, version),
    nginx('on'),
    nginx('off'),
    haproxy,
    mockttp,
    httpMitmProxy,
    mitmproxy,
    relay,
    translator,
  ];
}
