import { expect, test } from 'vitest';
import { findObstacle } from './run-desktop.ts';

test('a Linux machine without a display has no window', () => {
  expect(findObstacle('linux', {}, 1000)).toBe('There is no display for a window here.');
  expect(findObstacle('linux', { DISPLAY: ':0' }, 1000)).toBeNull();
  expect(findObstacle('linux', { WAYLAND_DISPLAY: 'wayland-0' }, 1000)).toBeNull();
});

test('a window does not run as root on Linux', () => {
  expect(findObstacle('linux', { DISPLAY: ':0' }, 0)).toBe('A desktop window does not run as root.');
});

test('macOS and Windows always have a display', () => {
  expect(findObstacle('darwin', {}, 501)).toBeNull();
  expect(findObstacle('win32', {}, undefined)).toBeNull();
});
