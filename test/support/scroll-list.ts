import type { Page } from 'playwright-core';

/** Scrolls the list of exchanges for some frames; tells how often a row without text was on the screen. */
export function scrollBy(page: Page, pixels: number, frames: number): Promise<number> {
  return page.evaluate(
    ([step, most]) =>
      new Promise<number>((resolve) => {
        const grid = document.querySelector('[role=grid]');
        if (grid === null) throw new Error('There is no list.');
        let frame = 0;
        let blank = 0;
        const next = (): void => {
          for (const row of grid.querySelectorAll('[role=row][data-index]')) if (row.id === '') blank += 1;
          frame += 1;
          if (frame === most) {
            resolve(blank);
            return;
          }
          // A list that is short enough leaves the wheel to the browser, which heeds real wheels alone.
          const wheel = new WheelEvent('wheel', { deltaY: step, bubbles: true, cancelable: true });
          if (grid.dispatchEvent(wheel)) grid.scrollTop += step;
          requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
      }),
    [pixels, frames] as const,
  );
}
