import { ANOMALY_CODES, type AnomalyCode } from '../model/anomaly-code.ts';
import type { ExchangeKind } from '../model/exchange.ts';
import type { ProtocolName } from '../model/protocol-name.ts';
import type { EndRecord } from './tap.ts';

/*
 * A batch is one ArrayBuffer: magic and used bytes (u32 each), then records back to back. All numbers are little endian.
 *
 *   record   u32 bytes of the whole record | u8 kind | u8 flags | u16 high and u32 low part of the id | fields
 *
 * Ids are whole numbers up to 2^48. Texts and byte runs carry their length in front. Both ends are always of one build
 * (a batch never outlives its process), so codes are positions in the tables below.
 */

export const BATCH_MAGIC = 0x42524557; // "WERB"
export const BATCH_HEADER_BYTES = 8;
export const RECORD_HEADER_BYTES = 12;

export const RECORD = {
  connection: 1,
  begin: 2,
  origin: 3,
  sentRequestHead: 4,
  informational: 5,
  response: 6,
  payload: 7,
  framing: 8,
  trailers: 9,
  end: 10,
  gap: 11,
  datagram: 12,
  frame: 13,
  originStream: 14,
} as const;

/** Flag bits of the records that need some. */
export const FLAG = {
  responseSide: 1,
  hasSentHead: 2,
  reused: 1,
  complete: 1,
  hasError: 2,
  rest: 2,
} as const;

/*
 * A frame, as it is packed into batches and into the store, back to back:
 *
 *   f64 time | u32 sequence | u32 length × 256 + type | u32 stream, + 2^31 when it was sent | u8 flags | u8 n | n bytes of payload
 */
export const FRAME_HEAD_BYTES = 22;
export const SENT_BIT = 0x8000_0000;

/** Bytes of a frame's payload that are kept at most. */
export const FRAME_DETAIL_BYTES = 64;

export const KINDS: readonly ExchangeKind[] = ['http', 'websocket', 'tunnel', 'tcp', 'udp'];
export const SCHEMES = ['http', 'https', 'tcp', 'tls', 'udp'] as const;
export const PROTOCOLS: readonly ProtocolName[] = ['http/1.0', 'http/1.1', 'h2', 'h2c', 'tcp', 'tls', 'udp'];
export const ANOMALIES = Object.keys(ANOMALY_CODES) as readonly AnomalyCode[];
export const SENT_FRAMINGS: readonly EndRecord['sentRequestFraming'][] = ['as-received', 'identity', 'chunked'];

/** How one body was kept: see `BodyCapture`. */
export const CAPTURED = ['whole', 'truncated', 'none'] as const;
