import { expect, test } from 'vitest';
import { fileNameOf } from './exporting.svelte.ts';

test.each([
  ['Checkout, 2nd try', 'Checkout-2nd-try'],
  ['../../etc/passwd', 'etc-passwd'],
  ['Größe 20.5_b', 'Größe-20.5_b'],
  ['\u202Efdp.exe\u0000', 'fdp.exe'],
  ['///', 'weir'],
])('a file of the session %j is called %j', (session, name) => {
  expect(fileNameOf(session)).toBe(name);
});
