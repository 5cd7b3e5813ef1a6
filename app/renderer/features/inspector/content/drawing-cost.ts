/** Counting stops here: more than anyone wants drawn. */
const MOST_COUNTED = 1_000_000_000;
const TAG = /<(\/?)([A-Za-z][\w:.-]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/g;
const REFERENCE = /(?:^|\s)(?:xlink:)?href\s*=\s*["']\s*#([^"']+)["']/;
const ID = /(?:^|\s)id\s*=\s*["']([^"']+)["']/;

interface Part {
  /** Elements in it, itself counted. */
  elements: number;
  /** Names of what it uses. */
  readonly uses: string[];
}

/** How much a drawing makes a browser draw. */
export interface DrawingCost {
  /** Elements as they are written. */
  readonly written: number;
  /** Elements when every `use` is replaced by what it names, and that again. */
  readonly drawn: number;
}

/**
 * Counts what an SVG draws. A kilobyte of `use` elements that name each other draws billions of elements, and browsers draw
 * them all before they answer again.
 */
export function drawingCost(svg: string): DrawingCost {
  const whole: Part = { elements: 0, uses: [] };
  const named = new Map<string, Part>();
  const open: (Part | null)[] = [];
  for (const [, closing, name = '', attributes = ''] of svg.matchAll(TAG)) {
    if (closing === '/') {
      open.pop();
      continue;
    }
    const id = ID.exec(attributes)?.[1];
    const part = id === undefined ? null : { elements: 0, uses: [] };
    if (id !== undefined && part !== null && !named.has(id)) named.set(id, part);
    const used = /(?:^|:)use$/.test(name) ? REFERENCE.exec(attributes)?.[1] : undefined;
    for (const around of [whole, part, ...open]) {
      if (around === null) continue;
      around.elements += 1;
      if (used !== undefined) around.uses.push(used);
    }
    if (!attributes.trimEnd().endsWith('/')) open.push(part);
  }
  return { written: whole.elements, drawn: expand(whole, named, new Map()) };
}

/** @param known what was counted already; 0 while it is being counted, since a circle draws nothing */
function expand(part: Part, named: ReadonlyMap<string, Part>, known: Map<Part, number>): number {
  const before = known.get(part);
  if (before !== undefined) return before;
  known.set(part, 0);
  let drawn = part.elements;
  for (const name of part.uses) {
    const used = named.get(name);
    if (used !== undefined) drawn += expand(used, named, known);
    if (drawn >= MOST_COUNTED) break;
  }
  known.set(part, Math.min(drawn, MOST_COUNTED));
  return Math.min(drawn, MOST_COUNTED);
}
