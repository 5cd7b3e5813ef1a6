/** Name of an error code of HTTP/2 (RFC 9113 §7). */
export function http2ErrorName(code: number): string {
  return ERROR_NAMES[code] ?? `code ${String(code)}`;
}

/** Name of a frame's type (RFC 9113 §6, RFC 7838 §4, RFC 8336 §2, RFC 9218 §7.1); its number in hex where it has none. */
export function http2FrameName(type: number): string {
  return FRAME_NAMES[type] ?? `0x${type.toString(16).padStart(2, '0')}`;
}

/** Names of the flags that are set; those without a meaning for this type together as one number in hex. */
export function http2FlagNames(type: number, flags: number): readonly string[] {
  const names: string[] = [];
  let left = flags;
  for (const [flag, name] of FLAG_NAMES[type] ?? []) {
    if ((flags & flag) === 0) continue;
    names.push(name);
    left &= ~flag;
  }
  if (left !== 0) names.push(`0x${left.toString(16).padStart(2, '0')}`);
  return names;
}

/** Name of a setting (RFC 9113 §6.5.2, RFC 8441 §3, RFC 9218 §2.1); its number in hex where it has none. */
export function http2SettingName(identifier: number): string {
  return SETTING_NAMES[identifier] ?? `0x${identifier.toString(16).padStart(4, '0')}`;
}

const ERROR_NAMES: readonly string[] = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
];

const FRAME_NAMES: Readonly<Record<number, string>> = {
  0x0: 'DATA',
  0x1: 'HEADERS',
  0x2: 'PRIORITY',
  0x3: 'RST_STREAM',
  0x4: 'SETTINGS',
  0x5: 'PUSH_PROMISE',
  0x6: 'PING',
  0x7: 'GOAWAY',
  0x8: 'WINDOW_UPDATE',
  0x9: 'CONTINUATION',
  0xa: 'ALTSVC',
  0xc: 'ORIGIN',
  0x10: 'PRIORITY_UPDATE',
};

const END_STREAM = [0x1, 'END_STREAM'] as const;
const ACK = [0x1, 'ACK'] as const;
const END_HEADERS = [0x4, 'END_HEADERS'] as const;
const PADDED = [0x8, 'PADDED'] as const;
const PRIORITY = [0x20, 'PRIORITY'] as const;

const FLAG_NAMES: Readonly<Record<number, readonly (readonly [flag: number, name: string])[]>> = {
  0x0: [END_STREAM, PADDED],
  0x1: [END_STREAM, END_HEADERS, PADDED, PRIORITY],
  0x4: [ACK],
  0x5: [END_HEADERS, PADDED],
  0x6: [ACK],
  0x9: [END_HEADERS],
};

const SETTING_NAMES: Readonly<Record<number, string>> = {
  0x1: 'HEADER_TABLE_SIZE',
  0x2: 'ENABLE_PUSH',
  0x3: 'MAX_CONCURRENT_STREAMS',
  0x4: 'INITIAL_WINDOW_SIZE',
  0x5: 'MAX_FRAME_SIZE',
  0x6: 'MAX_HEADER_LIST_SIZE',
  0x8: 'ENABLE_CONNECT_PROTOCOL',
  0x9: 'NO_RFC7540_PRIORITIES',
};
