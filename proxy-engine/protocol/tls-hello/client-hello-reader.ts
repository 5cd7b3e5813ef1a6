import type { ClientHelloResult } from './client-hello.ts';
import { parseClientHello } from './parse-client-hello.ts';

/** Longest ClientHello that is read, bytes. Post-quantum key shares make real ones about 2 KiB; RFC 8446 allows 16 MiB. */
const DEFAULT_HELLO_BYTES = 65_536;

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const RECORD_HEADER_BYTES = 5;
const MESSAGE_HEADER_BYTES = 4;
/** RFC 8446 §5.1: a plaintext fragment has at most 2^14 bytes. */
const MAX_FRAGMENT_BYTES = 16_384;

const INCOMPLETE: ClientHelloResult = { kind: 'incomplete' };
const NOT_TLS: ClientHelloResult = { kind: 'not-tls' };

/**
 * Reads the ClientHello at the beginning of a connection, however it is cut: into segments by the network, into records
 * by the client (RFC 8446 §5.1 lets a message span records). It only looks; the caller keeps the bytes for whoever
 * speaks TLS afterwards.
 */
export class ClientHelloReader {
  readonly #maxBytes: number;
  readonly #recordHeader = new Uint8Array(RECORD_HEADER_BYTES);
  #recordHeaderBytes = 0;
  /** Bytes of the current record's fragment that have not come yet. */
  #fragmentLeft = 0;
  readonly #messageHeader = new Uint8Array(MESSAGE_HEADER_BYTES);
  #messageHeaderBytes = 0;
  #body: Buffer | null = null;
  #bodyBytes = 0;
  #result: ClientHelloResult = INCOMPLETE;

  /** @param maxBytes longest message body that is read, bytes */
  constructor(maxBytes: number = DEFAULT_HELLO_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** What is known so far; anything but `incomplete` is final. */
  get result(): ClientHelloResult {
    return this.#result;
  }

  /**
   * Takes the connection's next bytes. Bytes after the hello's end are ignored, as are all bytes once the result is final.
   * Never throws; `bytes` is borrowed until it returns.
   */
  receive(bytes: Uint8Array): ClientHelloResult {
    let at = 0;
    while (at < bytes.length && this.#result === INCOMPLETE) {
      at = this.#fragmentLeft === 0 ? this.#takeRecordHeader(bytes, at) : this.#takeFragment(bytes, at);
    }
    return this.#result;
  }

  #takeRecordHeader(bytes: Uint8Array, at: number): number {
    const header = this.#recordHeader;
    while (at < bytes.length && this.#recordHeaderBytes < RECORD_HEADER_BYTES) {
      header[this.#recordHeaderBytes++] = bytes[at++] ?? 0;
      // The first bytes tell as early as they can: a client that waits for a greeting may send nothing after them.
      if (this.#recordHeaderBytes === 1 && header[0] !== HANDSHAKE_RECORD)
        return this.#refuse('a record of another type came first', at);
      if (this.#recordHeaderBytes === 2 && header[1] !== 3)
        return this.#refuse('the record has an unknown version', at);
    }
    if (this.#recordHeaderBytes < RECORD_HEADER_BYTES) return at;
    const length = ((header[3] ?? 0) << 8) | (header[4] ?? 0);
    if (length === 0 || length > MAX_FRAGMENT_BYTES) return this.#refuse(`the record has ${length} bytes`, at);
    this.#recordHeaderBytes = 0;
    this.#fragmentLeft = length;
    return at;
  }

  #takeFragment(bytes: Uint8Array, at: number): number {
    const end = Math.min(bytes.length, at + this.#fragmentLeft);
    const from = at;
    while (at < end && this.#messageHeaderBytes < MESSAGE_HEADER_BYTES) {
      this.#messageHeader[this.#messageHeaderBytes++] = bytes[at++] ?? 0;
      if (this.#messageHeaderBytes === 1 && this.#messageHeader[0] !== CLIENT_HELLO) {
        this.#result = NOT_TLS;
        return at;
      }
    }
    if (this.#messageHeaderBytes === MESSAGE_HEADER_BYTES) {
      const body = this.#body ?? this.#begin();
      if (body === null) return at;
      const take = Math.min(end - at, body.length - this.#bodyBytes);
      body.set(bytes.subarray(at, at + take), this.#bodyBytes);
      this.#bodyBytes += take;
      at += take;
      if (this.#bodyBytes === body.length) {
        this.#result = parseClientHello(body);
        this.#body = null;
        return at;
      }
    }
    this.#fragmentLeft -= at - from;
    return at;
  }

  /** Allocates the message's body once its length is known; null when it is over the bound. */
  #begin(): Buffer | null {
    const [, high = 0, middle = 0, low = 0] = this.#messageHeader;
    const length = (high << 16) | (middle << 8) | low;
    if (length > this.#maxBytes) {
      this.#result = {
        kind: 'malformed',
        reason: `the ClientHello has ${length} bytes; at most ${this.#maxBytes} are read`,
      };
      return null;
    }
    this.#body = Buffer.alloc(length);
    return this.#body;
  }

  /** Before the first byte of a ClientHello it is no TLS; after it the peer broke the protocol. */
  #refuse(reason: string, at: number): number {
    this.#result = this.#messageHeaderBytes === 0 ? NOT_TLS : { kind: 'malformed', reason };
    return at;
  }
}
