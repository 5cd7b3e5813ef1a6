import type { BackendCore } from './backend-core.ts';
import { createAppCalls, createAppStreams } from './services/app.ts';
import type { BenchService } from './services/bench.ts';
import type { BrowserService } from './services/browsers.ts';
import { createCaCalls } from './services/ca.ts';
import { createCaptureCalls } from './services/capture.ts';
import { createClientCertificateCalls } from './services/client-certificates.ts';
import { ConversationService } from './services/conversations.ts';
import { createExchangeCalls, createExchangeStreams } from './services/exchanges.ts';
import { createExportCalls, createExportStreams } from './services/exports.ts';
import { createHostCalls } from './services/hosts.ts';
import { createImportCalls } from './services/import.ts';
import { createListenerStreams } from './services/listeners.ts';
import { createMessageCalls, createMessageStreams } from './services/messages.ts';
import { createProtoCalls } from './services/protos.ts';
import { createReplayCalls, createReplayStreams } from './services/replay.ts';
import { createSampleCalls } from './services/sample.ts';
import { createSessionCalls } from './services/sessions.ts';
import { createSettingsCalls } from './services/settings.ts';
import { createSetupCalls } from './services/setup.ts';
import { createStoreCalls } from './services/store.ts';
import type { SystemProxyService } from './services/system-proxy.ts';
import { createTrustCalls } from './services/trust.ts';
import type { Services } from './transport/server.ts';

/** Every call and stream of the contract over the parts of one backend. */
export function createServices(
  core: BackendCore,
  systemProxy: SystemProxyService,
  browsers: BrowserService,
  bench: BenchService,
): Services {
  const conversations = new ConversationService(core);
  return {
    calls: {
      ...createAppCalls(core),
      ...createClientCertificateCalls(core),
      ...createProtoCalls(core),
      ...createCaptureCalls(core),
      ...createSessionCalls(core),
      ...createExchangeCalls(core),
      ...createMessageCalls(core),
      ...createExportCalls(core),
      ...createHostCalls(core),
      ...createStoreCalls(core),
      ...createCaCalls(core),
      ...browsers.calls,
      ...createSetupCalls(core),
      ...systemProxy.calls,
      ...createTrustCalls(core),
      ...bench.calls,
      ...createReplayCalls(core),
      ...conversations.calls,
      ...createImportCalls(core),
      ...createSampleCalls(core),
      ...createSettingsCalls(core),
    },
    streams: {
      ...createAppStreams(core),
      ...createExchangeStreams(core),
      ...createMessageStreams(core),
      ...createReplayStreams(core),
      ...conversations.streams,
      ...createExportStreams(core),
      ...createListenerStreams(core),
      ...bench.streams,
    },
  };
}
