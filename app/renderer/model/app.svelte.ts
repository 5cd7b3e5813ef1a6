import { createContext } from 'svelte';
import type { ExchangeId, ExchangeSummary, SessionInfo } from '#contract';
import { PASS_THROUGH_TEXT } from '../text/traffic.ts';
import { Actions } from './actions.svelte.ts';
import { Bench } from './bench.svelte.ts';
import { Compose } from './compose.svelte.ts';
import { Columns } from './columns.svelte.ts';
import type { Backend, Connection } from './connection.svelte.ts';
import { Devices } from './devices.svelte.ts';
import { ExchangeList } from './exchange-list.svelte.ts';
import { Exporting, fileNameOf, type ListedExchanges } from './exporting.svelte.ts';
import { Hosts } from './hosts.svelte.ts';
import { Imports } from './imports.svelte.ts';
import { Layout } from './layout.svelte.ts';
import { Marking } from './marking.svelte.ts';
import { Navigation } from './navigation.svelte.ts';
import { Preferences } from './preferences.svelte.ts';
import { Protos } from './protos.svelte.ts';
import { Selection } from './selection.svelte.ts';
import { Sessions } from './sessions.svelte.ts';
import { Status } from './app-status.svelte.ts';
import { SystemProxy } from './system-proxy.svelte.ts';
import { Toasts } from './toasts.svelte.ts';

/** The inspector's models, put together once. Components take it from the context. */
export class App {
  readonly connection: Connection;
  readonly status: Status;
  readonly sessions: Sessions;
  readonly list: ExchangeList;
  readonly hosts: Hosts;
  readonly selection = new Selection();
  readonly columns = new Columns();
  readonly preferences = new Preferences();
  readonly navigation = new Navigation();
  readonly layout = new Layout();
  readonly toasts = new Toasts();
  readonly marking: Marking;
  readonly compose: Compose;
  readonly imports: Imports;
  readonly exporting: Exporting;
  readonly bench: Bench;
  readonly systemProxy: SystemProxy;
  readonly devices: Devices;
  readonly protos: Protos;
  readonly actions: Actions;
  /** The active row as it was last seen; it outlives the row's page. */
  #lastActive: ExchangeSummary | null = null;

  constructor(connection: Connection) {
    this.connection = connection;
    this.status = new Status(connection);
    this.sessions = new Sessions(connection);
    this.list = new ExchangeList(connection);
    this.hosts = new Hosts(connection);
    this.bench = new Bench(connection);
    this.systemProxy = new SystemProxy(connection);
    this.devices = new Devices(connection);
    this.protos = new Protos(connection);
    this.marking = new Marking(this);
    this.compose = new Compose(connection);
    this.imports = new Imports(this);
    this.exporting = new Exporting(this);
    this.actions = new Actions(this);
  }

  get backend(): Backend {
    return this.connection;
  }

  get mac(): boolean {
    return navigator.platform.startsWith('Mac');
  }

  /** The session in the list: the chosen one, else the one that is recorded. */
  get shownSession(): SessionInfo | null {
    return this.sessions.chosen ?? this.status.now?.session ?? null;
  }

  /** All that the list shows, whether or not it is loaded; null without a session. */
  get listedExchanges(): ListedExchanges | null {
    const session = this.shownSession;
    if (session === null) return null;
    const { filter, total } = this.list;
    return { session: session.id, filter, count: total, fileName: fileNameOf(session.name) };
  }

  /** Nothing was recorded in this session so far, and nothing else was asked for. */
  get nothingYet(): boolean {
    const { loaded, total, pending, filter } = this.list;
    if (filter !== '' || this.sessions.chosen !== null) return false;
    // The status knows an empty session before its first query is answered.
    return loaded ? total === 0 && pending === 0 : this.status.now?.session.exchanges === 0;
  }

  /** The summary of the exchange that the detail shows; null without a selection. */
  get activeRow(): ExchangeSummary | null {
    const id = this.selection.active;
    if (id === null) return null;
    void this.list.version;
    const row = this.list.rowOf(id);
    if (row !== undefined) this.#lastActive = row;
    return row ?? (this.#lastActive?.id === id ? this.#lastActive : null);
  }

  /** Shows an exchange in the detail, also one that the list does not hold. */
  reveal(summary: ExchangeSummary): void {
    this.#lastActive = summary;
    this.selection.choose(summary.id);
  }

  /**
   * Shows an exchange by its number.
   * @throws ContractError `not-found`
   */
  async showExchange(id: ExchangeId): Promise<void> {
    this.reveal((await this.backend.call('exchanges.get', { id })).summary);
  }

  /** Filters the list, and keeps the active exchange in view if it passes. */
  setFilter(filter: string): void {
    this.list.setFilter(filter.trim(), this.selection.active);
  }

  /** Shows a stored session, or the recorded one for null. */
  showSession(session: SessionInfo | null): void {
    this.selection.clear();
    this.sessions.choose(session === null || session.id === this.status.now?.session.id ? null : session);
  }

  /**
   * Shows a stored session by its number; one that is gone changes nothing.
   * @throws ContractError
   */
  async showSessionOf(number: number): Promise<void> {
    await this.sessions.refresh();
    const session = this.sessions.all.find(({ id }) => id === number);
    if (session !== undefined) this.showSession(session);
  }

  /**
   * Ends the session and begins an empty one.
   * @throws ContractError
   */
  async clear(): Promise<void> {
    await this.backend.call('sessions.clear', {});
    this.showSession(null);
    await this.sessions.refresh();
  }

  /** @throws ContractError */
  async showSample(): Promise<void> {
    const { session } = await this.backend.call('sample.show', {});
    this.showSession(session);
    await this.sessions.refresh();
  }

  /** @throws ContractError */
  async removeSample(): Promise<void> {
    await this.backend.call('sample.remove', {});
    this.showSession(null);
    await this.sessions.refresh();
  }

  /**
   * Puts a host on the passthrough list: its TLS is no longer opened from the next connection on.
   * @throws ContractError
   */
  async passThrough(host: string): Promise<void> {
    const { passthroughHosts } = await this.backend.call('settings.get', {});
    if (!passthroughHosts.includes(host)) {
      await this.backend.call('settings.set', { passthroughHosts: [...passthroughHosts, host] });
    }
    this.toasts.say(PASS_THROUGH_TEXT.done(host), {
      label: PASS_THROUGH_TEXT.undo,
      run: () => {
        this.backend.call('settings.set', { passthroughHosts }).catch((error: unknown) => {
          this.toasts.fail(error);
        });
      },
    });
  }

  /**
   * Switches origin verification off for one host.
   * @throws ContractError
   */
  async trustHost(host: string): Promise<void> {
    const { trustedHosts } = await this.backend.call('settings.get', {});
    if (!trustedHosts.includes(host)) {
      await this.backend.call('settings.set', { trustedHosts: [...trustedHosts, host] });
    }
    this.toasts.say(PASS_THROUGH_TEXT.trusted(host), {
      label: PASS_THROUGH_TEXT.undo,
      run: () => {
        this.backend.call('settings.set', { trustedHosts }).catch((error: unknown) => {
          this.toasts.fail(error);
        });
      },
    });
  }
}

const [readApp, provideApp] = createContext<App>();
export { provideApp, readApp };
