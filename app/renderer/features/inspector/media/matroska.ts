import type { Bytes, MediaFacts, MediaTrack } from './media-bytes.ts';

const MOST_ELEMENTS = 256;
const NANOSECONDS = 1_000_000_000;

interface Element {
  readonly id: number;
  readonly from: number;
  readonly end: number;
}

/** WebM and Matroska (RFC 9559): elements of id, length and content; what is asked for stands near the beginning. */
export function readMatroska(start: Bytes): MediaFacts {
  const top = elementsIn(start, 0, start.length);
  const head = top.find(({ id }) => id === 0x1a45dfa3);
  const type = head && elementsIn(start, head.from, head.end).find(({ id }) => id === 0x4282);
  const isWebm = type !== undefined && start.text(type.from, type.end - type.from).startsWith('webm');
  const segment = top.find(({ id }) => id === 0x18538067);
  const parts = segment === undefined ? [] : elementsIn(start, segment.from, segment.end);
  const info = parts.find(({ id }) => id === 0x1549a966);
  const tracks = parts.find(({ id }) => id === 0x1654ae6b);
  return {
    container: isWebm ? 'WebM' : 'Matroska',
    seconds: info === undefined ? null : durationOf(start, elementsIn(start, info.from, info.end)),
    tracks:
      tracks === undefined
        ? []
        : elementsIn(start, tracks.from, tracks.end)
            .filter(({ id }) => id === 0xae)
            .map((track) => trackOf(start, elementsIn(start, track.from, track.end))),
  };
}

function durationOf(bytes: Bytes, elements: readonly Element[]): number | null {
  const scale = elements.find(({ id }) => id === 0x2ad7b1);
  const duration = elements.find(({ id }) => id === 0x4489);
  if (duration === undefined) return null;
  const unit = scale === undefined ? 1_000_000 : bytes.big(scale.from, Math.min(6, scale.end - scale.from));
  return (bytes.float(duration.from, duration.end - duration.from === 4 ? 4 : 8) * unit) / NANOSECONDS;
}

function trackOf(bytes: Bytes, elements: readonly Element[]): MediaTrack {
  const number = (element: Element | undefined): number =>
    element === undefined ? 0 : bytes.big(element.from, Math.min(6, element.end - element.from));
  const codecId = elements.find(({ id }) => id === 0x86);
  const codec =
    codecId === undefined ? 'unknown' : bytes.text(codecId.from, Math.min(40, codecId.end - codecId.from)).slice(2);
  const video = elements.find(({ id }) => id === 0xe0);
  const audio = elements.find(({ id }) => id === 0xe1);
  if (video !== undefined) {
    const inner = elementsIn(bytes, video.from, video.end);
    const width = number(inner.find(({ id }) => id === 0xb0));
    return { kind: 'video', codec, width, height: number(inner.find(({ id }) => id === 0xba)) };
  }
  if (audio !== undefined) {
    const inner = elementsIn(bytes, audio.from, audio.end);
    const channels = inner.find(({ id }) => id === 0x9f);
    const rate = inner.find(({ id }) => id === 0xb5);
    return {
      kind: 'audio',
      codec,
      channels: channels === undefined ? 1 : number(channels),
      ...(rate !== undefined && { sampleRate: bytes.float(rate.from, rate.end - rate.from === 4 ? 4 : 8) }),
    };
  }
  return { kind: 'other', codec };
}

/** Elements one after the other; one of unknown length reaches to the end. */
function elementsIn(bytes: Bytes, from: number, end: number): readonly Element[] {
  const elements: Element[] = [];
  const last = Math.min(end, bytes.length);
  for (let at = from; at < last && elements.length < MOST_ELEMENTS;) {
    const idBytes = Math.clz32(bytes.u8(at)) - 23;
    const lengthAt = at + idBytes;
    const lengthBytes = Math.clz32(bytes.u8(lengthAt)) - 23;
    if (idBytes > 4 || lengthBytes > 8) break;
    const mark = 2 ** (8 - lengthBytes);
    const high = bytes.u8(lengthAt) % mark;
    // Lengths of eight bytes have two more than a number can hold; they are zero in what fits anywhere.
    const low = lengthBytes === 8 ? bytes.big(lengthAt + 2, 6) : bytes.big(lengthAt + 1, lengthBytes - 1);
    const length = high * 2 ** (8 * Math.min(6, lengthBytes - 1)) + low;
    const content = lengthAt + lengthBytes;
    const unknown = high === mark - 1 && bytes.u8(lengthAt + 1) === 0xff;
    const stop = unknown || (lengthBytes === 1 && high === mark - 1) ? last : Math.min(last, content + length);
    elements.push({ id: bytes.big(at, idBytes), from: content, end: stop });
    at = stop;
  }
  return elements;
}
