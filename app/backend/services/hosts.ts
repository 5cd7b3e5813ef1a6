import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers } from '../transport/server.ts';

export function createHostCalls({ store }: BackendCore): Pick<CallHandlers, 'hosts.list' | 'programs.list'> {
  return {
    'hosts.list': (input, { signal }) => store.read('hosts', input, signal),
    'programs.list': (input, { signal }) => store.read('programs', input, signal),
  };
}
