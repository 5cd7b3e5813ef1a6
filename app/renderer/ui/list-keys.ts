/** A list that is walked through by keys. */
export interface WalkedList {
  /** Rows in it. */
  readonly total: number;
  /** Place of the chosen row; null while there is none. */
  readonly at: number | null;
  /** Rows of a page. */
  readonly page: number;
}

/** Where a key leads in a list, within it; null for keys that lead nowhere, and in an empty list. */
export function placeForKey({ key }: Pick<KeyboardEvent, 'key'>, { total, at, page }: WalkedList): number | null {
  const places: Readonly<Record<string, number>> = {
    ArrowDown: at === null ? 0 : at + 1,
    j: at === null ? 0 : at + 1,
    ArrowUp: at === null ? total - 1 : at - 1,
    k: at === null ? total - 1 : at - 1,
    PageDown: (at ?? 0) + page,
    PageUp: (at ?? total) - page,
    Home: 0,
    End: total - 1,
  };
  const place = places[key];
  return place === undefined || total === 0 ? null : Math.min(total - 1, Math.max(0, place));
}

/** The place that a row under the pointer has, by its `data-place`. */
export function placeUnder(event: Event): number | null {
  const row = event.target instanceof Element ? event.target.closest('[data-place]') : null;
  return row instanceof HTMLElement ? Number(row.dataset['place']) : null;
}

/** Catches the usual key for finding within an element, outside of editors, which find by themselves. */
export function onFindKey(mac: boolean, find: () => void): (target: HTMLElement) => () => void {
  return (target) => {
    const listener = (event: KeyboardEvent): void => {
      const inText = event.target instanceof HTMLElement && event.target.closest('.cm-editor') !== null;
      if (event.key !== 'f' || !(mac ? event.metaKey : event.ctrlKey) || inText) return;
      event.preventDefault();
      event.stopPropagation();
      find();
    };
    target.addEventListener('keydown', listener);
    return () => {
      target.removeEventListener('keydown', listener);
    };
  };
}
