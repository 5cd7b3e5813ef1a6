import { codingFor, isCut, type Coding, type DecodeStop } from './codings.ts';

export interface DecodedWhole {
  readonly bytes: Buffer;
  readonly stopped: DecodeStop | null;
}

/**
 * Decodes a body that is in memory; for bodies up to a few hundred kilobytes. Of a cut or damaged one, what decodes.
 *
 * @param codings in order of application, as `contentCodingsOf` gives them
 * @param most bytes of output of any coding at which it stops (`budget`)
 */
export function decodeWhole(bytes: Buffer, codings: readonly string[], most: number): DecodedWhole {
  let current = bytes;
  let stopped: DecodeStop | null = null;
  for (const name of codings.toReversed()) {
    if (current.length === 0) break;
    const coding = codingFor(name, current);
    if (coding === null) return { bytes: current, stopped: 'unsupported' };
    const decoded = coding.framed ? decodeFrames(coding, current, most) : decodeOne(coding, current, most);
    current = decoded.output;
    stopped = decoded.stopped ?? stopped;
  }
  return { bytes: current, stopped };
}

interface Decoded {
  readonly output: Buffer;
  readonly consumed: number;
  readonly stopped: DecodeStop | null;
}

function decodeFrames(coding: Coding, bytes: Buffer, most: number): Decoded {
  const outputs: Buffer[] = [];
  let at = 0;
  let produced = 0;
  while (at < bytes.length) {
    if (produced >= most) return { output: Buffer.concat(outputs), consumed: at, stopped: 'budget' };
    const frame = decodeOne(coding, bytes.subarray(at), most - produced);
    outputs.push(frame.output);
    produced += frame.output.length;
    at += frame.consumed;
    if (frame.stopped !== null || frame.consumed === 0) {
      return { output: Buffer.concat(outputs), consumed: at, stopped: frame.stopped };
    }
  }
  return { output: Buffer.concat(outputs), consumed: at, stopped: null };
}

function decodeOne(coding: Coding, bytes: Buffer, most: number): Decoded {
  try {
    return { ...coding.decodeAtOnce(bytes, most, false), stopped: null };
  } catch (error: unknown) {
    if (isCut(error)) {
      const whole = attempt(coding, bytes, most);
      if (whole !== null) return { ...whole, stopped: 'cut' };
    }
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    return { ...longestGoodPrefix(coding, bytes, most), stopped: tooLarge ? 'budget' : 'damaged' };
  }
}

/** A prefix decodes if every shorter one does, so the longest is found by halving. */
function longestGoodPrefix(coding: Coding, bytes: Buffer, most: number): { output: Buffer; consumed: number } {
  let best: { output: Buffer; consumed: number } = { output: Buffer.alloc(0), consumed: 0 };
  let good = 0;
  let bad = bytes.length + 1;
  while (good + 1 < bad) {
    const middle = (good + bad) >>> 1;
    const decoded = attempt(coding, bytes.subarray(0, middle), most);
    if (decoded === null) {
      bad = middle;
    } else {
      best = decoded;
      good = middle;
    }
  }
  return best;
}

function attempt(coding: Coding, bytes: Buffer, most: number): { output: Buffer; consumed: number } | null {
  try {
    return coding.decodeAtOnce(bytes, most, true);
  } catch {
    return null;
  }
}
