import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers } from '../transport/server.ts';

export function createSettingsCalls(core: BackendCore): Pick<CallHandlers, 'settings.get' | 'settings.set'> {
  return {
    'settings.get': () => core.settings.current,
    async 'settings.set'(change) {
      const settings = core.settings.change(change);
      core.engine.configure(core.engineSettings(settings));
      if (change.approvedClients !== undefined) core.status.devicesDecided();
      if (change.retention !== undefined) await core.store.write('retain', settings.retention);
      return settings;
    },
  };
}
