import { expect, test } from 'vitest';
import { readMediaFacts } from './media-facts.ts';
import type { MediaFacts } from './media-bytes.ts';

function facts(bytes: Buffer, size = bytes.length): Promise<MediaFacts | null> {
  // Windows are smaller than what is asked for, as they are in the product.
  return readMediaFacts(
    (offset, length) => Promise.resolve(bytes.subarray(offset, offset + Math.min(length, 262_144))),
    size,
  );
}

const u32 = (value: number): Buffer =>
  Buffer.from([value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]);
const le32 = (value: number): Buffer => u32(value).reverse();
const text = (value: string): Buffer => Buffer.from(value, 'latin1');
const hex = (value: string): Buffer => Buffer.from(value.replaceAll(' ', ''), 'hex');

function box(name: string, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([u32(body.length + 8), text(name), body]);
}

function track(handler: string, entry: Buffer): Buffer {
  const table = box('stsd', u32(0), u32(1), entry);
  const media = box('mdia', box('hdlr', u32(0), u32(0), text(handler), u32(0)), box('minf', box('stbl', table)));
  return box('trak', box('tkhd', Buffer.alloc(84)), media);
}

const VIDEO = track('vide', box('avc1', Buffer.alloc(24), hex('0780 0438'), Buffer.alloc(50)));
const AUDIO = track('soun', box('mp4a', Buffer.alloc(16), hex('0002 0010 0000 0000 bb80 0000')));
const MOVIE = box('moov', box('mvhd', u32(0), u32(0), u32(0), u32(1_000), u32(12_500), Buffer.alloc(80)), VIDEO, AUDIO);

test('MP4 tells its duration, pictures and sound, also where its description stands behind megabytes of data', async () => {
  const expected = {
    container: 'MP4 (isom)',
    seconds: 12.5,
    tracks: [
      { kind: 'video', codec: 'avc1', width: 1_920, height: 1_080 },
      { kind: 'audio', codec: 'mp4a', channels: 2, sampleRate: 48_000 },
    ],
  };
  const head = box('ftyp', text('isom'), u32(0));
  expect(await facts(Buffer.concat([head, MOVIE, box('mdat', Buffer.alloc(9))]))).toEqual(expected);
  expect(await facts(Buffer.concat([head, box('mdat', Buffer.alloc(900_000)), MOVIE]))).toEqual(expected);
});

test('WAV tells its format, and its duration by the rate of its bytes', async () => {
  const format = Buffer.concat([hex('0100 0200 44ac0000 10b10200 0400 1000')]);
  const wav = Buffer.concat([text('RIFF'), le32(0), text('WAVEfmt '), le32(16), format, text('data'), le32(352_800)]);
  expect(await facts(wav)).toEqual({
    container: 'WAV',
    seconds: 2,
    tracks: [{ kind: 'audio', codec: 'PCM, 16 bits', channels: 2, sampleRate: 44_100 }],
  });
});

test('FLAC tells its stream', async () => {
  const info = Buffer.concat([
    text('fLaC'),
    hex('80000022'),
    Buffer.alloc(10),
    hex('0bb802f0 00075300'),
    Buffer.alloc(16),
  ]);
  expect(await facts(info)).toEqual({
    container: 'FLAC',
    seconds: 10,
    tracks: [{ kind: 'audio', codec: 'FLAC', channels: 2, sampleRate: 48_000 }],
  });
});

test('Ogg counts the samples of its last page', async () => {
  const page = (granule: number, packet: Buffer): Buffer =>
    Buffer.concat([text('OggS'), hex('0002'), le32(granule), le32(0), Buffer.alloc(12), hex('01'), hex('13'), packet]);
  const opus = Buffer.concat([text('OpusHead'), hex('01 02 3801 80bb0000 0000 00')]);
  expect(await facts(Buffer.concat([page(0, opus), Buffer.alloc(200_000), page(144_312, Buffer.alloc(19))]))).toEqual({
    container: 'Ogg',
    seconds: 3,
    tracks: [{ kind: 'audio', codec: 'Opus', channels: 2, sampleRate: 48_000 }],
  });
});

test('MP3 is read behind its tags: by the count of its frames, else by its rate of bits', async () => {
  const frame = Buffer.concat([hex('fffb9064'), Buffer.alloc(32), text('Xing'), u32(1), u32(383), Buffer.alloc(60)]);
  const tag = Buffer.concat([text('ID3'), hex('0400 00 00000210'), Buffer.alloc(272)]);
  const track = { kind: 'audio', codec: 'MP3', channels: 2, sampleRate: 44_100 };
  expect(await facts(Buffer.concat([tag, frame]))).toMatchObject({ seconds: (383 * 1_152) / 44_100, tracks: [track] });
  const constant = Buffer.concat([hex('fffb9064'), Buffer.alloc(160_000 - 4)]);
  expect(await facts(constant)).toMatchObject({ container: 'MP3', seconds: 10, tracks: [track] });
});

test('WebM tells its duration and tracks, also in a segment of unknown length', async () => {
  const element = (id: string, ...content: Buffer[]): Buffer => {
    const body = Buffer.concat(content);
    return Buffer.concat([hex(id), hex('01'), Buffer.alloc(3), u32(body.length), body]);
  };
  const float = Buffer.alloc(8);
  float.writeDoubleBE(4_200);
  const rate = Buffer.alloc(4);
  rate.writeFloatBE(48_000);
  const webm = Buffer.concat([
    element('1a45dfa3', element('4282', text('webm'))),
    hex('18538067 01ffffffffffffff'),
    element('1549a966', element('2ad7b1', hex('0f4240')), element('4489', float)),
    element(
      '1654ae6b',
      element(
        'ae',
        element('86', text('V_VP9')),
        element('e0', element('b0', hex('0500')), element('ba', hex('02d0'))),
      ),
      element('ae', element('86', text('A_OPUS')), element('e1', element('9f', hex('02')), element('b5', rate))),
    ),
  ]);
  expect(await facts(webm)).toEqual({
    container: 'WebM',
    seconds: 4.2,
    tracks: [
      { kind: 'video', codec: 'VP9', width: 1_280, height: 720 },
      { kind: 'audio', codec: 'OPUS', channels: 2, sampleRate: 48_000 },
    ],
  });
});

test('what is cut, damaged or hostile ends the reading and never throws or hangs', async () => {
  const whole = Buffer.concat([box('ftyp', text('isom'), u32(0)), MOVIE]);
  for (let length = 0; length <= whole.length; length += 7) {
    await facts(whole.subarray(0, length), whole.length);
    const broken = Buffer.from(whole);
    broken.fill(0xff, length, Math.min(whole.length, length + 5));
    await facts(broken);
    broken.fill(0, length, Math.min(whole.length, length + 5));
    await facts(broken);
  }
  expect(await facts(Buffer.concat([u32(0), text('ftypisom'), Buffer.alloc(99)]))).toMatchObject({ tracks: [] });
  expect(await facts(text('plain text'))).toBeNull();
  expect(await facts(Buffer.alloc(0))).toBeNull();
});
