import { MessageChannel } from 'node:worker_threads';
import { createTap } from '#engine';
import type { SessionInfo } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import type { NamedClient } from '../store/exchange-edits.ts';
import type { CallHandlers } from '../transport/server.ts';
import { makeSampleClock, playSample } from './sample/play-sample.ts';
import { sampleProgramAt } from './sample/player.ts';

/**
 * The invented traffic has ids of its own, far above those of real traffic. There is at most one sample session in a
 * data folder, so the same ones serve every time.
 */
const FIRST_SAMPLE_ID = 2 ** 40;
const CREDIT_BYTES = 2 ** 30;

/** Invented traffic of a shop, in a session of its own. */
export function createSampleCalls(core: BackendCore): Pick<CallHandlers, 'sample.show' | 'sample.remove'> {
  const { store } = core;
  let showing: Promise<SessionInfo> | null = null;

  async function findSession(): Promise<SessionInfo | null> {
    const { sessions } = await store.read('sessions', {});
    return sessions.find(({ sample }) => sample) ?? null;
  }

  async function show(): Promise<SessionInfo> {
    const present = await findSession();
    if (present !== null) return present;
    const { session } = await store.write('addSession', { name: 'Sample shop', sample: true });
    const { port1, port2 } = new MessageChannel();
    store.attach(port2, session.id);
    const clock = makeSampleClock();
    const clients: NamedClient[] = [];
    const tap = createTap(
      {
        post: (batch) => {
          port1.postMessage(batch, [batch]);
        },
      },
      {
        creditBytes: CREDIT_BYTES,
        recordedBodyBytes: CREDIT_BYTES,
        now: () => clock.now,
        onClient: (connection, address) => {
          clients.push({ connection, ...sampleProgramAt(address) });
        },
      },
    );
    playSample(tap, FIRST_SAMPLE_ID, FIRST_SAMPLE_ID, clock);
    tap.flush();
    await store.write('flush', {});
    await store.write('namePrograms', { clients });
    port1.close();
    return (await findSession()) ?? session;
  }

  return {
    async 'sample.show'() {
      showing ??= show().finally(() => (showing = null));
      return { session: await showing };
    },
    async 'sample.remove'() {
      const session = await findSession();
      if (session !== null) await store.write('removeSession', { id: session.id });
      return {};
    },
  };
}
