import type { Database } from 'better-sqlite3';
import { ID_STREAMS, openIndexForReading } from './search-index.ts';
import { wantedText } from './search-text.ts';
import type { StoreFolder } from './store-folder.ts';

/** More candidates than these are no help: most rows are looked into anyway, and the first page comes at once. */
const MOST_CANDIDATES = 200_000;
/** Runs of three that are asked for at most; more of them hardly leave fewer rows. */
const MOST_TRIGRAMS = 16;
const CACHED_TEXTS = 32;

/** Rows that may contain a text. */
export interface Candidates {
  /** Number by which SQL names it: `weir_may_contain(slot, id)`. */
  readonly slot: number;
  /** Ids that the index names; rows that it does not know yet come on top. */
  readonly ids: ReadonlySet<number>;
  /** Ids behind these are not in the index yet, one for each of `ID_STREAMS`. */
  readonly indexed: readonly number[];
  /** Ids before them that are not in it either. */
  readonly waiting: ReadonlySet<number>;
}

interface Known {
  readonly version: number;
  readonly candidates: Candidates | null;
}

/** Asks the full-text index which rows may contain a text. Without an index, or for a text too short for it, nobody knows. */
export class SearchCandidates {
  readonly #folder: StoreFolder;
  readonly #known = new Map<string, Known>();
  readonly #slots: Candidates[] = [];
  #index: Database | null = null;

  constructor(database: Database, folder: StoreFolder) {
    this.#folder = folder;
    database.function('weir_may_contain', { deterministic: true }, (slot: number, id: number) => {
      const candidates = this.#slots[slot % CACHED_TEXTS];
      return candidates?.slot !== slot || mayContain(candidates, id) ? 1 : 0;
    });
  }

  /** Null when every row has to be looked into. */
  find(text: string): Candidates | null {
    this.#index ??= openIndexForReading(this.#folder);
    const index = this.#index;
    if (index === null) return null;
    const trigrams = trigramsOf(wantedText(text));
    if (trigrams.length === 0) return null;
    const query = trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
    try {
      const version = index.pragma('data_version', { simple: true }) as number;
      const known = this.#known.get(query);
      if (known?.version === version) return known.candidates;
      const candidates = index.transaction(() => this.#read(index, query))();
      this.#known.delete(query);
      this.#known.set(query, { version, candidates });
      const [oldest] = this.#known.keys();
      if (this.#known.size > CACHED_TEXTS && oldest !== undefined) this.#known.delete(oldest);
      return candidates;
    } catch {
      // The index was made anew under our hands, or is damaged; the rows themselves are always there.
      index.close();
      this.#index = null;
      return null;
    }
  }

  close(): void {
    this.#index?.close();
  }

  #read(index: Database, query: string): Candidates | null {
    const ids = index
      .prepare('SELECT rowid FROM text WHERE text MATCH ? LIMIT ?')
      .pluck()
      .all(query, MOST_CANDIDATES + 1) as number[];
    if (ids.length > MOST_CANDIDATES) return null;
    const upTo = index.prepare('SELECT indexed FROM stream WHERE first = ?').pluck();
    const candidates = {
      slot: nextSlot++,
      ids: new Set(ids),
      indexed: ID_STREAMS.map(({ first }) => (upTo.get(first) as number | undefined) ?? first - 1),
      waiting: new Set(index.prepare('SELECT id FROM waiting').pluck().all() as number[]),
    };
    this.#slots[candidates.slot % CACHED_TEXTS] = candidates;
    return candidates;
  }
}

let nextSlot = 0;

function mayContain({ ids, indexed, waiting }: Candidates, id: number): boolean {
  const stream = ID_STREAMS.findIndex(({ end }) => id < end);
  return id > (indexed[stream] ?? -1) || ids.has(id) || waiting.has(id);
}

/** The runs of three characters of a text, spread over it; none for a shorter one. */
function trigramsOf(text: string): string[] {
  const all = new Set<string>();
  for (let at = 0; at + 3 <= text.length; at += 1) all.add(text.slice(at, at + 3));
  const list = [...all];
  if (list.length <= MOST_TRIGRAMS) return list;
  const step = list.length / MOST_TRIGRAMS;
  return Array.from({ length: MOST_TRIGRAMS }, (_, at) => list[Math.floor(at * step)] ?? '');
}
