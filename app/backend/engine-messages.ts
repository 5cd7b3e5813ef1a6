import type { MessagePort } from 'node:worker_threads';
import type { CertificateAuthorityPem, EngineConfig, EngineSettings, EngineStats, ListenerConfig } from '#engine';
import type { NewClient } from './client-programs.ts';
import type { ContractFailure, ListenerInfo } from '#contract';

/** What an engine's thread is asked to do. */
export interface EngineCalls {
  /** Makes the engine and opens its listeners. Fails with `conflict` when an address cannot be listened on. */
  start: { input: EngineStart; output: readonly ListenerInfo[] };
  addListeners: { input: readonly ListenerConfig[]; output: readonly ListenerInfo[] };
  removeListeners: { input: readonly ListenerInfo[]; output: null };
  stats: { input: null; output: EngineStats };
  /** What the tap holds is with the store when it answers. */
  flush: { input: null; output: null };
  stop: { input: { readonly drainMs: number }; output: null };
}

export interface EngineStart {
  readonly config: EngineConfig;
  /** Where batches go: the other end is with the store's writer. Null when nothing is captured. */
  readonly capturePort: MessagePort | null;
}

export type EngineCommand =
  | {
      [Name in keyof EngineCalls]: {
        readonly type: 'call';
        readonly id: number;
        readonly name: Name;
        readonly input: EngineCalls[Name]['input'];
      };
    }[keyof EngineCalls]
  /** Takes another port for batches: the store's writer was started again. */
  | { readonly type: 'capture'; readonly port: MessagePort }
  | { readonly type: 'configure'; readonly settings: EngineSettings }
  | { readonly type: 'authority'; readonly authority: CertificateAuthorityPem }
  | { readonly type: 'recording'; readonly on: boolean };

export type EngineEvent =
  | { readonly type: 'result'; readonly id: number; readonly output: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly failure: ContractFailure }
  /** Programs of this computer connected, a turn's worth at once. */
  | { readonly type: 'clients'; readonly clients: readonly NewClient[] }
  /** Another machine was turned away. */
  | { readonly type: 'unknown-client'; readonly address: string };
