import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers } from '../transport/server.ts';

export function createHostCalls({ store }: BackendCore): Pick<CallHandlers, 'hosts.list'> {
  return {
    'hosts.list': (input, { signal }) => store.read('hosts', input, signal),
  };
}
