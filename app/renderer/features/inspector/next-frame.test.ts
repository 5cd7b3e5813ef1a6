import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NextFrame } from './next-frame.ts';

let frames: (() => void)[];

beforeEach(() => {
  vi.useFakeTimers();
  frames = [];
  vi.stubGlobal('requestAnimationFrame', (callback: () => void) => frames.push(callback));
  vi.stubGlobal('cancelAnimationFrame', (id: number) => {
    frames[id - 1] = (): void => undefined;
  });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** The browser calls what waits for the frame, draws it, and goes on with tasks. */
function draw(): void {
  for (const callback of frames.splice(0)) callback();
  vi.advanceTimersByTime(0);
}

test('work runs once the frame is drawn, and once however often it is asked for', () => {
  const work = vi.fn();
  const later = new NextFrame();
  later.run(work);
  later.run(work);
  expect([later.waiting, work.mock.calls.length]).toEqual([true, 0]);
  draw();
  expect([later.waiting, work.mock.calls.length]).toEqual([false, 1]);
  vi.advanceTimersByTime(1_000);
  expect(work).toHaveBeenCalledTimes(1);
});

test('on a page that draws no frames it waits only for a moment', () => {
  const work = vi.fn();
  new NextFrame().run(work);
  vi.advanceTimersByTime(99);
  expect(work).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(work).toHaveBeenCalledTimes(1);
});

test('what was cancelled does not run, and other work can be asked for', () => {
  const [first, second] = [vi.fn(), vi.fn()];
  const later = new NextFrame();
  later.run(first);
  later.cancel();
  later.run(second);
  draw();
  vi.advanceTimersByTime(1_000);
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 1]);
});
