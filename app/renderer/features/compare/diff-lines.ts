/** A line of a comparison. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Texts that differ in more lines than this are not laid side by side: nobody could read it, and it would take long. */
const MOST_CHANGES = 2_000;

/**
 * The shortest way from one list of lines to another (Myers, "An O(ND) Difference Algorithm", 1986).
 * @returns null when they differ in more than 2,000 lines
 */
export function diffLines(left: readonly string[], right: readonly string[]): readonly DiffLine[] | null {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let end = 0;
  while (
    end < left.length - start &&
    end < right.length - start &&
    left[left.length - 1 - end] === right[right.length - 1 - end]
  ) {
    end += 1;
  }
  const middle = diffMiddle(left.slice(start, left.length - end), right.slice(start, right.length - end));
  if (middle === null) return null;
  const same = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ kind: 'same', text }));
  return [...same(left.slice(0, start)), ...middle, ...same(left.slice(left.length - end))];
}

function diffMiddle(left: readonly string[], right: readonly string[]): DiffLine[] | null {
  const steps: Int32Array[] = [];
  const most = Math.min(MOST_CHANGES, left.length + right.length);
  const size = 2 * most + 3;
  const offset = most + 1;
  let reach = new Int32Array(size);
  for (let changes = 0; changes <= most; changes += 1) {
    const next = reach.slice();
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const down =
        diagonal === -changes ||
        (diagonal !== changes && (reach[offset + diagonal - 1] ?? 0) < (reach[offset + diagonal + 1] ?? 0));
      let x = down ? (reach[offset + diagonal + 1] ?? 0) : (reach[offset + diagonal - 1] ?? 0) + 1;
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x += 1;
      next[offset + diagonal] = x;
      if (x >= left.length && x - diagonal >= right.length) {
        steps.push(reach);
        return walkBack(left, right, steps, offset, diagonal);
      }
    }
    steps.push(reach);
    reach = next;
  }
  return null;
}

/** Goes the way back from the end, by what was reachable before each change. */
function walkBack(
  left: readonly string[],
  right: readonly string[],
  steps: readonly Int32Array[],
  offset: number,
  last: number,
): DiffLine[] {
  const lines: DiffLine[] = [];
  let x = left.length;
  let diagonal = last;
  for (let changes = steps.length - 1; changes >= 0; changes -= 1) {
    const reach = steps[changes];
    if (reach === undefined) break;
    const before = (at: number): number => reach[offset + at] ?? 0;
    const down = diagonal === -changes || (diagonal !== changes && before(diagonal - 1) < before(diagonal + 1));
    const from = changes === 0 ? 0 : down ? before(diagonal + 1) : before(diagonal - 1) + 1;
    while (x > from) {
      x -= 1;
      lines.push({ kind: 'same', text: left[x] ?? '' });
    }
    if (changes === 0) break;
    if (down) {
      lines.push({ kind: 'added', text: right[x - diagonal - 1] ?? '' });
      diagonal += 1;
    } else {
      x -= 1;
      lines.push({ kind: 'removed', text: left[x] ?? '' });
      diagonal -= 1;
    }
  }
  return lines.reverse();
}

/** Lines around changes; the rest is left out and counted. */
export interface DiffBlock {
  /** Equal lines before it that are not shown. */
  readonly skipped: number;
  readonly lines: readonly DiffLine[];
}

/** Cuts a comparison to its changes, each with a few equal lines around it. */
export function blocksOf(lines: readonly DiffLine[], context = 3): readonly DiffBlock[] {
  const near = new Uint8Array(lines.length);
  lines.forEach(({ kind }, at) => {
    if (kind !== 'same') near.fill(1, Math.max(0, at - context), Math.min(lines.length, at + context + 1));
  });
  const blocks: DiffBlock[] = [];
  for (let at = 0; at < lines.length;) {
    const begin = at;
    while (at < lines.length && near[at] === 0) at += 1;
    const skipped = at - begin;
    const from = at;
    while (at < lines.length && near[at] === 1) at += 1;
    if (at > from || skipped > 0) blocks.push({ skipped, lines: lines.slice(from, at) });
  }
  return blocks;
}
