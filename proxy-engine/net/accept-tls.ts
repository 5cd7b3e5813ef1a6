import { TLSSocket } from 'node:tls';
import type { ErrorCode } from '../model/error-code.ts';
import type { TlsFacts } from '../model/tls-facts.ts';
import { ExchangeRecord } from '../pipeline/exchange-record.ts';
import { failure } from '../pipeline/failures.ts';
import { DEAF } from '../pipeline/link.ts';
import type { OriginProtocol } from '../pipeline/origins.ts';
import type { ClientHello } from '../protocol/tls-hello/index.ts';
import { helloFacts, type ClientTlsState } from './client-entry.ts';
import type { Doorkeeping, ServedLeaf } from './doorkeeping.ts';
import { takeEarly } from './socket-layers.ts';
import { SocketLink } from './socket-link.ts';
import type { Visitor } from './visitor.ts';

/** A client that has sent its ClientHello. */
export interface TlsArrival {
  readonly link: SocketLink;
  /** Everything that was read from it. */
  readonly bytes: Buffer;
  readonly hello: ClientHello;
  readonly leaf: ServedLeaf;
  /** Protocols that the client may choose from by ALPN, the best first. */
  readonly offered: readonly string[];
  readonly visitor: Visitor;
  /** Where the client believes to be, for the row of a failed handshake. */
  readonly host: string;
  readonly port: number;
  /** The handshake is done; the link still has to be resumed. */
  readonly onSecure: (link: SocketLink, tls: ClientTlsState) => void;
}

/** What we speak with clients, as ALPN names it, the best first. */
export const HTTP_PROTOCOLS = ['h2', 'http/1.1', 'http/1.0'] as const;
const HTTP1_PROTOCOLS = ['http/1.1', 'http/1.0'] as const;

/** Whether a client would take one of the protocols that we speak; one that names none takes any. */
export function speaksHttp(hello: ClientHello): boolean {
  return hello.alpn.length === 0 || HTTP_PROTOCOLS.some((name) => hello.alpn.includes(name));
}

/** Whether a client has something to choose between, so that what its origin speaks decides. */
export function hasChoice(hello: ClientHello): boolean {
  return hello.alpn.includes('h2') && HTTP1_PROTOCOLS.some((name) => hello.alpn.includes(name));
}

/** What to offer a client that has a choice: what its origin speaks; everything when that is unknown. */
export function protocolsLike(origin: OriginProtocol | null): readonly string[] {
  return origin === 'http/1.1' ? HTTP1_PROTOCOLS : HTTP_PROTOCOLS;
}

/** Bytes of an encrypted alert (RFC 8446 §5.2); whoever sent more has asked for something. */
const LONGEST_ALERT = 64;

/** Alerts by which a client says that it does not trust our leaf (RFC 8446 §6.2), as OpenSSL and BoringSSL name them. */
const DISTRUST =
  /ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN|CERTIFICATE_REVOKED|CERTIFICATE_EXPIRED|UNSUPPORTED_CERTIFICATE)/;

/**
 * Plays the server in a client's TLS handshake, over bytes that were read already. A client that refuses the leaf, or hangs
 * up once it has seen it, becomes a row; an unused preconnect finishes its handshake and does not.
 */
export function acceptTls(keeping: Doorkeeping, arrival: TlsArrival): void {
  const { context } = keeping;
  const { hello, leaf } = arrival;
  const startedAt = context.clock.micros();
  const raw = arrival.link.detach();
  const rest = takeEarly(raw);
  raw.unshift(rest === null ? arrival.bytes : Buffer.concat([arrival.bytes, rest]));
  const socket = new TLSSocket(raw, {
    isServer: true,
    secureContext: leaf.context,
    ALPNProtocols: [...arrival.offered],
    requestCert: false,
    rejectUnauthorized: false,
  });
  keeping.keyLog?.follow(socket);

  const who = hello.sni ?? arrival.host;
  let over = false;
  const { tls: timeout } = context.settings.timeouts;
  const timer =
    timeout === 0
      ? null
      : setTimeout(() => {
          fail(
            'tls.client-timeout',
            `The client did not finish the TLS handshake within ${String(timeout)} ms (setting timeouts.tls).`,
          );
        }, timeout);
  const finish = (): boolean => {
    if (over) return false;
    over = true;
    if (timer !== null) clearTimeout(timer);
    socket.off('_tlsError', onError);
    socket.off('close', onClose);
    socket.off('end', onClose);
    socket.off('secure', onSecure);
    return true;
  };
  const fail = (code: ErrorCode, message: string): void => {
    if (!finish()) return;
    raw.destroy();
    refuse(code, message);
  };
  const refuse = (code: ErrorCode, message: string): void => {
    if (code !== 'tls.client-timeout') keeping.refusals.note(who);
    const tls: TlsFacts = {
      version: '',
      cipher: '',
      alpn: null,
      resumed: false,
      verified: true,
      chain: leaf.chain,
      ...helloFacts(hello),
    };
    recordRefusal(keeping, arrival, startedAt, tls, code, message);
  };
  const distrust = (reason: string): string =>
    `The client does not trust Weir's CA: it refused the certificate for ${who} (${alertName(reason)}).`;
  const onError = (error: NodeJS.ErrnoException): void => {
    const reason = error.code ?? error.message;
    if (DISTRUST.test(reason)) {
      fail('tls.client-untrusted', distrust(reason));
    } else if (reason === 'ECONNRESET' || reason === 'EPIPE') {
      onClose();
    } else {
      fail('tls.client-handshake', `The TLS handshake with the client failed (${reason}).`);
    }
  };
  const onClose = (): void => {
    if (context.draining) {
      finish();
      raw.destroy();
      return;
    }
    // Many programs that do not trust a certificate just hang up, Node's own among them.
    fail(
      'tls.client-handshake',
      `The client closed its connection in the middle of the TLS handshake, after it had been shown the certificate for ${who}: it may not trust Weir's CA.`,
    );
  };
  const onSecure = (): void => {
    if (!finish()) return;
    socket.pause();
    socket.off('error', ignore);
    const readBefore = raw.bytesRead;
    // Some clients look at the certificate only once the handshake is done, and say then by an alert why they go.
    socket.once('_tlsError', (error: NodeJS.ErrnoException) => {
      const { code: reason = '' } = error;
      // Node keeps the errors of a server's socket to itself unless its own kind of server made it.
      socket.destroy(error);
      if (!reason.includes('_ALERT_') || raw.bytesRead - readBefore > LONGEST_ALERT) return;
      if (DISTRUST.test(reason)) refuse('tls.client-untrusted', distrust(reason));
      else refuse('tls.client-handshake', `The client ended TLS before it asked for anything (${alertName(reason)}).`);
    });
    arrival.onSecure(new SocketLink(socket, DEAF, raw), { socket, hello, chain: leaf.chain });
  };
  socket.on('error', ignore);
  raw.on('error', ignore);
  socket.on('_tlsError', onError);
  socket.on('close', onClose);
  socket.on('secure', onSecure);
  // A client that leaves without an alert is noticed only by who reads; before `secure` there is nothing to read.
  socket.on('end', onClose);
  socket.resume();
}

function ignore(): void {
  // What matters comes by `_tlsError` or `close`.
}

/** `ERR_SSL_TLSV1_ALERT_UNKNOWN_CA` becomes `unknown_ca`. */
function alertName(code: string): string {
  return code.slice(code.indexOf('ALERT_') + 'ALERT_'.length).toLowerCase();
}

function recordRefusal(
  keeping: Doorkeeping,
  arrival: TlsArrival,
  startedAt: number,
  tls: TlsFacts,
  code: ErrorCode,
  message: string,
): void {
  const { context } = keeping;
  const id = context.takeConnectionId();
  const { address, isRemote } = arrival.visitor;
  const record = new ExchangeRecord(context, startedAt);
  record.begin(
    {
      id,
      address,
      restricted: isRemote,
      refusal: null,
      destination: null,
      isRecorded: false,
      onConnect: null,
      protocol: null,
      record: () => ({ id, side: 'client', address, protocol: 'tls', tls }),
    },
    {
      kind: 'tunnel',
      clientProtocol: 'tls',
      scheme: 'tls',
      host: arrival.hello.sni ?? arrival.host,
      port: arrival.port,
      method: '',
      path: '',
      head: Buffer.alloc(0),
      sentHead: null,
    },
  );
  record.end(failure(code, message), false);
}
