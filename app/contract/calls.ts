import type { AuthorityCalls } from './authority-calls.ts';
import type { ClientCertificateCalls } from './client-certificate-calls.ts';
import type { ExchangeDetail, ExchangeSummary, MessageSide } from '../../proxy-engine/model/exchange.ts';
import type { ExchangeId, SessionId } from '../../proxy-engine/model/ids.ts';
import type { ListenerConfig, ListenerInfo } from '../../proxy-engine/model/engine-config.ts';
import type { ConversationCalls, ConversationStreams } from './conversation.ts';
import type { ExportCalls, ExportStreams } from './export.ts';
import type { ImportCalls } from './import.ts';
import type { ReplayLoad, ReplayOutcome, ReplayProgress, ReplayRequest } from './replay.ts';
import type { BenchCalls, BenchStreams } from './bench-calls.ts';
import type { FrameCalls } from './frames.ts';
import type { MessageCalls, MessageStreams } from './messages.ts';
import type { ProtoCalls } from './proto-calls.ts';
import type { SetupCalls } from './setup-calls.ts';

/** What this host can do. The page asks for these and never which host it runs in. */
export interface Capabilities {
  /** The window has native chrome of ours (title bar overlay); the toolbar leaves room and drags. */
  readonly windowChrome: 'none' | 'macos' | 'overlay';
  /** A browser can be started on the machine that shows the page. */
  readonly openBrowser: boolean;
  /** Files can be written to a path that the user chose; otherwise the page downloads them. */
  readonly saveFile: boolean;
}

export interface CertificateAuthorityInfo {
  readonly subject: string;
  readonly notBefore: string;
  readonly notAfter: string;
  /** SHA-256 of the DER, upper-case hex with colons. */
  readonly fingerprint: string;
  readonly file: string;
  /** Days until it ends; negative when it has. */
  readonly daysLeft: number;
}

/** Why the store does not record, and what a person can do. */
export interface StoreTrouble {
  readonly code: 'disk-full' | 'not-writable' | 'damaged' | 'failed';
  readonly message: string;
  /** When it began, microseconds since the Unix epoch. */
  readonly since: number;
  readonly lostExchanges: number;
}

export interface SessionInfo {
  readonly id: SessionId;
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly exchanges: number;
  /** Invented traffic that the user asked to see. */
  readonly sample: boolean;
}

/** Everything that the toolbar and the status bar show. Sent as a stream, whole each time. */
export interface AppStatus {
  readonly recording: boolean;
  /** Exchanges that passed since recording was paused. */
  readonly passedWhilePaused: number;
  readonly listeners: readonly ListenerInfo[];
  readonly session: SessionInfo;
  /** Exchanges begun a second, averaged over the last two seconds. */
  readonly rate: number;
  /** Resident memory of the backend, bytes. */
  readonly memoryBytes: number;
  readonly storeTrouble: StoreTrouble | null;
  readonly lostBodies: number;
  readonly lostExchanges: number;
  readonly certificateAuthority: CertificateAuthorityInfo;
  /** Set when the engine stopped unexpectedly and was started again, microseconds since the Unix epoch. */
  readonly restartedAt: number | null;
  /** Exchanges that are not in the full-text index yet, 100,000 at most; searches look into each of them. */
  readonly searchLag: number;
  /** Somebody had Weir send the programs of this user to it. */
  readonly systemProxy: boolean;
  /** Addresses of other machines that were turned away and that nobody has decided about. */
  readonly waitingDevices: readonly string[];
  /** Another number whenever the schemas of Protocol Buffers have changed. */
  readonly protos: number;
}

export interface AppInfo {
  readonly version: string;
  readonly platform: string;
  readonly dataFolder: string;
  readonly capabilities: Capabilities;
  /** The command that a person pastes into a terminal. */
  readonly terminalLine: string;
}

/** How much of the past is kept. 0 means without a limit; pinned exchanges and sample traffic are never deleted by it. */
export interface RetentionSettings {
  readonly days: number;
  /** Of rows and bodies together. */
  readonly bytes: number;
  readonly exchanges: number;
}

/** What the capture takes on the disk, bytes. */
export interface StoreSpace {
  /** Rows, heads and short bodies. */
  readonly rowBytes: number;
  /** Bodies with a file of their own; equal ones count once. */
  readonly bodyBytes: number;
  readonly searchBytes: number;
  /** What compacting would give back at once. */
  readonly freeBytes: number;
  /** Exchanges in all sessions. */
  readonly exchanges: number;
  /** Exchanges that were deleted and can still be brought back. */
  readonly deleted: number;
}

export type SortColumn = 'time' | 'status' | 'host' | 'size' | 'duration' | 'method' | 'type';

export interface ExchangeQuery {
  readonly session: SessionId;
  /** Query language of the filter box; empty for all. */
  readonly filter: string;
  readonly sort: SortColumn;
  readonly descending: boolean;
  /** Only exchanges up to this id: a snapshot that later traffic does not move. Absent or null for all. */
  readonly upTo?: ExchangeId | null;
}

/** Position of a row in an order; opaque to the reader. */
export type PageKey = string;

export interface ExchangePage {
  /** Fewer than were asked for at the end, and where matches are so far apart that they are given as they are found. */
  readonly rows: readonly ExchangeSummary[];
  /** Key to go on from; null at the end. */
  readonly next: PageKey | null;
}

/** How a body is read: as it came (content-encoded), or decoded from its content codings. */
export type BodyForm = 'stored' | 'decoded';

export interface BodyWindow {
  readonly bytes: Uint8Array;
  /** Size of the body in this form; null while it is not known (still coming, or not decoded to its end yet). */
  readonly totalBytes: number | null;
  /** Decoding stopped early: `cut` (the stored bytes end early), `damaged`, `budget` (a bomb), `unsupported` (an unknown coding). */
  readonly stopped: 'cut' | 'damaged' | 'budget' | 'unsupported' | null;
}

export interface FoundBrowser {
  readonly name: string;
  readonly path: string;
}

export interface OpenedBrowser {
  readonly name: string;
  readonly pid: number;
}

/** One name and value in a settings form. Keys are those of `EngineTimeouts` and `EngineLimits` plus a few of the app's. */
export interface AppSettings {
  readonly passthroughHosts: readonly string[];
  readonly trustedHosts: readonly string[];
  readonly timeouts: Readonly<Record<string, number>>;
  readonly limits: Readonly<Record<string, number>>;
  /** Adds Via and X-Forwarded-* to what is forwarded. */
  readonly forwardedFields: boolean;
  /** Forwards and flags heads whose lines end in a bare line feed, instead of refusing them. */
  readonly tolerateBareLineFeed: boolean;
  /** Takes white space around values of HTTP/2 responses away and flags it, instead of resetting the stream. */
  readonly stripOuterSpace: boolean;
  /** Lets a client half-close its connection during an exchange instead of cancelling it. */
  readonly clientHalfClose: boolean;
  readonly retention: RetentionSettings;
  /** Proxy that origins are reached through: an http, https or socks5 URL; empty for none. */
  readonly upstreamProxy: string;
  /** `PATTERN URL` or `PATTERN direct`, the first that fits counts. */
  readonly upstreamRules: readonly string[];
  /** Hosts that are reached without an upstream proxy. */
  readonly noProxy: readonly string[];
  /** What clients of the proxy must show; null lets everyone of this machine in. */
  readonly proxyAuthentication: { readonly user: string; readonly password: string } | null;
  /** Addresses, or ranges like 192.168.0.0/16, of other machines that may use the listeners. */
  readonly approvedClients: readonly string[];
  /** Hosts that are met with old versions and weak keys of TLS. */
  readonly legacyHosts: readonly string[];
  /** Relays TLS to a host unopened for a while after clients refused its leaf. */
  readonly autoPassthrough: boolean;
  /** Takes offers of HTTP/3 out of Alt-Svc. */
  readonly stripHttp3Offers: boolean;
  /** Records the frames of HTTP/2 connections. */
  readonly recordFrames: boolean;
}

/** The calls of the contract: one request, one answer. Inputs are validated where they arrive. */
export interface Calls
  extends
    SetupCalls,
    MessageCalls,
    FrameCalls,
    BenchCalls,
    ClientCertificateCalls,
    ProtoCalls,
    ImportCalls,
    ExportCalls,
    AuthorityCalls,
    ConversationCalls {
  'app.info': { input: Record<string, never>; output: AppInfo };
  'capture.setRecording': { input: { on: boolean }; output: Record<string, never> };
  'sessions.list': { input: Record<string, never>; output: { sessions: readonly SessionInfo[] } };
  /** Ends the current session and begins a new, empty one. */
  'sessions.clear': { input: Record<string, never>; output: { session: SessionInfo } };
  /** Deletes a session and everything in it. Fails with `not-found`, or `conflict` for the current one. */
  'sessions.remove': { input: { id: SessionId }; output: Record<string, never> };
  'sessions.rename': { input: { id: SessionId; name: string }; output: { session: SessionInfo } };
  /** Moves everything of `from` into `into`. Fails with `not-found`, or `conflict` when `from` is the current one. */
  'sessions.merge': { input: { from: SessionId; into: SessionId }; output: { session: SessionInfo } };
  /** At most 500 rows a call, after `after` in the query's order. Fails with `bad-filter` and its position. */
  'exchanges.query': { input: ExchangeQuery & { after: PageKey | null; limit: number }; output: ExchangePage };
  /** At most 500 rows a call, from the given index of the query's order; for jumping with the scroll bar. */
  'exchanges.queryAt': { input: ExchangeQuery & { index: number; limit: number }; output: ExchangePage };
  /** How many rows a query has. */
  'exchanges.count': {
    input: { session: SessionId; filter: string; upTo?: ExchangeId | null };
    output: { count: number };
  };
  /** Where an exchange stands in a query's order, for keeping a selection in view; null when the query leaves it out. */
  'exchanges.indexOf': { input: ExchangeQuery & { id: ExchangeId }; output: { index: number | null } };
  /** Ids alone of a stretch of a query, at most 100,000 a call: for choosing many. */
  'exchanges.ids': {
    input: ExchangeQuery & { index: number; limit: number };
    output: { ids: readonly ExchangeId[] };
  };
  /** Labels (0 for none, 1 to 6) or pins; at most 100,000 at once. Absent marks stay as they are. */
  'exchanges.mark': {
    input: { ids: readonly ExchangeId[]; label?: number; pinned?: boolean };
    output: Record<string, never>;
  };
  /** Fails with `not-found`. */
  'exchanges.comment': { input: { id: ExchangeId; text: string }; output: Record<string, never> };
  /** Deletes; `exchanges.restore` brings back what it returned, for a minute at least. */
  'exchanges.remove': { input: { ids: readonly ExchangeId[] }; output: { ids: readonly ExchangeId[] } };
  'exchanges.restore': { input: { ids: readonly ExchangeId[] }; output: { ids: readonly ExchangeId[] } };
  /** What the capture takes on the disk. */
  'store.space': { input: Record<string, never>; output: StoreSpace };
  /** Deletes for good what was deleted, applies the retention and gives free space back to the disk. */
  'store.compact': { input: Record<string, never>; output: StoreSpace };
  'exchanges.get': { input: { id: ExchangeId }; output: ExchangeDetail };
  /** At most 256 KiB a call. Fails with `not-found` or `body-dropped`. */
  'exchanges.readBody': {
    input: { id: ExchangeId; side: MessageSide; form: BodyForm; offset: number; length: number };
    output: BodyWindow;
  };
  /** The exact bytes of head and body, `received` or as forwarded (`sent`). At most 256 KiB a call. */
  'exchanges.readRaw': {
    input: { id: ExchangeId; side: MessageSide; as: 'received' | 'sent'; offset: number; length: number };
    output: BodyWindow;
  };
  /** One exchange as a cURL command. */
  'exchanges.exportCurl': { input: { id: ExchangeId }; output: { text: string } };
  /** Numbers of hosts of a session, for the sidebar. */
  'hosts.list': {
    input: { session: SessionId };
    output: { hosts: readonly { host: string; port: number; exchanges: number; errors: number }[] };
  };
  /** Numbers of client programs of a session, the busiest first. */
  'programs.list': {
    input: { session: SessionId };
    output: { programs: readonly { name: string; exchanges: number; errors: number }[] };
  };
  'ca.export': { input: { format: 'pem' | 'der' | 'p12' }; output: { bytes: Uint8Array; fileName: string } };
  /** Browsers found here and the paths that were searched. */
  'browsers.list': {
    input: Record<string, never>;
    output: { found: readonly FoundBrowser[]; searched: readonly string[] };
  };
  /** Starts a fresh profile that trusts our CA for itself alone, at `url` or at Weir's welcome. Fails with `no-browser`. */
  'browsers.open': { input: { path: string | null; url: string | null }; output: OpenedBrowser };
  /** Invented traffic of a shop, in a session of its own that becomes the shown one. */
  'sample.show': { input: Record<string, never>; output: { session: SessionInfo } };
  'sample.remove': { input: Record<string, never>; output: Record<string, never> };
  /** Sends a request. Fails with `not-found`, `bad-input` or `body-dropped` before that, with `unavailable` when it cannot. */
  'replay.send': { input: ReplayRequest; output: ReplayOutcome };
  /** Replays of an exchange, oldest first; at most the newest thousand. */
  'replay.list': { input: { id: ExchangeId }; output: { ids: readonly ExchangeId[] } };
  'settings.get': { input: Record<string, never>; output: AppSettings };
  'settings.set': { input: Partial<AppSettings>; output: AppSettings };
}

/** The streams of the contract: items until either side ends them. */
export interface Streams extends MessageStreams, BenchStreams, ExportStreams, ConversationStreams {
  'app.status': { input: Record<string, never>; item: AppStatus };
  /** Sends a request many times, for as long as the stream is open; it ends with the run. The last item is done. */
  'replay.run': { input: { request: ReplayRequest; load: ReplayLoad }; item: ReplayProgress };
  /** Row summaries as they begin and change. Coalesced by id while out of credit. */
  'exchanges.changed': { input: { session: SessionId }; item: ExchangeSummary };
  /**
   * Opens listeners for as long as the stream is open: a second `weir serve` on a data folder. One item says where they
   * accept. Ends with `conflict` when an address cannot be listened on; none is open then.
   */
  'listeners.hold': {
    input: { listeners: readonly ListenerConfig[] };
    item: { readonly listeners: readonly ListenerInfo[] };
  };
}

export type CallName = keyof Calls;
export type StreamName = keyof Streams;

export type ContractErrorCode =
  | 'bad-input'
  | 'bad-filter'
  | 'not-found'
  | 'body-dropped'
  | 'conflict'
  | 'no-browser'
  | 'unavailable'
  | 'cancelled'
  | 'internal';

/** A call or stream that failed, as it crosses the wire. */
export interface ContractFailure {
  readonly code: ContractErrorCode;
  /** For a person: what, why, next step. */
  readonly message: string;
  /** `bad-filter`: where in the text, in UTF-16 units. */
  readonly position?: number;
  readonly end?: number;
}
