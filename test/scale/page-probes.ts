import type { Page } from 'playwright-core';

/** The first row in view and where it stands, px from the top of the list. */
export interface FirstRow {
  readonly id: string;
  readonly top: number;
}

/** Times from an event of the user on, milliseconds. */
export interface InteractionTimes {
  /** To the next frame, as the browser's event timing tells it. */
  readonly frames: readonly number[];
  /** To the frame in which the detail shows the chosen exchange. */
  readonly details: readonly number[];
}

export function firstRow(page: Page): Promise<FirstRow> {
  return page.evaluate(() => {
    const grid = document.querySelector('[role=grid]');
    if (grid === null) throw new Error('There is no list.');
    const top = grid.getBoundingClientRect().top;
    const rows = [...grid.querySelectorAll('[role=row][data-index]')]
      .map((row) => ({ id: row.id, top: row.getBoundingClientRect().top - top }))
      .filter((row) => row.top >= 0)
      .sort((one, other) => one.top - other.top);
    return rows[0] ?? { id: '', top: 0 };
  });
}

/**
 * Moves the scroll bar from one share of its way to another in some frames.
 * @returns how often a row without text was on the screen
 */
export function dragScrollBar(page: Page, from: number, to: number, frames: number): Promise<number> {
  return page.evaluate(
    ([begin, end, most]) =>
      new Promise<number>((resolve) => {
        const grid = document.querySelector('[role=grid]');
        if (grid === null) throw new Error('There is no list.');
        const way = grid.scrollHeight - grid.clientHeight;
        let frame = 0;
        let blank = 0;
        const next = (): void => {
          for (const row of grid.querySelectorAll('[role=row][data-index]')) if (row.id === '') blank += 1;
          frame += 1;
          if (frame === most) {
            resolve(blank);
            return;
          }
          grid.scrollTop = way * (begin + ((end - begin) * frame) / most);
          requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
      }),
    [from, to, frames] as const,
  );
}

/** From now on the page notes how long clicks and keys take. */
export async function watchInteractions(page: Page): Promise<void> {
  await page.evaluate(() => {
    const times = { frames: [] as number[], details: [] as number[] };
    Object.assign(window, { scaleTimes: times });
    new PerformanceObserver((list) => {
      for (const { name, duration } of list.getEntries()) {
        if (name === 'pointerdown' || name === 'keydown') times.frames.push(duration);
      }
    }).observe({ type: 'event', buffered: false, durationThreshold: 16 } as PerformanceObserverInit);
    const whenShown = (event: Event): void => {
      const before = document.querySelector('[data-pane=detail] .url');
      const look = (): void => {
        const url = document.querySelector('[data-pane=detail] .url');
        if (url !== null && (url !== before || url.getAttribute('title') !== shownBefore)) {
          times.details.push(performance.now() - event.timeStamp);
        } else if (performance.now() - event.timeStamp < 1_000) requestAnimationFrame(look);
      };
      const shownBefore = before?.getAttribute('title');
      requestAnimationFrame(look);
    };
    addEventListener('pointerdown', whenShown, { capture: true });
    addEventListener('keydown', whenShown, { capture: true });
  });
}

/** What was noted since the last call. */
export function interactionTimes(page: Page): Promise<InteractionTimes> {
  return page.evaluate(() => {
    const { scaleTimes } = window as unknown as { scaleTimes: { frames: number[]; details: number[] } };
    return { frames: scaleTimes.frames.splice(0), details: scaleTimes.details.splice(0) };
  });
}
