import { readAddress, writeAddress, type SocksAddress } from './address.ts';
import { replyOutcome, type SocksOutcome } from './reply.ts';

/** Where a client's handshake stands after some bytes. */
export type SocksClientStep =
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'send'; readonly bytes: Buffer }
  /** The tunnel stands; `rest` came through it already. */
  | { readonly kind: 'done'; readonly rest: Buffer }
  | {
      readonly kind: 'failed';
      /** What the server refused: our credentials, the request, or nothing because it does not speak SOCKS5. */
      readonly reason: 'credentials' | 'request' | 'protocol';
      /** Its reply, where it gave one that has a meaning. */
      readonly outcome: SocksOutcome | null;
    };

const VERSION = 5;
const CONNECT = 1;
const METHOD_OPEN = 0x00;
const METHOD_PASSWORD = 0x02;
const PASSWORD_VERSION = 1;
const LONGEST_TEXT = 255;
/** More than the longest reply. */
const LONGEST_REPLY = 512;

/** User and password; each at most 255 bytes of latin1. */
export interface SocksCredentials {
  readonly user: string;
  readonly password: string;
}

/** The client's side of SOCKS5 (RFC 1928, RFC 1929): asks a server for a tunnel and lets it resolve the name. */
export class SocksClientHandshake {
  readonly #request: Buffer | null;
  readonly #credentials: SocksCredentials | null;
  #phase: 'method' | 'password' | 'reply' = 'method';
  #bytes: Buffer = Buffer.alloc(0);

  constructor(target: SocksAddress, credentials: SocksCredentials | null) {
    const address = writeAddress(target);
    this.#request = address === null ? null : Buffer.concat([Buffer.from([VERSION, CONNECT, 0]), address]);
    this.#credentials = credentials;
  }

  /** What to send first. */
  greeting(): Buffer {
    const methods = this.#credentials === null ? [METHOD_OPEN] : [METHOD_OPEN, METHOD_PASSWORD];
    return Buffer.from([VERSION, methods.length, ...methods]);
  }

  receive(bytes: Buffer): SocksClientStep {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    switch (this.#phase) {
      case 'method':
        return this.#readMethod();
      case 'password':
        return this.#readPasswordAnswer();
      case 'reply':
        return this.#readReply();
    }
  }

  #readMethod(): SocksClientStep {
    if (this.#bytes.length < 2) return this.#bytes[0] === VERSION ? { kind: 'incomplete' } : failed('protocol');
    const [version, method] = this.#bytes;
    this.#bytes = this.#bytes.subarray(2);
    if (version !== VERSION) return failed('protocol');
    if (method === METHOD_OPEN) return this.#sendRequest();
    if (method !== METHOD_PASSWORD || this.#credentials === null) return failed('credentials');
    this.#phase = 'password';
    const user = Buffer.from(this.#credentials.user.slice(0, LONGEST_TEXT), 'latin1');
    const password = Buffer.from(this.#credentials.password.slice(0, LONGEST_TEXT), 'latin1');
    return {
      kind: 'send',
      bytes: Buffer.concat([
        Buffer.from([PASSWORD_VERSION, user.length]),
        user,
        Buffer.from([password.length]),
        password,
      ]),
    };
  }

  #readPasswordAnswer(): SocksClientStep {
    if (this.#bytes.length < 2) return { kind: 'incomplete' };
    const status = this.#bytes[1];
    this.#bytes = this.#bytes.subarray(2);
    return status === 0 ? this.#sendRequest() : failed('credentials');
  }

  #sendRequest(): SocksClientStep {
    if (this.#request === null) return failed('request', 'address-unsupported');
    this.#phase = 'reply';
    return { kind: 'send', bytes: this.#request };
  }

  #readReply(): SocksClientStep {
    const [version, code] = this.#bytes;
    if (version !== undefined && version !== VERSION) return failed('protocol');
    if (code === undefined) return { kind: 'incomplete' };
    if (code !== 0) return failed('request', replyOutcome(code));
    const bound = readAddress(this.#bytes, 3);
    if (bound.kind === 'address') return { kind: 'done', rest: this.#bytes.subarray(bound.end) };
    const isPossible = bound.kind === 'incomplete' && this.#bytes.length < LONGEST_REPLY;
    return isPossible ? { kind: 'incomplete' } : failed('protocol');
  }
}

function failed(
  reason: Extract<SocksClientStep, { kind: 'failed' }>['reason'],
  outcome: SocksOutcome | null = null,
): SocksClientStep {
  return { kind: 'failed', reason, outcome };
}
