/** Counting stops here: more than anyone wants drawn. */
const MOST_COUNTED = 1_000_000_000;
/** Parts inside of one another, or reached through one another, that are followed; deeper ones count as too much. */
const MOST_DEPTH = 500;
/** A value that holds a `<` is no XML, and ends the look at its tag: whatever is written, each byte is looked at once. */
const TAG = /<(\/?)([A-Za-z][\w:.-]*)((?:[^<>"']|"[^"<]*"|'[^'<]*')*)>/g;
const REFERENCE = /(?:^|\s)(?:xlink:)?href\s*=\s*["']\s*#([^"']+)["']/;
const ID = /(?:^|\s)id\s*=\s*["']([^"']+)["']/;

/** An element with a name, or the whole drawing. */
interface Part {
  /** Elements in it that stand in no named part of it, itself counted. */
  elements: number;
  /** Names of what those use. */
  readonly uses: string[];
  /** Named parts in it. */
  readonly parts: Part[];
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
  const whole: Part = { elements: 0, uses: [], parts: [] };
  const named = new Map<string, Part>();
  /** The nearest part around what comes next, for each open element. */
  const open: Part[] = [];
  let written = 0;
  for (const [, closing, name = '', attributes = ''] of svg.matchAll(TAG)) {
    if (closing === '/') {
      open.pop();
      continue;
    }
    written += 1;
    const around = open.at(-1) ?? whole;
    const id = ID.exec(attributes)?.[1];
    const part: Part = id === undefined ? around : { elements: 0, uses: [], parts: [] };
    if (id !== undefined) {
      around.parts.push(part);
      if (!named.has(id)) named.set(id, part);
    }
    part.elements += 1;
    const used = /(?:^|:)use$/.test(name) ? REFERENCE.exec(attributes)?.[1] : undefined;
    if (used !== undefined) part.uses.push(used);
    if (!attributes.trimEnd().endsWith('/')) open.push(part);
  }
  return { written, drawn: expand(whole, named, new Map(), 0) };
}

/** @param known what was counted already; 0 while it is being counted, since a circle draws nothing */
function expand(part: Part, named: ReadonlyMap<string, Part>, known: Map<Part, number>, depth: number): number {
  const before = known.get(part);
  if (before !== undefined) return before;
  if (depth > MOST_DEPTH) return MOST_COUNTED;
  known.set(part, 0);
  let drawn = part.elements;
  for (const inner of part.parts) drawn += expand(inner, named, known, depth + 1);
  for (const name of part.uses) {
    const used = named.get(name);
    if (used !== undefined) drawn += expand(used, named, known, depth + 1);
    if (drawn >= MOST_COUNTED) break;
  }
  known.set(part, Math.min(drawn, MOST_COUNTED));
  return Math.min(drawn, MOST_COUNTED);
}
