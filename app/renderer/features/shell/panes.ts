/** Moves the focus to the next (1) or previous (-1) pane, in the order of the page; a pane is marked `data-pane`. */
export function cyclePane(frame: HTMLElement, step: 1 | -1): void {
  const panes = [...frame.querySelectorAll<HTMLElement>('[data-pane]')].filter((pane) => firstFocusable(pane) !== null);
  if (panes.length === 0) return;
  const at = panes.findIndex((pane) => pane.contains(document.activeElement));
  const next = panes[(at + step + panes.length) % panes.length] ?? panes[0];
  if (next !== undefined) firstFocusable(next)?.focus();
}

/** What a pane gives the focus to: its chosen tab, the first thing that takes it, or itself while it is still being filled. */
export function firstFocusable(pane: HTMLElement): HTMLElement | null {
  return (
    pane.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]') ??
    pane.querySelector<HTMLElement>('[role="grid"], input, [tabindex="0"], button:not([tabindex="-1"]), a[href]') ??
    (pane.hasAttribute('tabindex') ? pane : null)
  );
}
