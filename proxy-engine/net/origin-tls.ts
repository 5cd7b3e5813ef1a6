import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import { isIP } from 'node:net';
import type { ConnectionRecord } from '../capture/tap.ts';
import type { EngineSettings } from '../model/engine-config.ts';
import type { ErrorCode } from '../model/error-code.ts';
import type { TlsFacts } from '../model/tls-facts.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { failure } from '../pipeline/failures.ts';
import { DEAF } from '../pipeline/link.ts';
import type { ConnectionId } from '../model/ids.ts';
import type { ExchangeError } from '../model/error-code.ts';
import type { OriginProtocol, OriginRoute } from '../pipeline/origins.ts';
import { formatAddress, remoteAddress } from './addresses.ts';
import type { KeyLog } from './key-log.ts';
import { OriginContexts } from './origin-contexts.ts';
import { SocketLink } from './socket-link.ts';
import { tlsFacts, type ChainReader } from './tls-facts.ts';

/** TLS sessions kept for resumption, one a route. */
const SESSIONS = 1_024;

/** A session, and the certificate that it was verified with: a resumed handshake does not show it again. */
interface SavedSession {
  readonly session: Buffer;
  readonly leaf: X509Certificate | undefined;
}

/** An origin connection whose handshake is done. */
export interface SecureOrigin {
  readonly id: ConnectionId;
  readonly link: SocketLink;
  readonly protocol: OriginProtocol;
  /** Makes its record. */
  readonly describe: () => ConnectionRecord;
}

/** Ends with exactly one call, unless given up. */
export interface SecureObserver {
  onSecure(origin: SecureOrigin): void;
  /** @param connection as far as it came, for the record */
  onSecureFailed(error: ExchangeError, connection: ConnectionRecord): void;
}

/** TLS towards origins: verification, resumption, and what a failure means. */
export class OriginTls {
  readonly #readChain: ChainReader;
  readonly #keyLog: KeyLog | null;
  readonly #sessions = new Map<string, SavedSession>();
  readonly #contexts: OriginContexts;

  constructor(settings: () => EngineSettings, readChain: ChainReader, keyLog: KeyLog | null) {
    this.#contexts = new OriginContexts(settings);
    this.#readChain = readChain;
    this.#keyLog = keyLog;
  }

  /** Trust changed: sessions verified before and the certificates loaded before are forgotten. */
  distrust(): void {
    this.#contexts.forget();
    this.#sessions.clear();
  }

  /** What servers that are no origins (an upstream proxy) are verified with. */
  trusted(): SecureContext {
    return this.#contexts.common();
  }

  /** Reads the certificates that origins are verified with, so that the first handshake does not wait for it. */
  prepare(): Promise<void> {
    return this.#contexts.prepare();
  }

  /**
   * Speaks TLS on a connected socket. Returns a way to give up.
   *
   * @param offered protocols for ALPN, the best first
   */
  secure(
    context: PipelineContext,
    route: OriginRoute,
    raw: Socket,
    offered: readonly OriginProtocol[],
    observer: SecureObserver,
  ): () => void {
    const id = context.takeConnectionId();
    const address = remoteAddress(raw);
    const { settings } = context;
    const verified = !isTrustedUnseen(settings, route);
    const sessionKey = `${route.host} ${String(route.port)} ${route.serverName} ${String(verified)}`;
    const saved = this.#sessions.get(sessionKey);
    const named = isIP(route.serverName) === 0;
    const chosen = this.#contexts.for(route);
    if ('problem' in chosen) {
      raw.destroy();
      const connection: ConnectionRecord = { id, side: 'origin', address, protocol: 'tls', tls: null };
      observer.onSecureFailed(failure('tls.client-certificate', chosen.problem), connection);
      return () => undefined;
    }
    const socket = connect({
      socket: raw,
      host: route.serverName,
      ...(named ? { servername: route.serverName } : {}),
      ...(saved === undefined ? {} : { session: saved.session }),
      secureContext: chosen.context,
      ...(chosen.isLegacy ? { minDHSize: 1 } : {}),
      ALPNProtocols: [...offered],
      rejectUnauthorized: false,
    });
    let leaf: X509Certificate | undefined;
    let fresh: Buffer | null = null;
    const facts = (): TlsFacts =>
      tlsFacts(socket, leaf === undefined ? [] : this.#readChain(leaf), {
        sni: named ? route.serverName : null,
        verified,
      });

    let over = false;
    let isSecure = false;
    const { tls: timeout } = settings.timeouts;
    const timer =
      timeout === 0
        ? null
        : setTimeout(() => {
            fail(
              'tls.origin-timeout',
              `${route.host} did not finish the TLS handshake within ${String(timeout)} ms (setting timeouts.tls).`,
            );
          }, timeout);
    const finish = (): void => {
      over = true;
      if (timer !== null) clearTimeout(timer);
      socket.off('error', onError);
      socket.off('close', onClose);
      socket.off('secureConnect', onSecure);
    };
    const abandon = (): void => {
      if (over) return;
      finish();
      socket.on('error', () => undefined);
      socket.destroy();
      raw.destroy();
    };
    const fail = (code: ErrorCode, message: string): void => {
      if (over) return;
      const connection: ConnectionRecord = {
        id,
        side: 'origin',
        address,
        protocol: 'tls',
        tls: leaf === undefined ? null : facts(),
      };
      abandon();
      observer.onSecureFailed(failure(code, message), connection);
    };
    const onError = (error: NodeJS.ErrnoException): void => {
      fail(handshakeCode(error.code ?? ''), handshakeMessage(route.host, error));
    };
    const onClose = (): void => {
      fail('tls.origin-handshake', `${route.host} closed the connection during the TLS handshake.`);
    };
    const onSecure = (): void => {
      // Node gives the certificate once: the second call finds none.
      leaf = socket.isSessionReused() ? saved?.leaf : socket.getPeerX509Certificate();
      if (verified && !socket.authorized) {
        const reason = verificationReason(socket);
        fail(verificationCode(reason), verificationMessage(route.serverName, reason));
        return;
      }
      finish();
      if (fresh !== null) this.#remember(sessionKey, { session: fresh, leaf });
      isSecure = true;
      const spoken: OriginProtocol = socket.alpnProtocol === 'h2' ? 'h2' : 'http/1.1';
      const describe = (): ConnectionRecord => ({ id, side: 'origin', address, protocol: spoken, tls: facts() });
      observer.onSecure({ id, link: new SocketLink(socket, DEAF, raw), protocol: spoken, describe });
    };
    socket.on('session', (session: Buffer) => {
      if (isSecure) this.#remember(sessionKey, { session, leaf });
      else fresh = session;
    });
    this.#keyLog?.follow(socket);
    socket.on('error', onError);
    socket.on('close', onClose);
    socket.on('secureConnect', onSecure);
    return abandon;
  }

  #remember(key: string, session: SavedSession): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    if (this.#sessions.size <= SESSIONS) return;
    for (const oldest of this.#sessions.keys()) {
      this.#sessions.delete(oldest);
      return;
    }
  }
}

function isTrustedUnseen(settings: PipelineContext['settings'], route: OriginRoute): boolean {
  if (settings.insecure) return true;
  if (settings.trustedHosts.length === 0) return false;
  const names = new Set([route.host, route.serverName].flatMap((name) => [name, formatAddress(name, route.port)]));
  return settings.trustedHosts.some((host) => names.has(host.toLowerCase()));
}

/** Node types the reason as an Error and gives its code. */
function verificationReason(socket: TLSSocket): string {
  const reason: unknown = socket.authorizationError;
  return typeof reason === 'string'
    ? reason
    : reason instanceof Error
      ? ((reason as NodeJS.ErrnoException).code ?? reason.message)
      : 'unknown';
}

function verificationCode(reason: string): ErrorCode {
  switch (reason) {
    case 'CERT_HAS_EXPIRED':
      return 'tls.origin-expired';
    case 'CERT_NOT_YET_VALID':
      return 'tls.origin-not-yet-valid';
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return 'tls.origin-self-signed';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'HOSTNAME_MISMATCH':
      return 'tls.origin-name-mismatch';
    default:
      return 'tls.origin-untrusted';
  }
}

function verificationMessage(host: string, reason: string): string {
  switch (verificationCode(reason)) {
    case 'tls.origin-expired':
      return `The certificate of ${host} has expired.`;
    case 'tls.origin-not-yet-valid':
      return `The certificate of ${host} is not valid yet.`;
    case 'tls.origin-self-signed':
      return `The certificate of ${host} is signed by itself.`;
    case 'tls.origin-name-mismatch':
      return `The certificate that was presented is not for ${host}.`;
    default:
      return `The certificate of ${host} was not issued by an authority that is trusted here (${reason}).`;
  }
}

/** What a TLS library's error towards the origin means. */
function handshakeCode(code: string): ErrorCode {
  if (code.includes('CERTIFICATE_REQUIRED')) return 'tls.origin-wants-certificate';
  return 'tls.origin-handshake';
}

function handshakeMessage(host: string, error: NodeJS.ErrnoException): string {
  if (error.code === 'ERR_SSL_WRONG_VERSION_NUMBER' || error.code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return `${host} does not speak TLS on this port.`;
  }
  if (error.code === 'ECONNRESET') return `${host} closed the connection during the TLS handshake.`;
  return `The TLS handshake with ${host} failed (${error.code ?? error.message}).`;
}
