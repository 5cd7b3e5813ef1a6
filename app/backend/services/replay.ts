import { ContractError } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers, StreamHandlers } from '../transport/server.ts';
import type { CaptureSource } from './replay/captured-request.ts';
import { runLoad } from './replay/run-load.ts';
import { sendOnce } from './replay/send-once.ts';

function sourceOf({ store }: BackendCore): CaptureSource {
  return {
    get: (id) => store.read('get', { id }),
    readBody: (input) => store.read('readBody', input),
    readRaw: (input) => store.read('readRaw', input),
  };
}

/** Sends requests again, or requests that were composed, through this Weir's own engine. */
export function createReplayCalls(core: BackendCore): Pick<CallHandlers, 'replay.send' | 'replay.list'> {
  return {
    'replay.send': (request, { signal }) => sendOnce(core, sourceOf(core), request, signal),
    'replay.list': (input, { signal }) => core.store.read('replays', input, signal),
  };
}

/** Runs of many replays, each as long as its stream is open. */
export function createReplayStreams(core: BackendCore): Pick<StreamHandlers, 'replay.run'> {
  return {
    'replay.run'({ request, load }, sink, { signal }) {
      runLoad(
        core,
        sourceOf(core),
        request,
        load,
        (progress) => {
          sink.push(progress);
        },
        signal,
      ).then(
        () => {
          sink.end();
        },
        (error: unknown) => {
          const failure = error instanceof ContractError ? error : new ContractError('internal', String(error));
          sink.end(failure.toFailure());
        },
      );
    },
  };
}
