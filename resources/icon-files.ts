/** Sizes of an .ico, pixels; 256 is the largest that the format has. */
const ICO_SIZES = [16, 32, 48, 64, 128, 256] as const;

/** An .icns names each image by a type; these take PNG. */
const ICNS_TYPES: readonly (readonly [type: string, pixels: number])[] = [
  ['icp4', 16],
  ['icp5', 32],
  ['icp6', 64],
  ['ic07', 128],
  ['ic08', 256],
  ['ic09', 512],
  ['ic10', 1024],
];

/**
 * A Windows icon of PNG images.
 * @param images PNG files by their width and height, pixels
 * @throws Error when a size is missing
 */
export function encodeIco(images: ReadonlyMap<number, Buffer>): Buffer {
  const entries = ICO_SIZES.map((pixels) => ({ pixels, png: imageOf(images, pixels) }));
  const head = Buffer.alloc(6 + entries.length * 16);
  head.writeUInt16LE(1, 2); // an icon
  head.writeUInt16LE(entries.length, 4);
  let offset = head.length;
  for (const [index, { pixels, png }] of entries.entries()) {
    const at = 6 + index * 16;
    head.writeUInt8(pixels % 256, at); // 0 stands for 256
    head.writeUInt8(pixels % 256, at + 1);
    head.writeUInt16LE(1, at + 4); // colour planes
    head.writeUInt16LE(32, at + 6); // bits a pixel
    head.writeUInt32LE(png.length, at + 8);
    head.writeUInt32LE(offset, at + 12);
    offset += png.length;
  }
  return Buffer.concat([head, ...entries.map(({ png }) => png)]);
}

/**
 * A macOS icon of PNG images.
 * @param images PNG files by their width and height, pixels
 * @throws Error when a size is missing
 */
export function encodeIcns(images: ReadonlyMap<number, Buffer>): Buffer {
  const chunks = ICNS_TYPES.map(([type, pixels]) => chunk(type, imageOf(images, pixels)));
  return chunk('icns', Buffer.concat(chunks));
}

function chunk(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32BE(8 + content.length, 4);
  return Buffer.concat([head, content]);
}

function imageOf(images: ReadonlyMap<number, Buffer>, pixels: number): Buffer {
  const png = images.get(pixels);
  if (png === undefined) throw new Error(`There is no image of ${String(pixels)} pixels.`);
  return png;
}
