import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { CertificateFacts, TlsFacts } from '../model/tls-facts.ts';

/** Reads a chain of certificates, leaf first. Handed in, since it is the business of the certificate folder. */
export type ChainReader = (leaf: X509Certificate) => readonly CertificateFacts[];

/** What the handshake of an origin connection agreed on. */
export function tlsFacts(
  socket: TLSSocket,
  chain: readonly CertificateFacts[],
  known: { readonly sni: string | null; readonly verified: boolean },
): TlsFacts {
  return {
    version: socket.getProtocol() ?? '',
    // The cipher is unknown once the handle is gone, whatever the types say.
    cipher: (socket.getCipher() as { readonly standardName: string } | undefined)?.standardName ?? '',
    alpn: typeof socket.alpnProtocol === 'string' ? socket.alpnProtocol : null,
    sni: known.sni,
    resumed: socket.isSessionReused(),
    chain,
    verified: known.verified,
    ja3: null,
    ja4: null,
    offeredAlpn: [],
  };
}
