/**
 * A-labels for internationalised host names: Punycode (RFC 3492) after the mapping that matters in practice (NFKC and
 * lower case, UTS 46 non-transitional). Enough to find an origin; registrars judge the finer points.
 */

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_N = 128;

/** The full stops of other scripts that separate labels like an ASCII one (UTS 46 §4). */
const LABEL_SEPARATORS = /[.\u3002\uff0e\uff61]/;

/**
 * Converts a host name to its ASCII form; names in ASCII are returned in lower case.
 * @returns null when a label becomes empty or longer than 63 bytes
 */
export function toAsciiHost(name: string): string | null {
  const labels = name.split(LABEL_SEPARATORS).map((label) => {
    const mapped = label.normalize('NFKC').toLowerCase().normalize('NFC');
    return isAscii(mapped) ? mapped : `xn--${encodePunycode(mapped)}`;
  });
  const unusable = labels.some((label, index) => label.length > 63 || (label === '' && index < labels.length - 1));
  return unusable ? null : labels.join('.');
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) return false;
  return true;
}

/** RFC 3492 §6.3. */
function encodePunycode(label: string): string {
  const codePoints = Array.from(label, (character) => character.codePointAt(0) ?? 0);
  const basic = codePoints.filter((codePoint) => codePoint < INITIAL_N);
  let output = String.fromCodePoint(...basic);
  if (basic.length > 0) output += '-';

  let n = INITIAL_N;
  let delta = 0;
  let bias = INITIAL_BIAS;
  let handled = basic.length;
  while (handled < codePoints.length) {
    const lowest = Math.min(...codePoints.filter((codePoint) => codePoint >= n));
    delta += (lowest - n) * (handled + 1);
    n = lowest;
    for (const codePoint of codePoints) {
      if (codePoint < n) delta++;
      if (codePoint !== n) continue;
      output += variableLength(delta, bias);
      bias = adapt(delta, handled + 1, handled === basic.length);
      delta = 0;
      handled++;
    }
    delta++;
    n++;
  }
  return output;
}

function variableLength(delta: number, bias: number): string {
  let digits = '';
  let q = delta;
  for (let k = BASE; ; k += BASE) {
    const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
    if (q < threshold) return digits + q.toString(BASE).replace(/./g, toDigit);
    digits += toDigit((threshold + ((q - threshold) % (BASE - threshold))).toString(BASE));
    q = Math.floor((q - threshold) / (BASE - threshold));
  }
}

/** Base 36 as JavaScript writes it (0–9, a–z) to Punycode's (a–z, 0–9). */
function toDigit(digit: string): string {
  const value = Number.parseInt(digit, BASE);
  return String.fromCharCode(value < 26 ? 0x61 + value : 0x30 + value - 26);
}

function adapt(delta: number, points: number, first: boolean): number {
  let scaled = first ? Math.floor(delta / DAMP) : delta >> 1;
  scaled += Math.floor(scaled / points);
  let k = 0;
  while (scaled > ((BASE - T_MIN) * T_MAX) >> 1) {
    scaled = Math.floor(scaled / (BASE - T_MIN));
    k += BASE;
  }
  return k + Math.floor(((BASE - T_MIN + 1) * scaled) / (scaled + SKEW));
}
