import type { ExchangeId, ExchangeSummary } from '#contract';
import { COPY_TEXT, SAVED_FILTER_TEXT } from '../text/traffic.ts';
import { copyText } from './clipboard.ts';
import { SETUP_TEXT } from '../text/setup.ts';
import type { App } from './app.svelte.ts';
import { copyOf, COPIES } from './copy-actions.ts';
import type { CopyAction } from './copy-actions.ts';
import { rowTerm, withTerm } from './filter-terms.ts';
import type { RowFilter } from './filter-terms.ts';
import type { ActionId } from './keys.ts';
import { editAndResend, replayExchanges } from './replaying.ts';

/** Moves and views that belong to the list on the screen; it registers itself here while it is there. */
export interface ListView {
  focus(): void;
  /** @param extend keeps the anchor and chooses everything between */
  move(to: 'next' | 'previous' | 'first' | 'last' | 'page-down' | 'page-up', extend: boolean): void;
  selectAll(): void;
  openRowMenu(): void;
}

/** What keys, menus and the palette run. Views hand in what only they can do. */
export class Actions {
  readonly #app: App;
  listView: ListView | null = null;
  /** Hands the parts of a file to the person. */
  saveFile: (parts: readonly Blob[], fileName: string, mediaType: string) => void = () => undefined;
  focusFilter: () => void = () => undefined;
  /** Moves the focus to the next (1) or previous (-1) pane. */
  cyclePane: (step: 1 | -1) => void = () => undefined;
  focusDetail: () => void = () => undefined;
  #paletteOpen = $state(false);
  #shortcutsOpen = $state(false);
  #sidebarOverlayOpen = $state(false);
  #openingBrowser = $state(false);

  constructor(app: App) {
    this.#app = app;
  }

  get paletteOpen(): boolean {
    return this.#paletteOpen;
  }

  set paletteOpen(open: boolean) {
    this.#paletteOpen = open;
  }

  get shortcutsOpen(): boolean {
    return this.#shortcutsOpen;
  }

  set shortcutsOpen(open: boolean) {
    this.#shortcutsOpen = open;
  }

  /** The sidebar of a narrow window, which covers the list. */
  get sidebarOverlayOpen(): boolean {
    return this.#sidebarOverlayOpen;
  }

  set sidebarOverlayOpen(open: boolean) {
    this.#sidebarOverlayOpen = open;
  }

  /** True from the click until the browser runs. */
  get openingBrowser(): boolean {
    return this.#openingBrowser;
  }

  /** Whether an action can do something now; menus and the palette leave out what cannot. */
  isAvailable(action: ActionId): boolean {
    const app = this.#app;
    const row = app.activeRow;
    const sample = app.shownSession?.sample === true;
    switch (action) {
      case 'open-browser':
        return app.status.info?.capabilities.openBrowser === true;
      case 'copy-terminal-line':
        return app.status.info !== null;
      case 'capture-computer':
        return app.status.now?.systemProxy === false;
      case 'system-proxy-off':
        return app.status.now?.systemProxy === true;
      case 'show-sample':
        return !sample;
      case 'remove-sample':
        return sample;
      case 'clear-filter':
      case 'save-filter':
        return app.list.filter !== '';
      case 'copy-url':
      case 'filter-host':
      case 'filter-not-host':
      case 'label-0':
      case 'label-1':
      case 'label-2':
      case 'label-3':
      case 'label-4':
      case 'label-5':
      case 'label-6':
      case 'toggle-pin':
      case 'comment':
      case 'remove':
      case 'export':
        return row !== null;
      case 'bench-quick':
        return !app.bench.running;
      case 'bench-cancel':
        return app.bench.running;
      case 'undo-remove':
        return app.marking.canUndo;
      case 'compare':
        return app.selection.ids.size === 2;
      case 'replay':
      case 'edit-and-resend':
      case 'copy-curl':
      case 'copy-fetch':
      case 'copy-httpie':
      case 'copy-python':
      case 'copy-go':
      case 'copy-java':
      case 'copy-raw-request':
      case 'copy-request-headers':
        return row !== null && row.method !== '';
      case 'copy-raw-response':
      case 'copy-response-headers':
        return row !== null && row.status !== null;
      case 'copy-request-body':
        return row !== null && row.requestBodyBytes > 0 && row.bodies !== 'none';
      case 'copy-response-body':
        return row !== null && row.responseBodyBytes > 0 && row.bodies !== 'none';
      case 'filter-path':
      case 'filter-status':
      case 'filter-type':
      case 'filter-method':
      case 'filter-program':
        return row !== null && rowTerm(action, row) !== null;
      case 'pass-through-host':
        return row !== null && (row.scheme === 'https' || row.scheme === 'tls');
      case 'open-detail':
        return row !== null;
      default:
        return true;
    }
  }

  /** Runs an action; what goes wrong is shown as a toast. */
  run(action: ActionId): void {
    this.#perform(action).catch((error: unknown) => {
      this.#app.toasts.fail(error);
    });
  }

  async #perform(action: ActionId): Promise<void> {
    const app = this.#app;
    switch (action) {
      case 'palette':
        this.#paletteOpen = true;
        return;
      case 'shortcuts':
        this.#shortcutsOpen = true;
        return;
      case 'focus-filter':
        app.navigation.open('traffic');
        this.focusFilter();
        return;
      case 'clear-filter':
        app.setFilter('');
        this.listView?.focus();
        return;
      case 'save-filter':
        this.#saveFilter();
        return;
      case 'toggle-recording':
        await app.backend.call('capture.setRecording', { on: app.status.now?.recording === false });
        return;
      case 'clear':
        await app.clear();
        return;
      case 'toggle-sidebar':
        this.#toggleSidebar();
        return;
      case 'next-pane':
        this.cyclePane(1);
        return;
      case 'previous-pane':
        this.cyclePane(-1);
        return;
      case 'open-browser':
        await this.openBrowser(null);
        return;
      case 'copy-terminal-line':
        await this.copy(app.status.info?.terminalLine ?? '', COPY_TEXT.terminalLine);
        return;
      case 'capture-computer':
        app.navigation.open('setup');
        // Where nothing can be set, the card says why.
        app.systemProxy.asking = (await app.systemProxy.refresh()).unsupported === null;
        return;
      case 'system-proxy-off':
        await this.#turnSystemProxyOff();
        return;
      case 'show-sample':
        await app.showSample();
        return;
      case 'remove-sample':
        await app.removeSample();
        return;
      case 'page-traffic':
        app.navigation.open('traffic');
        return;
      case 'import-file':
        app.imports.choose();
        return;
      case 'page-compose':
        app.navigation.open('compose');
        return;
      case 'replay':
        await replayExchanges(app, this.#chosenIds());
        return;
      case 'edit-and-resend':
        if (app.activeRow !== null) await editAndResend(app, app.activeRow.id);
        return;
      case 'page-benchmark':
        app.navigation.open('benchmark');
        return;
      case 'bench-quick':
        app.navigation.open('benchmark');
        await app.bench.startQuick();
        return;
      case 'bench-cancel':
        await app.bench.cancel();
        return;
      case 'page-setup':
        app.navigation.open('setup');
        return;
      case 'page-settings':
        app.navigation.open('settings');
        return;
      case 'licences':
        app.navigation.openLicences();
        return;
      case 'theme-system':
        app.preferences.theme.value = 'system';
        return;
      case 'theme-light':
        app.preferences.theme.value = 'light';
        return;
      case 'theme-dark':
        app.preferences.theme.value = 'dark';
        return;
      case 'go-newest':
        app.list.reload();
        return;
      case 'step-out':
        this.#stepOut();
        return;
      case 'open-detail':
        this.focusDetail();
        return;
      case 'label-0':
      case 'label-1':
      case 'label-2':
      case 'label-3':
      case 'label-4':
      case 'label-5':
      case 'label-6':
        await app.marking.label(Number(action.slice(-1)));
        return;
      case 'toggle-pin':
        await app.marking.togglePin();
        return;
      case 'comment':
        await app.marking.beginComment();
        return;
      case 'remove':
        await app.marking.remove();
        return;
      case 'compare':
        app.marking.compare();
        return;
      case 'undo-remove':
        await app.marking.undo();
        return;
      case 'export':
        app.exporting.begin({ ids: this.#chosenIds(), list: app.listedExchanges });
        return;
      case 'filter-host':
      case 'filter-not-host':
      case 'filter-path':
      case 'filter-status':
      case 'filter-type':
      case 'filter-method':
      case 'filter-program':
        this.#filterBy(action);
        return;
      case 'pass-through-host':
        if (app.activeRow !== null) await app.passThrough(app.activeRow.host);
        return;
      case 'find-in-body':
      case 'select-body':
      case 'next-body-view':
      case 'copy-json-path':
      case 'copy-json-value':
        // The body views listen for these themselves.
        return;
      default:
        if (isCopy(action)) await this.#copy(action);
        else this.#moveInList(action);
    }
  }

  /**
   * Starts a browser through Weir.
   * @param path program file; null for the first one found
   * @throws ContractError `no-browser`
   */
  async openBrowser(path: string | null): Promise<void> {
    if (this.#openingBrowser) return;
    this.#openingBrowser = true;
    try {
      await this.#app.backend.call('browsers.open', { path, url: null });
    } finally {
      this.#openingBrowser = false;
    }
  }

  /** Copies text and says so. */
  async copy(text: string, what: string): Promise<void> {
    await copyText(text);
    this.#app.toasts.say(what);
  }

  async #turnSystemProxyOff(): Promise<void> {
    const { kept } = await this.#app.systemProxy.turnOff();
    const names = kept.map(({ setting }) => setting).join(', ');
    this.#app.toasts.say(kept.length === 0 ? SETUP_TEXT.computer.restored : SETUP_TEXT.computer.kept(names));
  }

  #toggleSidebar(): void {
    const { preferences, layout } = this.#app;
    if (layout.narrow) this.#sidebarOverlayOpen = !this.#sidebarOverlayOpen;
    else preferences.sidebarOpen.value = !preferences.sidebarOpen.value;
  }

  /** Closes what is open, from the inside out: overlay, detail, several chosen rows. */
  #stepOut(): void {
    if (this.#sidebarOverlayOpen) {
      this.#sidebarOverlayOpen = false;
      return;
    }
    this.#app.selection.clear();
    this.listView?.focus();
  }

  /** Puts the filter on among the saved ones; its text is its name until it gets another. */
  #saveFilter(): void {
    const { list, preferences, toasts } = this.#app;
    const { filter } = list;
    if (filter === '') return;
    const saved = preferences.savedFilters;
    if (!saved.value.some((other) => other.filter === filter)) saved.value = [...saved.value, { name: filter, filter }];
    preferences.sidebarTab.value = 'filters';
    toasts.say(SAVED_FILTER_TEXT.saved);
  }

  #filterBy(filter: RowFilter): void {
    const app = this.#app;
    const term = app.activeRow === null ? null : rowTerm(filter, app.activeRow);
    if (term !== null) app.setFilter(withTerm(app.list.filter, term));
  }

  #moveInList(action: ActionId): void {
    const view = this.listView;
    if (view === null) return;
    switch (action) {
      case 'row-next':
        view.move('next', false);
        break;
      case 'row-previous':
        view.move('previous', false);
        break;
      case 'row-first':
        view.move('first', false);
        break;
      case 'row-last':
        view.move('last', false);
        break;
      case 'page-down':
        view.move('page-down', false);
        break;
      case 'page-up':
        view.move('page-up', false);
        break;
      case 'extend-next':
        view.move('next', true);
        break;
      case 'extend-previous':
        view.move('previous', true);
        break;
      case 'select-all':
        view.selectAll();
        break;
      case 'row-menu':
        view.openRowMenu();
        break;
      default:
        break;
    }
  }

  async #copy(action: CopyAction): Promise<void> {
    const row = this.#app.activeRow;
    if (row === null) return;
    const { text, said } = await copyOf(action, this.#app.backend, row, this.#chosenRows());
    await this.copy(text, said);
  }

  /** All that are chosen: those that are loaded in the order of the list, then the others. */
  #chosenIds(): readonly ExchangeId[] {
    const loaded = this.#chosenRows().map(({ id }) => id);
    const known = new Set(loaded);
    return [...loaded, ...[...this.#app.selection.ids].filter((id) => !known.has(id))];
  }

  /** The chosen rows that are loaded, in the order of the list; at least the active one. */
  #chosenRows(): ExchangeSummary[] {
    const { list, selection, activeRow } = this.#app;
    const rows: { row: ExchangeSummary; index: number }[] = [];
    for (const id of selection.ids) {
      const row = list.rowOf(id);
      if (row !== undefined) rows.push({ row, index: list.indexOf(id) ?? 0 });
    }
    if (rows.length === 0) return activeRow === null ? [] : [activeRow];
    return rows.sort((one, other) => one.index - other.index).map(({ row }) => row);
  }
}

function isCopy(action: ActionId): action is CopyAction {
  return COPIES.some((copy) => copy === action);
}
