import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers } from '../transport/server.ts';

/** What the capture takes on the disk, and how to have it take less. */
export function createStoreCalls({ store }: BackendCore): Pick<CallHandlers, 'store.space' | 'store.compact'> {
  return {
    'store.space': (input, { signal }) => store.read('space', input, signal),
    async 'store.compact'(input, { signal }) {
      await store.write('compact', {});
      return store.read('space', input, signal);
    },
  };
}
