import type { ExchangeId, ExchangeSummary } from '#contract';
import { ContractError } from '#contract';
import type { BackendCore } from '../../backend-core.ts';
import { proxyAddress } from '../../proxy-address.ts';
import type { ReplayConnection } from './answer.ts';
import { Http1Connection } from './http1-connection.ts';
import { Http2Connection } from './http2-connection.ts';
import type { PlannedRequest } from './plan-request.ts';
import { createProtocolMemory, openTunnel, type ProxyEntry, type Tunnel } from './proxy-tunnel.ts';
import type { RequestPlace } from './request-parts.ts';

/** How long the row of an answer that has come may take to be committed. */
const ROW_WAIT_MS = 5_000;

/** What its rows can be told apart by. */
interface Tracked {
  /** The exchange that it carried, once its row is complete; null when it was not recorded. */
  recorded(): Promise<ExchangeId | null>;
}

/** A connection whose rows can be told apart. */
export type TrackedConnection = ReplayConnection & Tracked;

/** Where replays enter the engine, and how their rows are recognised. One for each replay or run; close it after use. */
export class ReplayGate {
  readonly #core: BackendCore;
  readonly #original: ExchangeId | null;
  readonly #signal: AbortSignal;
  readonly #memory = createProtocolMemory();
  readonly #connections = new Set<{ close(): void }>();
  readonly #addresses = new Set<string>();
  readonly #rows = new Map<string, ExchangeSummary>();
  readonly #listeners = new Map<string, (row: ExchangeSummary) => void>();
  readonly #awaited = new Map<string, (id: ExchangeId | null) => void>();
  readonly #stopWatching: () => void;
  #entry: Promise<ProxyEntry> | null = null;
  #releaseListener: (() => Promise<void>) | null = null;

  /**
   * @param original the exchange that rows are marked with; null for a request that repeats none
   * @param watchesRows whether `recorded` will be asked
   */
  constructor(core: BackendCore, original: ExchangeId | null, watchesRows: boolean, signal: AbortSignal) {
    this.#core = core;
    this.#original = original;
    this.#signal = signal;
    this.#stopWatching = watchesRows
      ? core.changes.watch(core.status.session.id, (row) => {
          this.#see(row);
        })
      : () => undefined;
  }

  /** @throws ContractError `unavailable`, `cancelled` */
  async open(planned: PlannedRequest): Promise<TrackedConnection> {
    const { place, versions } = planned;
    const tunnel = await this.#tunnel(place, versions);
    const authority = `${place.scheme}://${place.authority}`;
    const connection =
      tunnel.protocol === 'h2' ? new Http2Connection(tunnel.socket, authority) : new Http1Connection(tunnel.socket);
    this.#connections.add(connection);
    return Object.assign(connection, { recorded: () => this.#recorded(tunnel.clientAddress) });
  }

  /**
   * Opens a way to an origin for a client that speaks HTTP/1 by itself.
   *
   * @param onRow hears of its exchange whenever the row changes
   * @throws ContractError `unavailable`, `cancelled`
   */
  async openSocket(
    place: RequestPlace,
    onRow: (row: ExchangeSummary) => void,
  ): Promise<Tracked & Pick<Tunnel, 'socket'>> {
    const { socket, clientAddress } = await this.#tunnel(place, ['http/1.1']);
    this.#listeners.set(clientAddress, onRow);
    this.#connections.add({
      close() {
        socket.destroy();
      },
    });
    return { socket, recorded: () => this.#recorded(clientAddress) };
  }

  /** Ends its connections. Rows that begin on their addresses afterwards are nobody's replays. */
  async close(): Promise<void> {
    for (const connection of this.#connections) connection.close();
    this.#stopWatching();
    for (const resolve of this.#awaited.values()) resolve(null);
    // What the engine holds of them still counts; after it the addresses are free for anyone.
    await this.#core.engine.flush();
    if (this.#original !== null) {
      await Promise.all(
        [...this.#addresses].map((clientAddress) =>
          this.#core.store.write('expectReplay', { clientAddress, original: null }),
        ),
      );
    }
    await this.#releaseListener?.();
  }

  async #tunnel(place: RequestPlace, versions: PlannedRequest['versions']): Promise<Tunnel> {
    this.#entry ??= this.#findEntry();
    const mark = async (address: string): Promise<void> => {
      this.#addresses.add(address);
      if (this.#original === null) return;
      await this.#core.store.write('expectReplay', { clientAddress: address, original: this.#original });
    };
    return openTunnel(await this.#entry, place, versions, this.#memory, mark, this.#signal);
  }

  #recorded(address: string): Promise<ExchangeId | null> {
    if (!this.#core.capture || !this.#core.status.recording) return Promise.resolve(null);
    const row = this.#rows.get(address);
    if (row !== undefined && row.state !== 'active') return Promise.resolve(row.id);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        settle(this.#rows.get(address)?.id ?? null);
      }, ROW_WAIT_MS);
      const settle = (id: ExchangeId | null): void => {
        clearTimeout(timer);
        this.#awaited.delete(address);
        resolve(id);
      };
      this.#awaited.set(address, settle);
      this.#signal.addEventListener('abort', () => {
        settle(this.#rows.get(address)?.id ?? null);
      });
    });
  }

  #see(row: ExchangeSummary): void {
    const { address } = row.client;
    if (!this.#addresses.has(address)) return;
    this.#rows.set(address, row);
    this.#listeners.get(address)?.(row);
    if (row.state !== 'active') this.#awaited.get(address)?.(row.id);
  }

  /** The proxy listener that is there, or one that lives as long as this gate. */
  async #findEntry(): Promise<ProxyEntry> {
    const { engine, settings, authority, status } = this.#core;
    let address = proxyAddress(engine.listeners);
    if (address === null) {
      const opened = await engine.addListeners([{ mode: { kind: 'proxy' }, host: '127.0.0.1', port: 0 }]);
      status.listenersChanged();
      this.#releaseListener = async () => {
        await engine.removeListeners(opened);
        status.listenersChanged();
      };
      address = proxyAddress(opened);
    }
    if (address === null) throw new ContractError('unavailable', 'No listener of this Weir can carry a replay.');
    const credentials = settings.current.proxyAuthentication;
    return {
      ...address,
      authorization:
        credentials === null
          ? null
          : `Basic ${Buffer.from(`${credentials.user}:${credentials.password}`).toString('base64')}`,
      certificateAuthority: authority.pem.certificate,
    };
  }
}
