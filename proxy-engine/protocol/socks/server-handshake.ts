import type { ErrorCode } from '../../model/error-code.ts';
import { hostName, ipv4Text, parseIpv4, readAddress, writeAddress, type SocksAddress } from './address.ts';
import { replyCode, socks4ReplyCode, type SocksOutcome } from './reply.ts';

/*
 * The server's side of SOCKS, from the first byte to the request.
 *
 *   SOCKS5 (RFC 1928)   methods ─▶ [user and password, RFC 1929] ─▶ request ─▶ done
 *   SOCKS4, 4a          request ─▶ done
 *
 * SOCKS4 has no standard; what its authors wrote is `SOCKS: A protocol for TCP proxy across firewalls` and
 * `SOCKS 4A: A Simple Extension to SOCKS 4 Protocol`. The identity that it carries proves nothing and is not looked at.
 */

export const SOCKS4 = 4;
export const SOCKS5 = 5;

const METHOD_OPEN = 0x00;
const METHOD_PASSWORD = 0x02;
const METHOD_NONE = 0xff;
const PASSWORD_VERSION = 1;
const LONGEST_SOCKS4_TEXT = 255;

/** What a client asks for. */
export interface SocksRequest extends SocksAddress {
  readonly version: typeof SOCKS4 | typeof SOCKS5;
  readonly command: 'connect' | 'udp-associate';
}

/** Why a handshake ended without a request; the client was told so in its own words. */
export interface SocksRefusal {
  readonly code: Extract<ErrorCode, 'socks.malformed' | 'socks.command' | 'socks.address-type' | 'client.credentials'>;
  readonly message: string;
  /** Where it wanted to go, if it came to say so. */
  readonly address: SocksAddress | null;
}

/** What a handshake calls while it reads. Nothing follows `onRequest` and `onRefused`. */
export interface SocksServerSink {
  send(bytes: Buffer): void;
  onRequest(request: SocksRequest): void;
  onRefused(refusal: SocksRefusal): void;
}

/** Says whether a user and a password (latin1) may come in. */
export type CheckPassword = (user: string, password: string) => boolean;

type Phase = 'methods' | 'password' | 'request' | 'done' | 'failed';

/** Reads what a client sends until it is known where it wants to go. Never throws on input, and holds at most 1 KiB. */
export class SocksServerHandshake {
  readonly #check: CheckPassword | null;
  #phase: Phase = 'methods';
  #bytes: Buffer = Buffer.alloc(0);

  /** @param check asks every client for user and password; null lets everyone in */
  constructor(check: CheckPassword | null) {
    this.#check = check;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Bytes that came behind the request: they are the tunnel's. */
  get rest(): Buffer {
    return this.#bytes;
  }

  /** @param bytes kept when they are more than the handshake's */
  receive(bytes: Buffer, sink: SocksServerSink): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    while (this.#phase !== 'done' && this.#phase !== 'failed' && this.#step(sink));
  }

  /** Whether it came further by what it has. */
  #step(sink: SocksServerSink): boolean {
    if (this.#bytes.length === 0) return false;
    switch (this.#phase) {
      case 'methods':
        return this.#bytes[0] === SOCKS4 ? this.#readSocks4(sink) : this.#readMethods(sink);
      case 'password':
        return this.#readPassword(sink);
      default:
        return this.#readRequest(sink);
    }
  }

  #readMethods(sink: SocksServerSink): boolean {
    const count = this.#bytes[1];
    if (this.#bytes[0] !== SOCKS5) return this.#refuse(sink, 'socks.malformed', 'This is no SOCKS of version 4 or 5.');
    if (count === undefined || this.#bytes.length < 2 + count) return false;
    const methods = this.#take(2 + count).subarray(2);
    // Some programs offer nothing but a password even where none is wanted.
    const wanted = this.#check === null ? [METHOD_OPEN, METHOD_PASSWORD] : [METHOD_PASSWORD];
    const method = wanted.find((candidate) => methods.includes(candidate)) ?? METHOD_NONE;
    sink.send(Buffer.from([SOCKS5, method]));
    if (method === METHOD_NONE) {
      return this.#check === null
        ? this.#refuse(sink, 'socks.malformed', 'The client offered no way to begin that Weir knows (RFC 1928 §3).')
        : this.#refuse(
            sink,
            'client.credentials',
            'The client offered no user and password, which this proxy asks for (setting proxyAuthentication).',
          );
    }
    this.#phase = method === METHOD_PASSWORD ? 'password' : 'request';
    return true;
  }

  /** RFC 1929 §2. */
  #readPassword(sink: SocksServerSink): boolean {
    const bytes = this.#bytes;
    if (bytes[0] !== PASSWORD_VERSION) {
      return this.#refuse(sink, 'socks.malformed', 'User and password are not in the form of RFC 1929.');
    }
    const userEnd = 2 + (bytes[1] ?? Infinity);
    const passwordEnd = userEnd + 1 + (bytes[userEnd] ?? Infinity);
    if (bytes.length < passwordEnd) return false;
    const user = bytes.toString('latin1', 2, userEnd);
    const password = bytes.toString('latin1', userEnd + 1, passwordEnd);
    this.#take(passwordEnd);
    const isRight = this.#check === null || this.#check(user, password);
    sink.send(Buffer.from([PASSWORD_VERSION, isRight ? 0 : 1]));
    if (!isRight) {
      return this.#refuse(
        sink,
        'client.credentials',
        'User or password of the client are wrong (setting proxyAuthentication).',
      );
    }
    this.#phase = 'request';
    return true;
  }

  /** RFC 1928 §4. */
  #readRequest(sink: SocksServerSink): boolean {
    const [version, command] = this.#bytes;
    if (version !== SOCKS5) {
      return this.#refuse(sink, 'socks.malformed', 'The request is not in the form of RFC 1928.', 'failure');
    }
    if (command === undefined) return false;
    const found = readAddress(this.#bytes, 3);
    switch (found.kind) {
      case 'incomplete':
        return false;
      case 'unknown-type':
        return this.#refuse(
          sink,
          'socks.address-type',
          `The client named its destination by an address of type ${String(this.#bytes[3])}, which RFC 1928 does not know.`,
          'address-unsupported',
        );
      case 'malformed':
        return this.#refuse(sink, 'socks.malformed', 'The client asked for a name that no host can have.', 'failure');
      case 'address':
        this.#take(found.end);
        return this.#ask(sink, SOCKS5, command, found.address);
    }
  }

  #readSocks4(sink: SocksServerSink): boolean {
    const bytes = this.#bytes;
    const userEnd = bytes.indexOf(0, 8);
    if (bytes.length > 8 && (userEnd === -1 ? bytes.length : userEnd) > 8 + LONGEST_SOCKS4_TEXT) {
      return this.#refuse4(sink, 'socks.malformed', 'The identity of the client is longer than 255 bytes.');
    }
    if (bytes.length < 9 || userEnd === -1) return false;
    const command = bytes[1] ?? 0;
    const port = bytes.readUInt16BE(2);
    const address = bytes.subarray(4, 8);
    if (address[0] !== 0 || address[1] !== 0 || address[2] !== 0 || address[3] === 0) {
      const host = ipv4Text(address);
      this.#take(userEnd + 1);
      return this.#ask(sink, SOCKS4, command, { host, port });
    }
    // 4a: an address that nobody has says that a name follows.
    const nameEnd = bytes.indexOf(0, userEnd + 1);
    if ((nameEnd === -1 ? bytes.length : nameEnd) - userEnd > 1 + LONGEST_SOCKS4_TEXT) {
      return this.#refuse4(sink, 'socks.malformed', 'The name of the destination is longer than 255 bytes.');
    }
    if (nameEnd === -1) return false;
    const host = hostName(bytes.subarray(userEnd + 1, nameEnd));
    if (host === null) {
      return this.#refuse4(sink, 'socks.malformed', 'The client asked for a name that no host can have.');
    }
    this.#take(nameEnd + 1);
    return this.#ask(sink, SOCKS4, command, { host, port });
  }

  #ask(sink: SocksServerSink, version: SocksRequest['version'], command: number, address: SocksAddress): boolean {
    const refuse = (code: SocksRefusal['code'], message: string, outcome: SocksOutcome): boolean => {
      sink.send(socksReply(version, outcome));
      return this.#refuse(sink, code, message, null, address);
    };
    if (version === SOCKS4 && this.#check !== null) {
      return refuse(
        'client.credentials',
        'This proxy asks for user and password (setting proxyAuthentication), and SOCKS4 cannot carry one.',
        'not-allowed',
      );
    }
    const name = command === 1 ? 'connect' : command === 3 && version === SOCKS5 ? 'udp-associate' : null;
    if (name === null) {
      const what = command === 2 ? 'BIND, which Weir does not do' : `command ${String(command)}, which does not exist`;
      return refuse('socks.command', `The client asked for ${what}.`, 'command-unsupported');
    }
    if (name === 'connect' && address.port === 0) {
      return refuse('socks.malformed', 'The client asked for port 0, which is none.', 'failure');
    }
    this.#phase = 'done';
    sink.onRequest({ version, command: name, host: address.host, port: address.port });
    return false;
  }

  #refuse4(sink: SocksServerSink, code: SocksRefusal['code'], message: string): boolean {
    sink.send(socksReply(SOCKS4, 'failure'));
    return this.#refuse(sink, code, message);
  }

  #refuse(
    sink: SocksServerSink,
    code: SocksRefusal['code'],
    message: string,
    outcome: SocksOutcome | null = null,
    address: SocksAddress | null = null,
  ): boolean {
    this.#phase = 'failed';
    if (outcome !== null) sink.send(socksReply(SOCKS5, outcome));
    sink.onRefused({ code, message, address });
    return false;
  }

  #take(count: number): Buffer {
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }
}

/** The answer to a request. `bound` is where our side of the connection stands; unspecified when left out. */
export function socksReply(
  version: SocksRequest['version'],
  outcome: SocksOutcome,
  bound: SocksAddress = { host: '0.0.0.0', port: 0 },
): Buffer {
  if (version === SOCKS4) {
    const address = parseIpv4(bound.host) ?? Buffer.alloc(4);
    const code = socks4ReplyCode(outcome);
    return Buffer.concat([Buffer.from([0, code, bound.port >> 8, bound.port & 0xff]), address]);
  }
  const address = writeAddress(bound) ?? Buffer.alloc(0);
  return Buffer.concat([Buffer.from([SOCKS5, replyCode(outcome), 0]), address]);
}
