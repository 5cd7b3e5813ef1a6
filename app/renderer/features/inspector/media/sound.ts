import { Bytes } from './media-bytes.ts';
import type { MediaFacts, MediaTrack, ReadMedia } from './media-bytes.ts';

const WAV_CODECS: Readonly<Record<number, string>> = { 1: 'PCM', 3: 'PCM float', 6: 'A-law', 7: 'µ-law', 85: 'MP3' };
const MOST_CHUNKS = 64;

/** RIFF WAVE: chunks of name, length, content, padded to even lengths. */
export function readWav(start: Bytes): MediaFacts {
  const tracks: MediaTrack[] = [];
  let bytesASecond = 0;
  let seconds: number | null = null;
  for (let at = 12, count = 0; at + 8 <= start.length && count < MOST_CHUNKS; count += 1) {
    const name = start.text(at, 4);
    const length = start.little(at + 4, 4);
    if (name === 'fmt ') {
      const format = start.little(at + 8, 2);
      bytesASecond = start.little(at + 16, 4);
      const bits = start.little(at + 22, 2);
      const codec = `${WAV_CODECS[format] ?? `format ${String(format)}`}${bits > 0 ? `, ${String(bits)} bits` : ''}`;
      tracks.push({ kind: 'audio', codec, channels: start.little(at + 10, 2), sampleRate: start.little(at + 12, 4) });
    } else if (name === 'data') {
      // A stream of unknown length says so by the largest number.
      seconds = bytesASecond > 0 && length < 0xffff_ffff ? length / bytesASecond : null;
      break;
    }
    at += 8 + length + (length % 2);
  }
  return { container: 'WAV', seconds, tracks };
}

/** FLAC: the first block of metadata is STREAMINFO (RFC 9639 §8.2). */
export function readFlac(start: Bytes): MediaFacts {
  const packed = start.big(18, 4);
  const sampleRate = Math.floor(packed / 4_096);
  const channels = (Math.floor(packed / 512) & 7) + 1;
  const samples = (start.u8(21) & 15) * 2 ** 32 + start.big(22, 4);
  const seconds = sampleRate > 0 && samples > 0 ? samples / sampleRate : null;
  return { container: 'FLAC', seconds, tracks: [{ kind: 'audio', codec: 'FLAC', channels, sampleRate }] };
}

const OGG_TAIL_BYTES = 65_536;
/** Opus counts in this many samples a second, whatever was recorded (RFC 7845 §4). */
const OPUS_RATE = 48_000;

/** Ogg: the first page names the codec, the last page counts the samples (RFC 3533 §6). */
export async function readOgg(start: Bytes, read: ReadMedia, size: number): Promise<MediaFacts> {
  const packet = 27 + start.u8(26);
  let track: MediaTrack = { kind: 'other', codec: 'unknown' };
  let rate = 0;
  let skipped = 0;
  if (start.text(packet, 8) === 'OpusHead') {
    rate = OPUS_RATE;
    skipped = start.little(packet + 10, 2);
    track = { kind: 'audio', codec: 'Opus', channels: start.u8(packet + 9), sampleRate: start.little(packet + 12, 4) };
  } else if (start.text(packet, 7) === '\u0001vorbis') {
    rate = start.little(packet + 12, 4);
    track = { kind: 'audio', codec: 'Vorbis', channels: start.u8(packet + 11), sampleRate: rate };
  } else if (start.text(packet, 7) === '\u0080theora') {
    track = { kind: 'video', codec: 'Theora', width: start.big(packet + 14, 3), height: start.big(packet + 17, 3) };
  }
  const from = Math.max(0, size - OGG_TAIL_BYTES);
  const tail = new Bytes(await read(from, size - from));
  const last = tail.lastIndexOf('OggS');
  const samples = last < 0 ? 0 : tail.little(last + 6, 6);
  return {
    container: 'Ogg',
    seconds: rate > 0 && samples > skipped ? (samples - skipped) / rate : null,
    tracks: [track],
  };
}

const BITRATES_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITRATES_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const RATES = [44_100, 48_000, 32_000];
/** A first frame is looked for in this many bytes behind the tags. */
const MOST_SEEK = 4_096;

/** MPEG audio layer III, with the tags before it (ID3v2 §3.1) and the count of frames that encoders leave in the first one. */
export async function readMp3(start: Bytes, read: ReadMedia, size: number): Promise<MediaFacts> {
  let from = 0;
  if (start.text(0, 3) === 'ID3') {
    const [a, b, c, d] = [6, 7, 8, 9].map((at) => start.u8(at) & 0x7f);
    from = 10 + (((a ?? 0) * 128 + (b ?? 0)) * 128 + (c ?? 0)) * 128 + (d ?? 0);
  }
  const bytes = new Bytes(await read(from, Math.min(MOST_SEEK, Math.max(0, size - from))));
  for (let at = 0; at + 4 < bytes.length; at += 1) {
    if (bytes.u8(at) !== 0xff || (bytes.u8(at + 1) & 0xe6) !== 0xe2) continue;
    const version = (bytes.u8(at + 1) >> 3) & 3;
    const isFirst = version === 3;
    const bitRate = ((isFirst ? BITRATES_1 : BITRATES_2)[bytes.u8(at + 2) >> 4] ?? 0) * 1_000;
    const base = RATES[(bytes.u8(at + 2) >> 2) & 3];
    if (version === 1 || base === undefined || bitRate === 0) continue;
    const sampleRate = isFirst ? base : version === 2 ? base / 2 : base / 4;
    const mono = bytes.u8(at + 3) >> 6 === 3;
    const info = at + 4 + (isFirst ? (mono ? 17 : 32) : mono ? 9 : 17);
    const counted = ['Xing', 'Info'].includes(bytes.text(info, 4)) && (bytes.u8(info + 7) & 1) === 1;
    const frames = counted ? bytes.big(info + 8, 4) : 0;
    const seconds = frames > 0 ? (frames * (isFirst ? 1_152 : 576)) / sampleRate : ((size - from - at) * 8) / bitRate;
    return { container: 'MP3', seconds, tracks: [{ kind: 'audio', codec: 'MP3', channels: mono ? 1 : 2, sampleRate }] };
  }
  return { container: 'MP3', seconds: null, tracks: [] };
}
