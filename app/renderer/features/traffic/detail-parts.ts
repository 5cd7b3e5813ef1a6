/*
 * What shows one exchange, or two beside each other. None of it is on the screen before somebody chooses a row, so it does not stand in
 * the way of the first paint.
 */

export const loadInspector = () => import('../inspector/inspector.svelte');
export const loadCompareView = () => import('../compare/compare-view.svelte');

/** Fetches all of it ahead of time. What cannot be fetched is asked for again when it is needed. */
export async function fetchDetail(): Promise<void> {
  await Promise.allSettled([loadInspector(), loadCompareView()]);
}
