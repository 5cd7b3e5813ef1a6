import { expect, test } from 'vitest';
import { openStoreKit } from '../../../test/support/store-kit.ts';

test('a session beside the current one is not taken for the interrupted one after a crash', () => {
  using kit = openStoreKit();
  kit.record({});
  kit.commit();
  const beside = kit.writer.addSession('import.har', false);
  expect(beside.endedAt).not.toBeNull();
  // The first writer never closes, as in a crash; another one opens the folder.
  using after = openStoreKit(kit.folder);
  expect(after.opened.session.id).toBe(kit.opened.session.id);
  expect(after.opened.session.id).not.toBe(beside.id);
});
