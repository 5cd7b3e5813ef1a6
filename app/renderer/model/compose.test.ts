import { expect, test } from 'vitest';
import { FakeBackend } from '../../../test/support/fake-backend.ts';
import { Compose } from './compose.svelte.ts';

test('a draft may be replaced as it began and once it is recorded, and not while it is written or sent', async () => {
  const compose = new Compose(new FakeBackend(1));
  expect(compose.isIdle).toBe(true);
  compose.change({ url: 'http://shop.test/cart' });
  expect(compose.isIdle).toBe(false);
  const sent = compose.send();
  expect(compose.isIdle).toBe(false);
  await sent;
  expect(compose.problem).toBeNull();
  expect(compose.isIdle).toBe(true);
  compose.change({ url: 'http://shop.test/cart/2' });
  expect(compose.isIdle).toBe(false);
  compose.reset();
  expect(compose.isIdle).toBe(true);
});
