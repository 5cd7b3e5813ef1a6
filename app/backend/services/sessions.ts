import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers } from '../transport/server.ts';

export function createSessionCalls(
  core: BackendCore,
): Pick<CallHandlers, 'sessions.list' | 'sessions.clear' | 'sessions.remove' | 'sessions.rename' | 'sessions.merge'> {
  return {
    'sessions.list': (input, { signal }) => core.store.read('sessions', input, signal),
    async 'sessions.clear'() {
      // What began before the click belongs to the session that ends.
      await core.engine.flush();
      const { session } = await core.store.write('beginSession', { name: null });
      core.status.sessionChanged(session);
      return { session };
    },
    'sessions.remove': (input) => core.store.write('removeSession', input),
    'sessions.rename': (input) => core.store.write('renameSession', input),
    'sessions.merge': (input) => core.store.write('mergeSessions', input),
  };
}
