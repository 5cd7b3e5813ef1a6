/** Width and height of a picture, px. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Segments of a JPEG that are passed at most on the way to its frame. */
const MOST_SEGMENTS = 256;

/**
 * How large a picture says it is, before anything decodes it; null where its kind is not known here or its beginning does
 * not say.
 * @param bytes its beginning, or all of it
 */
export function pictureSize(bytes: Uint8Array): PictureSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const name = (at: number, length: number): string => String.fromCharCode(...bytes.subarray(at, at + length));
  const u24 = (at: number): number => (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) * 256 + (bytes[at + 2] ?? 0) * 65_536;
  if (bytes.length < 30) return null;
  if (name(1, 3) === 'PNG') {
    // Its size stands in the first chunk (PNG §11.2.2); what has another one there is damaged.
    return name(12, 4) === 'IHDR' ? { width: view.getUint32(16), height: view.getUint32(20) } : null;
  }
  if (name(0, 3) === 'GIF') return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (name(0, 2) === 'BM')
    return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
  if (name(0, 2) === '\u00ff\u00d8') return jpegSize(bytes, view);
  if (name(8, 4) !== 'WEBP') return null;
  switch (name(12, 4)) {
    case 'VP8X':
      return { width: u24(24) + 1, height: u24(27) + 1 };
    case 'VP8L': {
      const packed = view.getUint32(21, true);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    default:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  }
}

/** The first frame of a JPEG tells its size (ITU T.81 §B.2.2). */
function jpegSize(bytes: Uint8Array, view: DataView): PictureSize | null {
  let at = 2;
  for (let count = 0; count < MOST_SEGMENTS && at + 9 <= bytes.length; count += 1) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return null;
}
