/** What a handshake agreed on about compression (RFC 7692 §7.1). Window bits are those of the sender's window. */
interface DeflateTerms {
  /** The client forgets its window after each message. */
  readonly clientForgets: boolean;
  readonly originForgets: boolean;
  readonly clientWindowBits: number;
  readonly originWindowBits: number;
}

/** What the extensions of a handshake mean for the bytes behind it. */
export interface NegotiatedExtensions {
  /** permessage-deflate, when it was agreed on. */
  readonly deflate: DeflateTerms | null;
  /** Names of the other extensions, which own reserved bits and opcodes that we cannot judge. */
  readonly others: readonly string[];
}

const LARGEST_WINDOW_BITS = 15;

/**
 * Reads the value of a response's `Sec-WebSocket-Extensions` (RFC 6455 §9.1), lenient: what is odd is the peers' business.
 *
 * @param value fields of that name joined by commas; null without any
 */
export function readExtensions(value: string | null): NegotiatedExtensions {
  let deflate: DeflateTerms | null = null;
  const others: string[] = [];
  for (const extension of (value ?? '').split(',')) {
    const [name = '', ...parameters] = extension.split(';').map((part) => part.trim().toLowerCase());
    if (name === '') continue;
    if (name === 'permessage-deflate' && deflate === null) deflate = readTerms(parameters);
    else others.push(name);
  }
  return { deflate, others };
}

function readTerms(parameters: readonly string[]): DeflateTerms {
  const terms = new Map(
    parameters.map((parameter) => {
      const [name = '', value = ''] = parameter.split('=').map((part) => part.trim());
      return [name, value.replaceAll('"', '')];
    }),
  );
  const bits = (name: string): number => {
    const given = Number(terms.get(name));
    return Number.isInteger(given) && given >= 8 && given <= LARGEST_WINDOW_BITS ? given : LARGEST_WINDOW_BITS;
  };
  return {
    clientForgets: terms.has('client_no_context_takeover'),
    originForgets: terms.has('server_no_context_takeover'),
    clientWindowBits: bits('client_max_window_bits'),
    originWindowBits: bits('server_max_window_bits'),
  };
}
