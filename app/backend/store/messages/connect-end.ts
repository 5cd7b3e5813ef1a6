import { CONNECT_CODES } from '#contract';

/** Longest end of a stream that is read, bytes. */
const MOST_BYTES = 1_048_576;
/** Characters of what an error says that stand in its row. */
const MOST_MESSAGE = 1_000;
/** What a client takes an error for whose code it cannot read. */
const UNKNOWN = CONNECT_CODES.indexOf('unknown');

/** What the last message of a stream of Connect says. */
export interface ConnectEnd {
  /** The number that gRPC has for its code; 0 for a call that went well, null when nothing can be read. */
  readonly status: number | null;
  /** `code` and `message` of an error. */
  readonly facts: Readonly<Record<string, string>>;
  /** It is not as it must be. */
  readonly isBroken: boolean;
}

const UNREADABLE: ConnectEnd = { status: null, facts: {}, isBroken: true };

/**
 * Reads an EndStreamResponse: JSON with `error` when the call failed, and `metadata`.
 *
 * @see https://connectrpc.com/docs/protocol#error-end-stream
 */
export function readConnectEnd(payload: Buffer): ConnectEnd {
  const end = payload.length > MOST_BYTES ? null : objectIn(payload.toString('utf8'));
  if (end === null) return UNREADABLE;
  if (!('error' in end)) return { status: 0, facts: {}, isBroken: false };
  const { error } = end;
  const { code, message } = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
  const known = CONNECT_CODES.findIndex((name, number) => number > 0 && name === code);
  return {
    status: known < 0 ? UNKNOWN : known,
    facts: {
      code: typeof code === 'string' ? code.slice(0, MOST_MESSAGE) : (CONNECT_CODES[UNKNOWN] ?? ''),
      ...(typeof message === 'string' && message !== '' ? { message: message.slice(0, MOST_MESSAGE) } : {}),
    },
    isBroken: known < 0,
  };
}

function objectIn(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
