/** One step of a path. A step without key and index takes every child. */
interface Step {
  readonly key: string | null;
  readonly index: number | null;
  /** It may be any number of levels down. */
  readonly deep: boolean;
}

/** A path through JSON, taken apart. */
export type JsonPath = readonly Step[];

const STEP = /(\.\.|\.)?(?:\[(\d{1,9}|\*|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\]|(\*|[^\s.[\]*'"]+))/gy;

/**
 * Reads the part of JSONPath that names places (RFC 9535 without filters, slices and unions): `$.a.b`, `$..a`, `a[0]`,
 * `a[*]`, `['a b']`. What does not begin with `$` is found at any depth.
 *
 * @returns null for anything else
 */
export function parseJsonPath(text: string): JsonPath | null {
  const steps: Step[] = [];
  const rooted = text.startsWith('$');
  STEP.lastIndex = rooted ? 1 : 0;
  for (let at = STEP.lastIndex; at < text.length; at = STEP.lastIndex) {
    const match = STEP.exec(text);
    if (match === null) return null;
    const [, dots, bracket, name] = match;
    const first = steps.length === 0;
    // `$name` and `a[0]b` are mistakes; `..[0]` and `.[0]` are not told apart from `[0]` by other readers either.
    if (dots === undefined && name !== undefined && (rooted || !first)) return null;
    steps.push({ ...childOf(bracket ?? name ?? '*', name === undefined), deep: dots === '..' || (first && !rooted) });
  }
  return rooted || steps.length > 0 ? steps : null;
}

function childOf(text: string, bracketed: boolean): Omit<Step, 'deep'> {
  if (text === '*') return { key: null, index: null };
  if (bracketed && /^\d/.test(text)) return { key: null, index: Number(text) };
  return { key: bracketed ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1') : text, index: null };
}

/** Where one walk stands: the next step of a path. */
export interface PathState {
  readonly path: JsonPath;
  readonly at: number;
}

/** Where all paths stand before the outermost value. */
export function beginPaths(paths: readonly JsonPath[]): readonly PathState[] {
  return paths.map((path) => ({ path, at: 0 }));
}

/** Whether a value in this state is meant. */
export function isMeant(states: readonly PathState[]): boolean {
  for (const { path, at } of states) if (at === path.length) return true;
  return false;
}

/** The states of a child, by its key or its index. Made for each value of a body, so the usual case makes nothing. */
export function enterChild(states: readonly PathState[], child: string | number): readonly PathState[] {
  let same = true;
  for (const { path, at } of states) {
    const step = path[at];
    if (step !== undefined && step.deep && !fits(step, child)) continue;
    same = false;
    break;
  }
  if (same) return states;
  const next: PathState[] = [];
  for (const state of states) {
    const step = state.path[state.at];
    if (step === undefined) continue;
    if (fits(step, child)) next.push({ path: state.path, at: state.at + 1 });
    if (step.deep) next.push(state);
  }
  return next;
}

function fits({ key, index }: Step, child: string | number): boolean {
  return key === null ? index === null || index === child : key === child;
}
