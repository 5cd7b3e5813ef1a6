/** Something that stands in one list at a time and knows where. */
export interface Placed {
  /** Its index there, or -1; the list's business alone. */
  place: number;
}

/**
 * The living of one kind, in no order. A `Set` would do the same, but each time it makes itself a new table the old one keeps
 * pointing at what was in it: with short-lived members, once an old table has grown old itself, the dead are dragged along
 * until the next full collection.
 */
export class LiveList<Member extends Placed> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** In no order; whoever changes the list meanwhile takes a copy of it. */
  get members(): readonly Member[] {
    return this.#members;
  }

  add(member: Member): void {
    member.place = this.#members.length;
    this.#members.push(member);
  }

  /** @returns false when it was not in the list */
  remove(member: Member): boolean {
    const { place } = member;
    if (this.#members[place] !== member) return false;
    const last = this.#members.pop();
    if (last !== undefined && last !== member) {
      this.#members[place] = last;
      last.place = place;
    }
    member.place = -1;
    return true;
  }
}
