import { ContractError } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import type { StreamHandlers } from '../transport/server.ts';

/** Listeners of other processes that attached to this backend; they end with the stream that holds them. */
export function createListenerStreams(core: BackendCore): Pick<StreamHandlers, 'listeners.hold'> {
  return {
    'listeners.hold'({ listeners }, sink, { signal }) {
      core.engine.addListeners(listeners).then(
        (opened) => {
          const release = (): void => {
            void core.engine.removeListeners(opened).then(() => {
              core.status.listenersChanged();
            });
          };
          if (signal.aborted) {
            release();
            return;
          }
          signal.addEventListener('abort', release, { once: true });
          core.status.listenersChanged();
          sink.push({ listeners: opened });
        },
        (error: unknown) => {
          const failure = error instanceof ContractError ? error : new ContractError('internal', String(error));
          sink.end(failure.toFailure());
        },
      );
    },
  };
}
