/** Numbers that are the same on every run: the sample must look alike in every screenshot and test. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Whole number in [low, high]. */
  between(low: number, high: number): number;
  pick<T>(values: readonly [T, ...T[]]): T;
  /** `length` lower-case hexadecimal digits. */
  hex(length: number): string;
}

/** The mulberry32 generator; good enough for invented traffic, never for secrets. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return {
    next,
    between,
    pick: (values) => values[between(0, values.length - 1)] ?? values[0],
    hex: (length) => Array.from({ length }, () => between(0, 15).toString(16)).join(''),
  };
}
