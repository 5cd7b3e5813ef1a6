import { expect, test } from 'vitest';
import { outsideArchive } from './outside-archive.ts';

test.each([
  ['/opt/Weir/resources/app.asar/out/main', '/opt/Weir/resources/app.asar.unpacked/out/main'],
  ['C:\\Weir\\resources\\app.asar\\out\\main', 'C:\\Weir\\resources\\app.asar.unpacked\\out\\main'],
  ['/opt/Weir/resources/app.asar.unpacked/out/main', '/opt/Weir/resources/app.asar.unpacked/out/main'],
  ['/home/me/weir/out/main', '/home/me/weir/out/main'],
])('what Node runs of %s stands in %s', (folder, outside) => {
  expect(outsideArchive(folder)).toBe(outside);
});
