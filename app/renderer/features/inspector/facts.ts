import { CONNECT_CODES } from '#contract';
import type { CertificateFacts, ConnectionFacts, ExchangeDetail, ExchangeSummary, TlsFacts } from '#contract';
import { formatBytes, formatClock, formatDay, formatDuration } from '../../text/format.ts';
import { OVERVIEW_TEXT, TLS_TEXT } from '../../text/inspector.ts';
import { GRPC_STATUS_TEXT } from '../../text/messages.ts';

/** A name and a value of a plain list. */
export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly tone?: 'ok' | 'warn' | 'error';
}

const MILLISECONDS_IN_DAY = 86_400_000;

/** When, how long, how much. */
export function generalFacts(summary: ExchangeSummary): readonly Fact[] {
  const facts: Fact[] = [
    { name: OVERVIEW_TEXT.startedAt, value: `${formatDay(summary.startedAt)}, ${formatClock(summary.startedAt)}` },
  ];
  if (summary.duration !== null) facts.push({ name: OVERVIEW_TEXT.duration, value: formatDuration(summary.duration) });
  if (summary.mediaType !== null) facts.push({ name: OVERVIEW_TEXT.type, value: summary.mediaType });
  const { grpcStatus } = summary;
  if (grpcStatus !== null) {
    const tone = grpcStatus === 0 ? 'ok' : 'warn';
    if (summary.mediaType?.startsWith('application/connect+') === true) {
      facts.push({ name: OVERVIEW_TEXT.connectStatus, value: CONNECT_CODES[grpcStatus] ?? String(grpcStatus), tone });
    } else {
      const name = GRPC_STATUS_TEXT[grpcStatus];
      const value = name === undefined ? String(grpcStatus) : `${String(grpcStatus)} ${name}`;
      facts.push({ name: OVERVIEW_TEXT.grpcStatus, value, tone });
    }
  }
  if (summary.requestBodyBytes > 0) {
    facts.push({ name: OVERVIEW_TEXT.requestBody, value: formatBytes(summary.requestBodyBytes) });
  }
  if (summary.responseBodyBytes > 0 || summary.status !== null) {
    facts.push({ name: OVERVIEW_TEXT.responseBody, value: formatBytes(summary.responseBodyBytes) });
  }
  return facts;
}

/** Who talked with whom, over what. */
export function connectionFacts({ summary, clientConnection, originConnection }: ExchangeDetail): readonly Fact[] {
  const facts: Fact[] = [
    { name: OVERVIEW_TEXT.client, value: leg(summary.client.address, summary.client.protocol, clientConnection) },
  ];
  const program = clientConnection?.program ?? null;
  if (program !== null) {
    facts.push({ name: OVERVIEW_TEXT.program, value: `${program.name} · ${OVERVIEW_TEXT.pid} ${String(program.pid)}` });
    if (program.path !== '') facts.push({ name: OVERVIEW_TEXT.programPath, value: program.path });
  }
  const { address, protocol } = summary.origin;
  if (address === null) {
    facts.push({
      name: OVERVIEW_TEXT.origin,
      value: `${summary.host}:${String(summary.port)} · ${OVERVIEW_TEXT.notReached}`,
    });
  } else {
    const reused = originConnection?.reused === true ? ` · ${OVERVIEW_TEXT.reused}` : '';
    facts.push({ name: OVERVIEW_TEXT.origin, value: leg(address, protocol, originConnection) + reused });
  }
  const tls = clientConnection?.tls ?? null;
  if (tls !== null) {
    const offered = tls.offeredAlpn.length === 0 ? '' : ` · ${tls.offeredAlpn.join(', ')}`;
    facts.push({
      name: OVERVIEW_TEXT.askedFor,
      value: `${tls.sni ?? summary.host}${tls.sni === null ? '' : ' (SNI)'}${offered}`,
    });
    const leaf = tls.chain[0];
    if (leaf !== undefined)
      facts.push({ name: OVERVIEW_TEXT.shown, value: `leaf for ${commonName(leaf.subject)}, ${leaf.key}` });
  }
  return facts;
}

function leg(address: string, protocol: string | null, connection: ConnectionFacts | null): string {
  const tls = connection?.tls ?? null;
  const stream = connection?.stream ?? null;
  const parts = [
    address,
    ...(tls === null ? [] : [tls.version.replace('TLSv', 'TLS ')]),
    ...(protocol === null || (protocol === 'tls' && tls !== null) ? [] : [protocol]),
    ...(stream === null ? [] : [OVERVIEW_TEXT.stream(stream)]),
  ];
  return parts.join(' · ');
}

/** `CN=x, O=y` → `x`; the whole name when it has no common name. */
export function commonName(distinguishedName: string): string {
  return /(?:^|[,\n]\s*)CN=([^,\n]+)/.exec(distinguishedName)?.[1] ?? distinguishedName;
}

/** What a handshake agreed on. */
export function tlsFacts(tls: TlsFacts, side: 'client' | 'origin', failed: boolean): readonly Fact[] {
  const facts: Fact[] = [
    { name: TLS_TEXT.version, value: tls.version.replace('TLSv', 'TLS ') },
    { name: TLS_TEXT.cipher, value: tls.cipher },
  ];
  const offered = tls.offeredAlpn.length === 0 ? '' : ` (${TLS_TEXT.offered} ${tls.offeredAlpn.join(', ')})`;
  if (tls.alpn !== null || offered !== '')
    facts.push({ name: TLS_TEXT.alpn, value: `${tls.alpn ?? OVERVIEW_TEXT.none}${offered}` });
  if (tls.sni !== null) facts.push({ name: TLS_TEXT.sni, value: tls.sni });
  facts.push({ name: TLS_TEXT.resumed, value: tls.resumed ? TLS_TEXT.isResumed : TLS_TEXT.isFull });
  if (side === 'origin' && (failed || tls.verified !== null))
    facts.push({ name: TLS_TEXT.verified, ...verification(tls.verified === true, failed) });
  if (tls.ja3 !== null) facts.push({ name: TLS_TEXT.ja3, value: tls.ja3 });
  if (tls.ja4 !== null) facts.push({ name: TLS_TEXT.ja4, value: tls.ja4 });
  return facts.filter(({ value }) => value !== '');
}

function verification(verified: boolean, failed: boolean): Omit<Fact, 'name'> {
  if (failed) return { value: TLS_TEXT.failedVerification, tone: 'error' };
  return verified ? { value: TLS_TEXT.isVerified, tone: 'ok' } : { value: TLS_TEXT.notVerified, tone: 'warn' };
}

/** How a certificate stood at the time of the exchange, not now: old captures stay true. */
export interface Validity {
  readonly text: string;
  readonly tone: 'ok' | 'warn' | 'error';
}

/** Fewer days than these are worth a warning. */
const FEW_DAYS = 14;

/** @param at microseconds since the Unix epoch */
export function validityOf(certificate: CertificateFacts, at: number): Validity {
  const time = at / 1_000;
  const end = Date.parse(certificate.notAfter);
  if (time > end) return { text: TLS_TEXT.expired(formatDay(certificate.notAfter)), tone: 'error' };
  if (time < Date.parse(certificate.notBefore))
    return { text: TLS_TEXT.notYet(formatDay(certificate.notBefore)), tone: 'error' };
  const days = Math.floor((end - time) / MILLISECONDS_IN_DAY);
  return { text: TLS_TEXT.endsIn(days), tone: days < FEW_DAYS ? 'warn' : 'ok' };
}

/** Everything about one certificate. */
export function certificateFacts(certificate: CertificateFacts, at: number): readonly Fact[] {
  const validity = validityOf(certificate, at);
  const facts: Fact[] = [
    { name: TLS_TEXT.subject, value: certificate.subject },
    { name: TLS_TEXT.issuer, value: certificate.issuer },
    {
      name: TLS_TEXT.validity,
      value: `${TLS_TEXT.from(formatDay(certificate.notBefore), formatDay(certificate.notAfter))} · ${validity.text}`,
      ...(validity.tone === 'ok' ? {} : { tone: validity.tone }),
    },
  ];
  if (certificate.names.length > 0) facts.push({ name: TLS_TEXT.names, value: certificate.names.join(', ') });
  facts.push(
    { name: TLS_TEXT.key, value: certificate.key },
    { name: TLS_TEXT.serial, value: certificate.serialNumber },
    { name: TLS_TEXT.fingerprint, value: certificate.fingerprint },
  );
  return facts.filter(({ value }) => value !== '');
}
