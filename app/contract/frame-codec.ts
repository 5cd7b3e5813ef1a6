/**
 * How frames travel over a WebSocket. A frame without binary values is a text message of JSON. A frame with some is a
 * binary message:
 *
 *     u32 big-endian   length of the JSON that follows, bytes
 *     JSON             {"frame": …, "binary": [{"path": [keys…], "length": bytes}, …]}
 *     attachments      the binary values in that order, without padding
 *
 * Each binary value is null in the JSON; its path says where it belongs. A message port carries frames as they are.
 */

interface Attachment {
  readonly path: readonly (string | number)[];
  readonly length: number;
}

/** A message is no frame of the contract. */
export class FrameError extends Error {
  override readonly name = 'FrameError';
}

const MAX_DEPTH = 12;
const MAX_ATTACHMENTS = 64;
const LENGTH_BYTES = 4;
const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Encodes one frame.
 *
 * @returns text, or bytes when `Uint8Array` values stand in it
 * @throws FrameError when it is nested too deeply to be a frame of ours
 */
export function encodeFrame(frame: unknown): string | Uint8Array<ArrayBuffer> {
  const values: Uint8Array[] = [];
  const binary: Attachment[] = [];
  const bare = detach(frame, [], values, binary);
  if (values.length === 0) return JSON.stringify(frame);
  const header = encoder.encode(JSON.stringify({ frame: bare, binary }));
  const total = values.reduce((sum, value) => sum + value.byteLength, LENGTH_BYTES + header.byteLength);
  const message = new Uint8Array(total);
  new DataView(message.buffer).setUint32(0, header.byteLength);
  message.set(header, LENGTH_BYTES);
  let offset = LENGTH_BYTES + header.byteLength;
  for (const value of values) {
    message.set(value, offset);
    offset += value.byteLength;
  }
  return message;
}

/**
 * Decodes one message into a frame whose shape is not validated yet. Binary values are copies.
 *
 * @throws FrameError when the message is malformed
 */
export function decodeFrame(message: string | Uint8Array): unknown {
  if (typeof message === 'string') return parseJson(message);
  if (message.byteLength < LENGTH_BYTES) throw new FrameError('The message is shorter than its length field.');
  const headerBytes = new DataView(message.buffer, message.byteOffset, LENGTH_BYTES).getUint32(0);
  const bodyStart = LENGTH_BYTES + headerBytes;
  if (bodyStart > message.byteLength) throw new FrameError('The header is longer than the message.');
  const header = parseJson(decodeText(message.subarray(LENGTH_BYTES, bodyStart)));
  if (!isRecord(header) || !Array.isArray(header['binary'])) throw new FrameError('The header has no attachment list.');
  const attachments: readonly unknown[] = header['binary'];
  if (attachments.length > MAX_ATTACHMENTS) throw new FrameError('The message has too many attachments.');
  let offset = bodyStart;
  for (const attachment of attachments) {
    if (!isAttachment(attachment)) throw new FrameError('An attachment is malformed.');
    const end = offset + attachment.length;
    if (end > message.byteLength) throw new FrameError('An attachment is longer than the message.');
    attach(header, ['frame', ...attachment.path], message.slice(offset, end));
    offset = end;
  }
  if (offset !== message.byteLength) throw new FrameError('Bytes follow the last attachment.');
  return header['frame'];
}

/** Copies `value` with null in place of binary values, which are collected; returns it as it is when it has none. */
function detach(
  value: unknown,
  path: readonly (string | number)[],
  values: Uint8Array[],
  binary: Attachment[],
): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Uint8Array) {
    values.push(value);
    binary.push({ path, length: value.byteLength });
    return null;
  }
  if (path.length >= MAX_DEPTH) throw new FrameError('The frame is nested too deeply.');
  const before = values.length;
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const bare = list.map((item, index) => detach(item, [...path, index], values, binary));
    return values.length === before ? value : bare;
  }
  const bare: [string, unknown][] = Object.entries(value).map(([key, item]) => [
    key,
    detach(item, [...path, key], values, binary),
  ]);
  return values.length === before ? value : Object.fromEntries(bare);
}

/** Puts a binary value where a null of the JSON stands; only existing own places, so that no path reaches a prototype. */
function attach(root: Record<string, unknown>, path: readonly (string | number)[], bytes: Uint8Array): void {
  let holder: unknown = root;
  for (const key of path.slice(0, -1)) {
    holder = isRecord(holder) && Object.hasOwn(holder, key) ? holder[key] : undefined;
  }
  const last = path.at(-1);
  if (last === undefined || !isRecord(holder) || !Object.hasOwn(holder, last) || holder[last] !== null) {
    throw new FrameError('An attachment has no place in the frame.');
  }
  holder[last] = bytes;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error: unknown) {
    throw new FrameError('The message is not JSON.', { cause: error });
  }
}

function decodeText(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (error: unknown) {
    throw new FrameError('The header is not UTF-8.', { cause: error });
  }
}

/** Arrays count: their elements are reached by index in the same way. */
function isRecord(value: unknown): value is Record<string | number, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array);
}

function isAttachment(value: unknown): value is Attachment {
  if (!isRecord(value) || !Array.isArray(value['path'])) return false;
  const { path, length } = value;
  const keys: readonly unknown[] = path;
  return (
    keys.length > 0 &&
    keys.length <= MAX_DEPTH &&
    keys.every((key) => typeof key === 'string' || typeof key === 'number') &&
    typeof length === 'number' &&
    Number.isSafeInteger(length) &&
    length >= 0
  );
}
