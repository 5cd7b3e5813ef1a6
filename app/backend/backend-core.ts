import type { CertificateAuthorityPem, EngineSettings } from '#engine';
import type { AppSettings, Capabilities, CertificateAuthorityInfo } from '#contract';
import type { ChangeFeed } from './change-feed.ts';
import type { ClientCertificates } from './client-certificates.ts';
import type { DataFolder } from './data-folder.ts';
import type { EngineHost } from './engine-host.ts';
import type { MessageFeed } from './message-feed.ts';
import type { ProtoStore } from './proto-store.ts';
import type { SettingsKeeper } from './settings-keeper.ts';
import type { StatusBoard } from './status-board.ts';
import type { StoreHost } from './store-host.ts';

/** The parts of a running backend, as its services use them. */
export interface BackendCore {
  readonly folder: DataFolder;
  readonly engine: EngineHost;
  readonly store: StoreHost;
  readonly settings: SettingsKeeper;
  readonly clientCertificates: ClientCertificates;
  readonly protos: ProtoStore;
  readonly status: StatusBoard;
  readonly changes: ChangeFeed;
  readonly messages: MessageFeed;
  readonly authority: BackendAuthority;
  readonly capabilities: Capabilities;
  /** False when this run captures nothing at all. */
  readonly capture: boolean;
  readonly engineSettings: (settings: AppSettings) => EngineSettings;
  /** A line for the person who runs this backend. */
  readonly report: (message: string) => void;
}

/** The certificate authority in use; another one can take its place. */
export interface BackendAuthority {
  readonly pem: CertificateAuthorityPem;
  readonly file: string;
  /** As of now: its days left shrink. */
  info(): CertificateAuthorityInfo;
  /** Another one was put into the folder: everything that asks from now on gets that. */
  use(pem: CertificateAuthorityPem): void;
}
