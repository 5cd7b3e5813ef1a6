import { X509Certificate } from 'node:crypto';
import type { TlsFacts } from '#contract';
import { certificateFacts } from '#engine';
import { listOf, numberOf, type JsonObject } from './lenient.ts';
import { textIn } from './tnetstring.ts';

/** Longest chain that is read; a file may name as many as it likes. */
const MOST_CERTIFICATES = 16;

/** Address and port of a connection's far end, IPv6 in brackets; null where a name stands instead, or nothing. */
export function peerOf(connection: JsonObject): string | null {
  for (const name of ['peername', 'ip_address', 'address']) {
    const [host, port] = listOf(connection[name]);
    const text = textIn(host);
    // A name is no address that was connected to; an address of a name may carry its scope.
    if (/^[\d.]+$|:/.test(text)) return `${text.includes(':') ? `[${text}]` : text}:${String(numberOf(port) ?? 0)}`;
  }
  return null;
}

/**
 * What TLS agreed on, as a connection of any version of the format says it; null without TLS.
 * The certificates are those that were shown: the origin's own, or the one that mitmproxy made for the client.
 */
export function tlsOf(connection: JsonObject): TlsFacts | null {
  const version = textIn(connection['tls_version']);
  const established = connection['tls_established'] ?? connection['timestamp_tls_setup'];
  if (version === '' || established === null || established === false) return null;
  const shown = [...listOf(connection['certificate_list']), connection['mitmcert']];
  return {
    version,
    cipher: textIn(connection['cipher']) || textIn(connection['cipher_name']),
    alpn: textIn(connection['alpn']) || textIn(connection['alpn_proto_negotiated']) || null,
    sni: textIn(connection['sni']) || null,
    resumed: false,
    chain: shown.slice(0, MOST_CERTIFICATES).flatMap((pem) => certificateIn(textIn(pem))),
    verified: null,
    ja3: null,
    ja4: null,
    offeredAlpn: listOf(connection['alpn_offers']).flatMap((name) => textIn(name) || []),
  };
}

function certificateIn(pem: string): ReturnType<typeof certificateFacts>[] {
  if (pem === '') return [];
  try {
    return [certificateFacts(new X509Certificate(pem))];
  } catch {
    return []; // the exchange is worth more than a certificate that cannot be read
  }
}
