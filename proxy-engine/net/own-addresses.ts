import { canonicalAddress, isLoopback, isOfThisMachine } from './addresses.ts';

/** The sockets that Weir itself listens on, so that no request is sent back into it. */
export class OwnAddresses {
  readonly #exact = new Set<string>();
  /** Ports on which every address of this machine is ours. */
  readonly #everywhere = new Set<number>();
  readonly #ports = new Set<number>();

  add(address: string, port: number): void {
    this.#ports.add(port);
    if (isUnspecified(address)) this.#everywhere.add(port);
    else this.#exact.add(`${canonicalAddress(address)} ${String(port)}`);
  }

  /** @param text `address:port` */
  addText(text: string): void {
    const colon = text.lastIndexOf(':');
    this.add(text.slice(0, colon).replace(/^\[|\]$/g, ''), Number.parseInt(text.slice(colon + 1), 10));
  }

  remove(address: string, port: number): void {
    if (isUnspecified(address)) this.#everywhere.delete(port);
    this.#exact.delete(`${canonicalAddress(address)} ${String(port)}`);
  }

  /** True when a connection to this address ends at one of ours. */
  has(address: string, port: number): boolean {
    if (!this.#ports.has(port)) return false;
    const plain = canonicalAddress(address);
    if (this.#exact.has(`${plain} ${String(port)}`)) return true;
    return this.#everywhere.has(port) && (isLoopback(plain) || isOfThisMachine(plain));
  }
}

function isUnspecified(address: string): boolean {
  return address === '' || address === '0.0.0.0' || address === '::' || address === '::ffff:0.0.0.0';
}
