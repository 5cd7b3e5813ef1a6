import type { PerMessageDeflateOptions } from 'ws';
import type { ConversationRequest, ExchangeDetail, HeaderField } from '#contract';
import { ContractError, exchangeUrl } from '#contract';
import { placeOf, valueOf, withField, without, type RequestPlace } from './request-parts.ts';

/** A handshake that is ready to be made. */
export interface PlannedHandshake {
  readonly place: RequestPlace;
  /** In wire order and case. The values of the key and of the extensions are made by who sends it. */
  readonly fields: readonly HeaderField[];
  readonly subprotocols: readonly string[];
  /** What is offered of permessage-deflate; false: nothing. */
  readonly deflate: PerMessageDeflateOptions | false;
  /** That offer as it is written; null where it is to be written from `deflate`. */
  readonly offer: string | null;
}

/** Fields that a request without content has no use for, and those that only HTTP/2 has. */
const LEFT_OUT: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'trailer', 'te']);
const EXTENSIONS = 'sec-websocket-extensions';

/**
 * Puts a handshake together from what was captured and what was edited.
 *
 * @param original the exchange of `request.of`; null when it is composed from nothing
 * @throws ContractError `bad-input`
 */
export function planHandshake(request: ConversationRequest, original: ExchangeDetail | null): PlannedHandshake {
  const url = request.url ?? (original === null ? '' : exchangeUrl(original.summary));
  const place = placeOf(url.replace(/^ws/i, 'http'));
  const captured = capturedFields(original);
  let fields = request.headers ?? captured;
  // A handshake that goes elsewhere says so, unless its list of fields was written by hand.
  if (request.headers === undefined && request.url !== undefined && valueOf(fields, 'host') !== null) {
    fields = withField(fields, ['Host', place.authority]);
  }
  for (const field of request.setHeaders ?? []) fields = withField(fields, field);
  const offered = valueOf(fields, EXTENSIONS);
  const deflate = deflateOf(request, offered);
  fields = without(fields, LEFT_OUT);
  return {
    place,
    fields: deflate === false ? without(fields, new Set([EXTENSIONS])) : fields,
    subprotocols: subprotocolsOf(fields),
    deflate,
    // Other extensions are not offered, since nothing here could speak them.
    offer:
      offered !== null && /^\s*permessage-deflate\s*(;|$)/i.test(offered) && !offered.includes(',') ? offered : null,
  };
}

function capturedFields(original: ExchangeDetail | null): readonly HeaderField[] {
  if (original === null) return [];
  const { summary, request } = original;
  if (request === null || summary.method === '') {
    throw new ContractError('bad-input', `Exchange ${String(summary.id)} holds no request that could be sent again.`);
  }
  return (request.sent ?? request).headers.filter(([name]) => !name.startsWith(':'));
}

function subprotocolsOf(fields: readonly HeaderField[]): readonly string[] {
  return fields
    .filter(([name]) => name.toLowerCase() === 'sec-websocket-protocol')
    .flatMap(([, value]) => value.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Every message says by itself whether it is deflated: none is too short for it. */
const NO_THRESHOLD = { threshold: 0 };

function deflateOf({ deflate }: ConversationRequest, offered: string | null): PerMessageDeflateOptions | false {
  if (deflate === 'off') return false;
  const offer = (offered ?? '')
    .split(',')
    .map((extension) => extension.split(';').map((part) => part.trim().toLowerCase()))
    .find(([name]) => name === 'permessage-deflate');
  if (offer === undefined) return deflate === 'on' ? NO_THRESHOLD : false;
  const terms = new Map(
    offer.slice(1).map((parameter) => {
      const [name = '', value = ''] = parameter.split('=').map((part) => part.trim().replaceAll('"', ''));
      return [name, value];
    }),
  );
  const serverBits = windowBits(terms.get('server_max_window_bits'));
  const clientBits = windowBits(terms.get('client_max_window_bits'));
  return {
    ...NO_THRESHOLD,
    // An origin may answer with either of these unasked.
    ...(terms.has('server_no_context_takeover') ? { serverNoContextTakeover: true } : {}),
    ...(terms.has('client_no_context_takeover') ? { clientNoContextTakeover: true } : {}),
    ...(serverBits === null ? {} : { serverMaxWindowBits: serverBits }),
    // Without the parameter the origin must not ask for a smaller window; without a size any is right (RFC 7692 §7.1.2.2).
    ...(terms.has('client_max_window_bits') && clientBits === null ? {} : { clientMaxWindowBits: clientBits ?? 15 }),
  };
}

/** RFC 7692 §7.1.2; null for none and for what is no size of a window. */
function windowBits(text: string | undefined): number | null {
  const bits = Number(text ?? '');
  return Number.isInteger(bits) && bits >= 8 && bits <= 15 ? bits : null;
}
