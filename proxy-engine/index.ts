import { createTap } from './capture/create-tap.ts';
import type { CapturePort } from './capture/tap.ts';
import type { Engine, EngineObserver } from './engine.ts';
import type { EngineConfig } from './model/engine-config.ts';
import { ProxyEngine } from './net/proxy-engine.ts';
import { SystemClock } from './net/system-clock.ts';
import { chainFacts, createLeafForge } from './pki/index.ts';

export {
  authorityFacts,
  authorityFiles,
  certificateFacts,
  createCertificateAuthority,
  encodePkcs12,
  exportAuthority,
  exportAuthorityWithKey,
  importAuthority,
  issueCertificate,
  listKeptAuthorities,
  loadCertificateAuthority,
  openAuthorityFolder,
  PkiError,
  publicKeyHash,
  readCertificateFields,
  removeKeptAuthority,
  replaceAuthority,
} from './pki/index.ts';
export type {
  AuthorityFacts,
  AuthorityFormat,
  CertificateAuthorityPem,
  KeptAuthority,
  StoredAuthority,
} from './pki/index.ts';
export { createTap } from './capture/create-tap.ts';
export type { CaptureTap, TapOptions } from './capture/create-tap.ts';
export type { CaptureLosses, CapturePort, Tap } from './capture/tap.ts';
export type { Engine, EngineObserver, EngineStats } from './engine.ts';
export { createResponseDecoder } from './protocol/http1/index.ts';
export type { Http1Sink, ResponseHead } from './protocol/http1/index.ts';
export { MAGIC_HOST } from './pipeline/plan-request.ts';
export { DEFAULT_LIMITS, DEFAULT_TIMEOUTS } from './model/engine-config.ts';
export type {
  EngineCertificates,
  EngineConfig,
  EngineSettings,
  InternalPage,
  ListenerConfig,
} from './model/engine-config.ts';
export { ListenError } from './net/listen-error.ts';
export type { ListenErrorCode } from './net/listen-error.ts';

/** Bytes of capture that may be under way to the store before recording begins to degrade. */
const CAPTURE_CREDIT_BYTES = 25_165_824;
/** Longest time that a record waits in the engine's thread, ms. */
const FLUSH_AFTER_MS = 25;

/**
 * Makes an engine that works in the thread that calls this. It does nothing before `listen`.
 *
 * @param capturePort where packed records go; buffers handed over belong to it
 * @throws PkiError when the certificates are unusable
 */
export function createEngine(config: EngineConfig, capturePort: CapturePort, observer: EngineObserver = {}): Engine {
  const clock = new SystemClock();
  const tap = createTap(capturePort, {
    creditBytes: CAPTURE_CREDIT_BYTES,
    recordedBodyBytes: config.settings.limits.recordedBodyBytes,
    recording: config.capture,
    onClient: observer.onClient,
    now: () => clock.micros(),
    onUnflushed: () => {
      setTimeout(() => {
        tap.flush();
      }, FLUSH_AFTER_MS);
    },
  });
  const leaves = createLeafForge(config.certificates, { instance: config.instance });
  return new ProxyEngine(config, { tap, leaves, readChain: chainFacts, ...observer });
}
