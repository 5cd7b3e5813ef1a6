/**
 * Browsers cap the height of an element (Firefox near 17.8 million px, Chromium near 33.5 million). A longer list scrolls
 * at a scale: the scroll bar covers a shorter way than the rows do.
 */
export const MOST_SCROLL_PIXELS = 12_000_000;

/** Maps between the scroll bar's way and the way of the rows; all values px. */
export interface ScrollScale {
  /** Height that the scrolled element gets. */
  readonly height: number;
  /** True when one px of the scroll bar is more than one px of rows. */
  readonly scaled: boolean;
  /** Furthest offset of the rows. */
  readonly mostOffset: number;
  toOffset(scrollTop: number): number;
  toScrollTop(offset: number): number;
}

/**
 * @param contentHeight height of all rows, px
 * @param viewportHeight visible part of it, px
 */
export function scrollScale(contentHeight: number, viewportHeight: number): ScrollScale {
  const height = Math.min(contentHeight, MOST_SCROLL_PIXELS);
  const mostOffset = Math.max(0, contentHeight - viewportHeight);
  const mostScrollTop = Math.max(0, height - viewportHeight);
  const factor = mostScrollTop === 0 ? 1 : mostOffset / mostScrollTop;
  return {
    height,
    scaled: factor > 1,
    mostOffset,
    // Whole pixels, so that text stays crisp.
    toOffset: (scrollTop) => Math.min(mostOffset, Math.max(0, Math.round(scrollTop * factor))),
    toScrollTop: (offset) => Math.min(mostScrollTop, Math.max(0, offset / factor)),
  };
}

/** The part of the rows that a viewport shows; `end` is not included. */
export function visibleRange(
  offset: number,
  viewportHeight: number,
  rowHeight: number,
  count: number,
): { readonly first: number; readonly end: number } {
  const first = Math.min(count, Math.max(0, Math.floor(offset / rowHeight)));
  return { first, end: Math.min(count, Math.ceil((offset + viewportHeight) / rowHeight)) };
}

/** Least change of an offset that brings a row into view; `centre` puts it in the middle if it was outside. */
export function offsetToShow(
  index: number,
  align: 'nearest' | 'centre' | 'start' | 'end',
  offset: number,
  viewportHeight: number,
  rowHeight: number,
): number {
  const top = index * rowHeight;
  const bottom = top + rowHeight;
  const inside = top >= offset && bottom <= offset + viewportHeight;
  switch (align) {
    case 'start':
      return top;
    case 'end':
      return bottom - viewportHeight;
    case 'centre':
      return inside ? offset : top - (viewportHeight - rowHeight) / 2;
    case 'nearest':
      if (inside) return offset;
      return top < offset ? top : bottom - viewportHeight;
  }
}
