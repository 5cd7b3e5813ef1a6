import type { ListenerMode } from './listener-mode.ts';

/** One listening socket. Port 0 lets the system choose. */
export interface ListenerConfig {
  readonly mode: ListenerMode;
  readonly host: string;
  readonly port: number;
}

/** A listener that accepts. */
export interface ListenerInfo {
  /** The mode as the command line writes it, without its address. */
  readonly mode: string;
  readonly address: string;
  readonly port: number;
}

/** Milliseconds; 0 switches one off. Each is a setting whose key is its name here, and errors name that key. */
export interface EngineTimeouts {
  readonly requestHead: number;
  readonly resolve: number;
  readonly connect: number;
  readonly tls: number;
  readonly firstByte: number;
  readonly idle: number;
  readonly total: number;
  /** An idle client connection is closed after this. */
  readonly keepAlive: number;
  /** An idle origin connection is closed after this. */
  readonly originKeepAlive: number;
  /** A UDP session ends when nothing moved for this long. */
  readonly udpIdle: number;
}

/** Each is a setting whose key is its name here, and errors name that key. */
export interface EngineLimits {
  readonly requestLineBytes: number;
  readonly headBytes: number;
  readonly fields: number;
  readonly chunkExtensionBytes: number;
  /** A request body up to this may be held for a retry. */
  readonly retryBodyBytes: number;
  /** Idle connections kept to one origin. */
  readonly idlePerOrigin: number;
  /** Bytes of one body that are recorded; the rest passes uncaptured. */
  readonly recordedBodyBytes: number;
  /** HTTP/2: streams that a peer may have open at once on one connection. */
  readonly concurrentStreams: number;
  /** HTTP/2: bytes that a peer may have under way on one stream while they do not leave Weir. */
  readonly streamWindowBytes: number;
  /** HTTP/2: bytes that a peer may have under way on one connection. */
  readonly connectionWindowBytes: number;
  /** HTTP/2: CONTINUATION frames of one header block. */
  readonly continuations: number;
  /** HTTP/2, each within ten seconds of one connection: frames that cost work and carry nothing. */
  readonly settingsFrames: number;
  readonly pings: number;
  /** Beyond the streams that ran to their end. */
  readonly resets: number;
  readonly emptyFrames: number;
  /** PRIORITY and frames of unknown types. */
  readonly ignoredFrames: number;
  readonly windowUpdates: number;
  readonly malformedStreams: number;
  /** UDP: sessions that one listener or association may have at once. */
  readonly udpSessions: number;
}

export const DEFAULT_TIMEOUTS: EngineTimeouts = {
  requestHead: 60_000,
  resolve: 10_000,
  connect: 10_000,
  tls: 10_000,
  firstByte: 0,
  idle: 600_000,
  total: 0,
  keepAlive: 75_000,
  originKeepAlive: 60_000,
  udpIdle: 60_000,
};

export const DEFAULT_LIMITS: EngineLimits = {
  requestLineBytes: 65_536,
  headBytes: 262_144,
  fields: 1_000,
  chunkExtensionBytes: 16_384,
  retryBodyBytes: 65_536,
  idlePerOrigin: 256,
  recordedBodyBytes: Number.MAX_SAFE_INTEGER,
  concurrentStreams: 128,
  streamWindowBytes: 262_144,
  connectionWindowBytes: 16_777_216,
  continuations: 64,
  settingsFrames: 200,
  pings: 2_000,
  resets: 400,
  emptyFrames: 1_000,
  ignoredFrames: 10_000,
  windowUpdates: 200_000,
  malformedStreams: 200,
  udpSessions: 1_024,
};

/** A page that Weir itself answers: the magic host `weir.test` and plain visits to the proxy port. */
export interface InternalPage {
  readonly status: number;
  readonly contentType: string;
  /** Adds a Content-Disposition with this name. */
  readonly fileName: string | null;
  readonly body: Uint8Array;
}

/** What may change while the engine runs. */
export interface EngineSettings {
  readonly timeouts: EngineTimeouts;
  readonly limits: EngineLimits;
  /** Hosts whose TLS is relayed without interception: `example.com`, `*.example.com`, `host:port`, an address. */
  readonly passthroughHosts: readonly string[];
  /** Hosts whose origin certificate is not verified (`host` or `host:port`), chosen by the user one by one. */
  readonly trustedHosts: readonly string[];
  /** Switches origin verification off for every host. */
  readonly insecure: boolean;
  /** PEM certificates trusted beside the system's roots on the origin leg. */
  readonly originCertificateAuthorities: readonly string[];
  /** Answered without an origin, by path; asked for at `http(s)://weir.test/` or on the proxy port itself. */
  readonly internalPages: Readonly<Record<string, InternalPage>>;
  /** `host:port` that a name resolves to inside Weir, by lower-case host name. */
  readonly hostOverrides: Readonly<Record<string, string>>;
  /** Adds Via and X-Forwarded-* when true; off by default, see docs/protocols.md. */
  readonly forwardedFields: boolean;
  /** Forwards heads whose lines end in a bare line feed and flags them, instead of refusing them. */
  readonly tolerateBareLineFeed: boolean;
  /** Takes white space around values of HTTP/2 responses away and flags it, instead of resetting the stream (RFC 9113 §8.2.1). */
  readonly stripOuterSpace: boolean;
  /** Lets a client half-close its connection during an HTTP/1 exchange instead of cancelling the exchange. */
  readonly clientHalfClose: boolean;
  /** Proxy that origins are reached through, as a URL (`parseProxyUrl`); empty for none. */
  readonly upstreamProxy: string;
  /** `PATTERN URL` or `PATTERN direct`: a proxy of their own for some hosts; the first that fits counts. */
  readonly upstreamRules: readonly string[];
  /** Hosts that are reached without an upstream proxy, unless a rule names them; as in the variable NO_PROXY. */
  readonly noProxy: readonly string[];
  /** What clients of the proxy must show, or null. */
  readonly proxyAuthentication: Credentials | null;
  /** Addresses, or ranges like 192.168.0.0/16, of other machines that may use the listeners. */
  readonly approvedClients: readonly string[];
  /** Shown to origins that ask for one. */
  readonly clientCertificates: readonly ClientCertificate[];
  /** Hosts that are met with old versions and weak keys of TLS, as far as the library still can. */
  readonly legacyHosts: readonly string[];
  /** Relays TLS to a host unopened for a while after clients refused its leaf. */
  readonly autoPassthrough: boolean;
  /** Takes offers of HTTP/3 out of Alt-Svc, instead of only flagging them. */
  readonly stripHttp3Offers: boolean;
  /** Records the frames of HTTP/2 connections, beside the exchanges that they carry. */
  readonly recordFrames: boolean;
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

/** A certificate with its key for some hosts: as PEM, or as PKCS #12. */
export interface ClientCertificate {
  /** Hosts as in `passthroughHosts`. */
  readonly host: string;
  readonly identity:
    | { readonly kind: 'pem'; readonly certificate: string; readonly key: string; readonly passphrase: string | null }
    | { readonly kind: 'p12'; readonly bytes: Uint8Array; readonly passphrase: string };
}

/** Certificates that the engine forges with and presents. PEM. */
export interface EngineCertificates {
  readonly caCertificate: string;
  readonly caKey: string;
  readonly leafKey: 'ecdsa' | 'rsa';
  /** Own certificate for reverse listeners and TLS to the proxy itself; forged when absent. */
  readonly own: { readonly certificate: string; readonly key: string } | null;
}

/** Everything that an engine needs to begin. Plain data: it crosses into a worker thread. */
export interface EngineConfig {
  readonly listeners: readonly ListenerConfig[];
  readonly certificates: EngineCertificates;
  readonly settings: EngineSettings;
  /** `address:port` of Weir's other listening sockets (the control port), for the loop guard. */
  readonly ownAddresses: readonly string[];
  /** Random name of this instance, for the marker on upstream-proxy hops. */
  readonly instance: string;
  /** First exchange and connection ids of this worker, and the step between two ids (the number of workers). */
  readonly firstExchangeId: number;
  readonly firstConnectionId: number;
  readonly idStep: number;
  /** False: nothing is ever recorded, and the taps cost nothing. */
  readonly capture: boolean;
  /** File that TLS secrets of both legs are appended to (NSS key log format), or null. */
  readonly keyLogFile: string | null;
  /** Several workers share each listening port (`SO_REUSEPORT`). */
  readonly sharedPorts: boolean;
}
