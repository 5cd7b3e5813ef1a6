import type { Transform } from 'node:stream';
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
  type BrotliDecompress,
  type Gunzip,
  type Inflate,
  type InflateRaw,
  type InputType,
  type ZstdDecompress,
} from 'node:zlib';

/** Why decoding ended before the end of the body; see the contract's `BodyWindow`. */
export type DecodeStop = 'cut' | 'damaged' | 'budget' | 'unsupported';

export type DecodeEngine = Transform & (Gunzip | Inflate | InflateRaw | BrotliDecompress | ZstdDecompress);

/** One content coding. */
export interface Coding {
  /** A frame ends where the engine stops and another may follow. */
  readonly framed: boolean;
  readonly createEngine: () => DecodeEngine;
  /**
   * Decodes in one step.
   * @param tolerant gives what decodes so far when the input is cut
   * @returns output, and how many bytes of the input it came from
   * @throws of `node:zlib`
   */
  readonly decodeAtOnce: (bytes: Buffer, most: number, tolerant: boolean) => { output: Buffer; consumed: number };
}

type AtOnce = (bytes: InputType, options: { maxOutputLength: number; finishFlush?: number; info: boolean }) => Buffer;

const GZIP = coding(createGunzip, gunzipSync, constants.Z_SYNC_FLUSH, false);
const ZLIB = coding(createInflate, inflateSync, constants.Z_SYNC_FLUSH, false);
const RAW_DEFLATE = coding(createInflateRaw, inflateRawSync, constants.Z_SYNC_FLUSH, false);
const BROTLI = coding(createBrotliDecompress, brotliDecompressSync, constants.BROTLI_OPERATION_FLUSH, false);
const ZSTD = coding(createZstdDecompress, zstdDecompressSync, constants.ZSTD_e_flush, true);

/**
 * The coding of that name (RFC 9110 §8.4.1); null when nobody here can decode it.
 * @param begin the first bytes of the encoded body: `deflate` is zlib's format by its RFC and raw deflate by many servers
 */
export function codingFor(name: string, begin: Uint8Array): Coding | null {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return GZIP;
    case 'deflate':
      return looksLikeZlib(begin) ? ZLIB : RAW_DEFLATE;
    case 'br':
      return BROTLI;
    case 'zstd':
      return ZSTD;
    default:
      return null;
  }
}

/** Whether an error of `node:zlib` says that input is missing, rather than wrong. */
export function isCut(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'Z_BUF_ERROR';
}

/** Method deflate and a header checksum that fits (RFC 1950 §2.2). */
function looksLikeZlib(begin: Uint8Array): boolean {
  const [first, second] = begin;
  return first !== undefined && second !== undefined && (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

function coding(createEngine: () => DecodeEngine, atOnce: AtOnce, flush: number, framed: boolean): Coding {
  return {
    framed,
    createEngine,
    decodeAtOnce(bytes, most, tolerant) {
      const options = tolerant ? { finishFlush: flush } : {};
      const result = atOnce(bytes, { ...options, maxOutputLength: most, info: true }) as unknown as {
        buffer: Buffer;
        engine: { bytesWritten: number };
      };
      return { output: result.buffer, consumed: result.engine.bytesWritten };
    },
  };
}
