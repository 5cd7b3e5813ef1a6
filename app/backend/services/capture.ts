import { ContractError } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers } from '../transport/server.ts';

export function createCaptureCalls(core: BackendCore): Pick<CallHandlers, 'capture.setRecording'> {
  return {
    async 'capture.setRecording'({ on }) {
      if (!core.capture) {
        throw new ContractError('unavailable', 'Weir was started with --no-capture. Start it without to record.');
      }
      core.engine.setRecording(on);
      await core.status.recordingChanged(on);
      return {};
    },
  };
}
