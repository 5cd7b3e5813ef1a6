import { MAX_IDS } from '#contract';
import type { ExchangeId, ExchangeSummary } from '#contract';
import { formatCount } from '../text/format.ts';
import { MARK_TEXT } from '../text/traffic.ts';
import type { App } from './app.svelte.ts';

/** An exchange whose comment is being written. */
export interface CommentDraft {
  readonly id: ExchangeId;
  readonly row: ExchangeSummary;
  /** As stored. */
  readonly text: string;
}

/** What people note on exchanges: labels, pins, comments; and their deletion, which can be undone. */
export class Marking {
  readonly #app: App;
  /** What the last deletion took away, for `undo`. */
  #removed: readonly ExchangeId[] = [];
  #compared = $state.raw<readonly [ExchangeId, ExchangeId] | null>(null);
  #draft = $state.raw<CommentDraft | null>(null);

  constructor(app: App) {
    this.#app = app;
  }

  get draft(): CommentDraft | null {
    return this.#draft;
  }

  /** The two exchanges that are compared, in the order of the list, while exactly they are chosen; else null. */
  get compared(): readonly [ExchangeId, ExchangeId] | null {
    const pair = this.#compared;
    const { ids } = this.#app.selection;
    return pair !== null && ids.size === 2 && ids.has(pair[0]) && ids.has(pair[1]) ? pair : null;
  }

  /** Compares the two that are chosen. */
  compare(): void {
    const { list, selection } = this.#app;
    const [one, other] = [...selection.ids].sort((a, b) => (list.indexOf(a) ?? a) - (list.indexOf(b) ?? b));
    this.#compared = one === undefined || other === undefined ? null : [one, other];
  }

  get canUndo(): boolean {
    return this.#removed.length > 0;
  }

  /**
   * Gives the chosen exchanges a label, or takes it from them when all have it.
   * @param label 1 to 6, 0 for none
   * @throws ContractError
   */
  async label(label: number): Promise<void> {
    const { list, backend } = this.#app;
    const ids = this.#ids();
    if (ids.length === 0) return;
    const same = ids.every((id) => list.rowOf(id)?.label === label);
    await backend.call('exchanges.mark', { ids, label: same ? 0 : label });
  }

  /**
   * Pins the chosen exchanges, or unpins them when all are pinned. Retention never deletes what is pinned.
   * @throws ContractError
   */
  async togglePin(): Promise<void> {
    const { list, backend } = this.#app;
    const ids = this.#ids();
    if (ids.length === 0) return;
    const pinned = ids.every((id) => list.rowOf(id)?.pinned === true);
    await backend.call('exchanges.mark', { ids, pinned: !pinned });
  }

  /** Opens the comment of the active exchange. @throws ContractError */
  async beginComment(): Promise<void> {
    const row = this.#app.activeRow;
    if (row === null) return;
    const { comment } = await this.#app.backend.call('exchanges.get', { id: row.id });
    this.#draft = { id: row.id, row, text: comment };
  }

  /** @throws ContractError */
  async saveComment(text: string): Promise<void> {
    const draft = this.#draft;
    this.#draft = null;
    if (draft === null || text.trim() === draft.text) return;
    await this.#app.backend.call('exchanges.comment', { id: draft.id, text: text.trim() });
  }

  dropDraft(): void {
    this.#draft = null;
  }

  /**
   * Deletes the chosen exchanges; the row behind them is chosen next. A toast brings them back.
   * @throws ContractError
   */
  async remove(): Promise<void> {
    const { list, selection, backend, toasts, activeRow } = this.#app;
    const chosen = this.#ids();
    if (chosen.length === 0) return;
    const next = list.neighbourOf(new Set(chosen));
    const { ids } = await backend.call('exchanges.remove', { ids: chosen });
    this.#removed = ids;
    list.removed(ids);
    if (next !== null && activeRow !== null) selection.choose(next);
    else selection.clear();
    toasts.say(MARK_TEXT.removed(ids.length, formatCount(ids.length)), {
      label: MARK_TEXT.undo,
      run: () => {
        this.undo().catch((error: unknown) => {
          toasts.fail(error);
        });
      },
    });
  }

  /** Brings back what the last deletion took away. @throws ContractError */
  async undo(): Promise<void> {
    const ids = this.#removed;
    if (ids.length === 0) return;
    this.#removed = [];
    const { list, selection, backend, toasts } = this.#app;
    const { ids: back } = await backend.call('exchanges.restore', { ids });
    const first = back[0];
    if (first === undefined) {
      toasts.say(MARK_TEXT.gone);
      return;
    }
    selection.chooseRange(back, first);
    list.reload(first);
  }

  /** The chosen exchanges, at most as many as one call takes. */
  #ids(): readonly ExchangeId[] {
    const { selection } = this.#app;
    if (selection.ids.size > 0) return [...selection.ids].slice(0, MAX_IDS);
    return selection.active === null ? [] : [selection.active];
  }
}
