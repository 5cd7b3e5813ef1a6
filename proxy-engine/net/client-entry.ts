import { createHash } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { ExchangeError } from '../model/error-code.ts';
import type { CertificateFacts, TlsFacts } from '../model/tls-facts.ts';
import type { ClientEntry, FixedDestination } from '../pipeline/client-entry.ts';
import type { PipelineContext } from '../pipeline/context.ts';
import { ja3, ja4, type ClientHello } from '../protocol/tls-hello/index.ts';
import type { Visitor } from './visitor.ts';

/** The client leg's TLS, kept for the record of its connection. */
export interface ClientTlsState {
  readonly socket: TLSSocket;
  readonly hello: ClientHello;
  readonly chain: readonly CertificateFacts[];
}

/** What the pipeline has to know of a client connection. */
export function clientEntry(
  context: PipelineContext,
  { address, isRemote }: Visitor,
  destination: FixedDestination | null,
  tls: ClientTlsState | null,
  onConnect: ClientEntry['onConnect'],
  protocol: ClientEntry['protocol'] = null,
  refusal: ExchangeError | null = null,
): ClientEntry {
  const id = context.takeConnectionId();
  return {
    id,
    address,
    restricted: isRemote,
    refusal,
    destination,
    isRecorded: false,
    onConnect,
    protocol,
    record: () => ({
      id,
      side: 'client',
      address,
      protocol: protocol ?? 'http/1.1',
      tls: tls === null ? null : clientTlsFacts(tls),
    }),
  };
}

/**
 * What there is to know of a client whose bytes are relayed unread.
 *
 * @param hello of TLS that was not opened, or null
 */
export function relayEntry(
  context: PipelineContext,
  { address, isRemote }: Visitor,
  protocol: 'tcp' | 'tls' | 'udp',
  hello: ClientHello | null = null,
): ClientEntry {
  const id = context.takeConnectionId();
  return {
    id,
    address,
    restricted: isRemote,
    refusal: null,
    destination: null,
    isRecorded: false,
    onConnect: null,
    protocol: null,
    record: () => ({ id, side: 'client', address, protocol, tls: hello === null ? null : unopenedTls(hello) }),
  };
}

/** TLS of which only the hello was seen. */
function unopenedTls(hello: ClientHello): TlsFacts {
  const unknown = { version: '', cipher: '', alpn: null, resumed: false, verified: true, chain: [] };
  return { ...unknown, ...helloFacts(hello) };
}

function clientTlsFacts({ socket, hello, chain }: ClientTlsState): TlsFacts {
  return {
    version: socket.getProtocol() ?? '',
    cipher: (socket.getCipher() as { readonly standardName: string } | undefined)?.standardName ?? '',
    alpn: typeof socket.alpnProtocol === 'string' ? socket.alpnProtocol : null,
    resumed: socket.isSessionReused(),
    verified: true,
    chain,
    ...helloFacts(hello),
  };
}

/** What the ClientHello alone says. */
export function helloFacts(hello: ClientHello): Pick<TlsFacts, 'sni' | 'ja3' | 'ja4' | 'offeredAlpn'> {
  return { sni: hello.sni, ja3: ja3(hello, md5), ja4: ja4(hello, sha256), offeredAlpn: hello.alpn };
}

function md5(text: string): string {
  return createHash('md5').update(text, 'latin1').digest('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text, 'latin1').digest('hex');
}
