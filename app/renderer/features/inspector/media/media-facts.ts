import { Bytes } from './media-bytes.ts';
import type { MediaFacts, MediaReader, ReadMedia } from './media-bytes.ts';
import { readFlac, readMp3, readOgg, readWav } from './sound.ts';
import { readMatroska } from './matroska.ts';
import { readMp4 } from './mp4.ts';

const START_BYTES = 65_536;

const READERS: readonly (readonly [at: number, signature: string, reader: MediaReader])[] = [
  [8, 'WAVE', readWav],
  [0, 'fLaC', readFlac],
  [0, 'OggS', readOgg],
  [4, 'ftyp', readMp4],
  [4, 'styp', readMp4],
  [4, 'moov', readMp4],
  [4, 'moof', readMp4],
  [0, '\u001aE\u00df\u00a3', readMatroska],
  [0, 'ID3', readMp3],
];

/**
 * What a recording says about itself, from a few of its bytes; nothing is decoded or played.
 * @returns null for what is no recording of a known container
 * @throws what `read` throws
 */
export async function readMediaFacts(read: ReadMedia, size: number): Promise<MediaFacts | null> {
  const start = new Bytes(await read(0, Math.min(size, START_BYTES)));
  const reader = READERS.find(([at, signature]) => start.text(at, signature.length) === signature)?.[2];
  if (reader !== undefined) return reader(start, read, size);
  const isMpegFrame = start.u8(0) === 0xff && (start.u8(1) & 0xe6) === 0xe2;
  return isMpegFrame ? readMp3(start, read, size) : null;
}
