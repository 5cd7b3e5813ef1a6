import type { ClientCertificateCalls } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers } from '../transport/server.ts';

/** Certificates go in by these calls; their keys never come out. */
export function createClientCertificateCalls({
  clientCertificates,
  engine,
  engineSettings,
  settings,
}: BackendCore): Pick<CallHandlers, keyof ClientCertificateCalls> {
  const changed = (): { certificates: ReturnType<typeof clientCertificates.list> } => {
    engine.configure(engineSettings(settings.current));
    return { certificates: clientCertificates.list() };
  };
  return {
    'clientCertificates.list': () => ({ certificates: clientCertificates.list() }),
    'clientCertificates.add'(given) {
      clientCertificates.add(given);
      return changed();
    },
    'clientCertificates.remove'({ id }) {
      clientCertificates.remove(id);
      return changed();
    },
  };
}
