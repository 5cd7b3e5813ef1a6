import { Http2Error, LARGEST_MAX_FRAME, LARGEST_WINDOW, Setting, SMALLEST_MAX_FRAME } from './constants.ts';
import type { Fault } from './events.ts';

/** Octets of one setting (RFC 9113 §6.5.1). */
const SETTING_BYTES = 6;

/**
 * Judges a SETTINGS payload and hands each known setting on, in order.
 *
 * @param pushForbidden the peer is a server, which may not switch push on (RFC 9113 §6.5.2)
 * @returns what is wrong with it, or null
 * @see RFC 9113 §6.5.2, RFC 8441 §3
 */
export function readSettings(
  bytes: Buffer,
  start: number,
  end: number,
  pushForbidden: boolean,
  apply: (name: number, value: number) => Fault | null,
): Fault | null {
  if ((end - start) % SETTING_BYTES !== 0)
    return { code: Http2Error.frameSizeError, message: 'SETTINGS of a wrong length.' };
  for (let at = start; at < end; at += SETTING_BYTES) {
    const name = bytes.readUInt16BE(at);
    const value = bytes.readUInt32BE(at + 2);
    const fault = judge(name, value, pushForbidden) ?? apply(name, value);
    if (fault !== null) return fault;
  }
  return null;
}

function judge(name: number, value: number, pushForbidden: boolean): Fault | null {
  switch (name) {
    case Setting.enablePush:
      if (value > 1 || (pushForbidden && value === 1)) return protocolError(`ENABLE_PUSH ${String(value)}.`);
      return null;
    case Setting.initialWindowSize:
      if (value <= LARGEST_WINDOW) return null;
      return { code: Http2Error.flowControlError, message: `INITIAL_WINDOW_SIZE ${String(value)}.` };
    case Setting.maxFrameSize:
      if (value >= SMALLEST_MAX_FRAME && value <= LARGEST_MAX_FRAME) return null;
      return protocolError(`MAX_FRAME_SIZE ${String(value)}.`);
    case Setting.enableConnectProtocol:
      return value > 1 ? protocolError(`ENABLE_CONNECT_PROTOCOL ${String(value)}.`) : null;
    default:
      return null;
  }
}

function protocolError(message: string): Fault {
  return { code: Http2Error.protocolError, message };
}
