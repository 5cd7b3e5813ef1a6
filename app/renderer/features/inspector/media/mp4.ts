import { Bytes } from './media-bytes.ts';
import type { MediaFacts, MediaTrack, ReadMedia } from './media-bytes.ts';

/** Boxes at the top that are looked at, and tracks that are listed. */
const MOST_BOXES = 64;
/** Longest description of a file that is read, bytes. */
const MOST_MOOV_BYTES = 4_194_304;

interface Box {
  readonly name: string;
  /** Where its content begins and ends. */
  readonly from: number;
  readonly end: number;
}

/** MP4, M4A and QuickTime (ISO/IEC 14496-12): boxes of length, name and content; `moov` may stand at the end of the file. */
export async function readMp4(start: Bytes, read: ReadMedia, size: number): Promise<MediaFacts> {
  const container = containerOf(start);
  for (let at = 0, count = 0; at + 8 <= size && count < MOST_BOXES; count += 1) {
    const head = at + 16 <= start.length ? start : new Bytes(await read(at, 16));
    const box = boxAt(head, head === start ? at : 0, size - at);
    if (box === null) break;
    const shift = head === start ? 0 : at;
    if (box.name === 'moov') {
      const length = Math.min(box.end - box.from, MOST_MOOV_BYTES);
      return { container, ...readMovie(new Bytes(await readAll(read, box.from + shift, length))) };
    }
    at = box.end + shift;
  }
  return { container, seconds: null, tracks: [] };
}

function containerOf(start: Bytes): string {
  const brand = start.text(4, 4) === 'ftyp' ? start.text(8, 4).trim() : '';
  if (brand === 'qt') return 'QuickTime';
  if (brand.startsWith('M4A')) return 'M4A';
  return brand === '' ? 'MP4' : `MP4 (${brand})`;
}

/** Windows are smaller than descriptions may be. */
async function readAll(read: ReadMedia, from: number, length: number): Promise<Uint8Array> {
  const all = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const bytes = await read(from + done, length - done);
    if (bytes.length === 0) break;
    all.set(bytes, done);
    done += bytes.length;
  }
  return all.subarray(0, done);
}

/** @param room bytes up to the end of what the box stands in */
function boxAt(bytes: Bytes, at: number, room: number): Box | null {
  const short = bytes.big(at, 4);
  const length = short === 1 ? bytes.big(at + 10, 6) : short === 0 ? room : short;
  const head = short === 1 ? 16 : 8;
  if (length < head) return null;
  return { name: bytes.text(at + 4, 4), from: at + head, end: at + length };
}

function boxesIn(bytes: Bytes, from: number, end: number): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= Math.min(end, bytes.length) && boxes.length < MOST_BOXES;) {
    const box = boxAt(bytes, at, end - at);
    if (box === null) break;
    boxes.push(box);
    at = box.end;
  }
  return boxes;
}

function readMovie(bytes: Bytes): Pick<MediaFacts, 'seconds' | 'tracks'> {
  const boxes = boxesIn(bytes, 0, bytes.length);
  const header = boxes.find(({ name }) => name === 'mvhd');
  let seconds: number | null = null;
  if (header !== undefined) {
    const wide = bytes.u8(header.from) === 1;
    const scale = bytes.big(header.from + (wide ? 20 : 12), 4);
    const duration = wide ? bytes.big(header.from + 26, 6) : bytes.big(header.from + 16, 4);
    // A file that is written in fragments does not know its duration here.
    seconds = scale > 0 && duration > 0 && duration < 0xffff_ffff ? duration / scale : null;
  }
  const tracks = boxes.filter(({ name }) => name === 'trak').map((track) => readTrack(bytes, track));
  return { seconds, tracks };
}

function readTrack(bytes: Bytes, track: Box): MediaTrack {
  const find = (within: Box, path: readonly string[]): Box | null => {
    let box: Box | undefined = within;
    for (const name of path) {
      box = boxesIn(bytes, box.from, box.end).find((inner) => inner.name === name);
      if (box === undefined) return null;
    }
    return box;
  };
  const handler = find(track, ['mdia', 'hdlr']);
  const table = find(track, ['mdia', 'minf', 'stbl', 'stsd']);
  const type = handler === null ? '' : bytes.text(handler.from + 8, 4);
  // One entry of the table: length, name, six reserved bytes, an index, then what its kind has.
  const entry = table === null ? 0 : table.from + 8;
  const codec = table === null ? 'unknown' : bytes.text(entry + 4, 4).trim();
  if (type === 'soun') {
    return { kind: 'audio', codec, channels: bytes.big(entry + 24, 2), sampleRate: bytes.big(entry + 32, 2) };
  }
  if (type === 'vide') {
    return { kind: 'video', codec, width: bytes.big(entry + 32, 2), height: bytes.big(entry + 34, 2) };
  }
  return { kind: 'other', codec: type === '' ? codec : type };
}
