import type { BodyForm, BodyWindow } from '#contract';
import type { ByteSource } from '../../ui/byte-source.ts';
import type { Content } from './content/content-kind.ts';

/** What the views of a body need of it: a whole body, or one part of it. Nothing beyond windows is ever held. */
export interface ViewedBody {
  /** The decoded beginning; null until it was read. */
  readonly first: BodyWindow | null;
  /** Bytes of the decoded body, as far as is known now. */
  readonly decodedBytes: number;
  readonly content: Content;
  /** As declared, or null. */
  readonly charset: string | null;
  /**
   * One window of the body.
   * @throws ContractError
   */
  read(form: BodyForm, offset: number, length: number, signal: AbortSignal): Promise<BodyWindow>;
  /**
   * Everything up to `limit` bytes of the decoded body.
   * @param onprogress called with the bytes read so far
   * @throws ContractError
   */
  readUpTo(limit: number, signal: AbortSignal, onprogress?: (bytes: number) => void): Promise<Uint8Array>;
  /** The body for a view of bytes. */
  source(form: BodyForm): ByteSource;
}

/** Reads windows one after the other until there are `limit` bytes, or no more. */
export async function readWindows(
  read: (offset: number, length: number) => Promise<BodyWindow>,
  limit: number,
  onprogress: (bytes: number) => void,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  while (length < limit) {
    const { bytes, totalBytes } = await read(length, limit - length);
    if (bytes.length === 0) break;
    parts.push(bytes);
    length += bytes.length;
    onprogress(length);
    if (totalBytes !== null && length >= totalBytes) break;
  }
  return joined(parts, length);
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const only = parts[0];
  if (parts.length === 1 && only !== undefined) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
