/** A header field of two heads side by side; null where one has none. */
export interface FieldChange {
  readonly name: string;
  readonly left: string | null;
  readonly right: string | null;
}

type Field = readonly [name: string, value: string];

/** Fields by name without regard to case, doubles in their order; those of the left head first. */
export function diffFields(left: readonly Field[], right: readonly Field[]): readonly FieldChange[] {
  const rest = new Map<string, Field[]>();
  for (const field of right) {
    const key = field[0].toLowerCase();
    const same = rest.get(key);
    if (same === undefined) rest.set(key, [field]);
    else same.push(field);
  }
  const changes = left.map(([name, value]): FieldChange => {
    const other = rest.get(name.toLowerCase())?.shift();
    return { name, left: value, right: other?.[1] ?? null };
  });
  const added = [...rest.values()].flat().map(([name, value]): FieldChange => ({ name, left: null, right: value }));
  return [...changes, ...added];
}
