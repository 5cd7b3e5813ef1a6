export {
  authorityFacts,
  authorityFiles,
  certificateFacts,
  encodePkcs12,
  exportAuthority,
  exportAuthorityWithKey,
  loadCertificateAuthority,
  openAuthorityFolder,
  PkiError,
  publicKeyHash,
} from './pki/index.ts';
export type { AuthorityFacts, AuthorityFormat, CertificateAuthorityPem, StoredAuthority } from './pki/index.ts';
export { createTap } from './capture/create-tap.ts';
export type { CaptureTap, TapOptions } from './capture/create-tap.ts';
export { readBatch } from './capture/read-batch.ts';
export type { BatchVisitor, CapturedBodies } from './capture/read-batch.ts';
export type {
  BeginRecord,
  CaptureLosses,
  CapturePort,
  ConnectionRecord,
  EndRecord,
  ResponseRecord,
} from './capture/tap.ts';
export type { Engine, EngineStats } from './engine.ts';
export { DEFAULT_LIMITS, DEFAULT_TIMEOUTS } from './model/engine-config.ts';
export type {
  EngineCertificates,
  EngineConfig,
  EngineSettings,
  InternalPage,
  ListenerConfig,
} from './model/engine-config.ts';
