import { decodeWhole } from './decode/decode-whole.ts';
import { contentCodingsOf, parseHead } from './head-fields.ts';
import { fileBytes } from './stored-run.ts';
import type { StoreFolder } from './store-folder.ts';

/** Of each body this many stored, and as many decoded bytes are searched; what comes behind them is not found. */
const SEARCHED_BODY_BYTES = 1_048_576;
/** A zero byte so near the beginning is in no text (but UTF-16): such a body is not searched. */
const PROBED_BYTES = 512;

/*
 * What is searched, and in which form: the index and the filters that look into rows must agree to the byte. One character
 * stands for one byte, so that UTF-8, latin1 and broken text all compare; only the case of letters is levelled.
 */

/** @param bytes of captured text in any encoding */
export function searchText(bytes: Buffer): string {
  return bytes.toString('latin1').toLowerCase();
}

/** What a person looks for, in the same form. */
export function wantedText(text: string): string {
  return searchText(Buffer.from(text, 'utf8'));
}

/**
 * The decoded body in the form that is searched; empty for one that is no text.
 * @param head that the body came with
 * @param inline the stored bytes, or null when they are in the segment of that hash
 */
export function bodySearchText(
  folder: StoreFolder,
  head: Buffer | null,
  inline: Buffer | null,
  hash: Buffer | null,
): string {
  const stored = inline ?? (hash === null ? null : readSegment(folder, hash));
  if (stored === null || stored.length === 0) return '';
  const codings =
    head === null || !searchText(head).includes('\ncontent-encoding') ? [] : contentCodingsOf(parseHead(head).headers);
  const { bytes } = decodeWhole(stored, codings, SEARCHED_BODY_BYTES);
  return bytes.subarray(0, PROBED_BYTES).includes(0) ? '' : searchText(bytes);
}

function readSegment(folder: StoreFolder, hash: Buffer): Buffer | null {
  const file = fileBytes(folder.segment(hash));
  if (file === null) return null;
  try {
    return file.read(0, Math.min(file.length, SEARCHED_BODY_BYTES));
  } finally {
    file.close();
  }
}
