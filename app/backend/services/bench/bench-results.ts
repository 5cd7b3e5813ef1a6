import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchResult, BenchRunInfo } from '#contract';
import { laddersText } from '#contract';
import { parseBenchResult } from '../../../contract/bench-validators.ts';
import { writePrivateFile } from '../../private-file.ts';

/** Larger files are no results of ours. */
const MAX_FILE_BYTES = 32 * 1_048_576;
const ENDING = '.json';

/** Stored runs of a data folder: one private file of JSON each, named after its run. */
export class BenchResults {
  readonly #folder: string;
  /** What was read already, by name; `null` for a file that is no result. */
  readonly #known = new Map<string, { readonly version: string; readonly info: BenchRunInfo | null }>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws the file system's error */
  async add(result: BenchResult): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    writePrivateFile(this.#pathOf(result.id), `${JSON.stringify(result, null, 2)}\n`);
  }

  /** Every stored run, the newest first, and the names of files that are none. */
  async list(): Promise<{ readonly runs: readonly BenchRunInfo[]; readonly damaged: readonly string[] }> {
    const names = (await readdir(this.#folder).catch(() => [])).filter((name) => name.endsWith(ENDING)).sort();
    const runs: BenchRunInfo[] = [];
    const damaged: string[] = [];
    for (const name of names) {
      const info = await this.#infoOf(name);
      if (info === null) damaged.push(name);
      else if (info !== undefined) runs.push(info);
    }
    return { runs: runs.sort((one, other) => other.startedAt.localeCompare(one.startedAt)), damaged };
  }

  /**
   * @param id safe as a name of a file
   * @returns null when there is no such run, or its file is damaged
   */
  async read(id: string): Promise<BenchResult | null> {
    return this.#readFile(`${id}${ENDING}`).catch(() => null);
  }

  /** @returns whether there was such a run */
  async remove(id: string): Promise<boolean> {
    try {
      await rm(this.#pathOf(id));
      return true;
    } catch {
      return false;
    }
  }

  /** @returns undefined when the file has just gone */
  async #infoOf(name: string): Promise<BenchRunInfo | null | undefined> {
    const facts = await stat(join(this.#folder, name)).catch(() => null);
    if (facts === null) return undefined;
    const version = `${String(facts.mtimeMs)} ${String(facts.size)}`;
    const known = this.#known.get(name);
    if (known?.version === version) return known.info;
    const info = await this.#readFile(name).then(infoOf, () => null);
    this.#known.set(name, { version, info });
    return info;
  }

  async #readFile(name: string): Promise<BenchResult> {
    const path = join(this.#folder, name);
    if ((await stat(path)).size > MAX_FILE_BYTES) throw new Error('The file is too large for a result.');
    const result = parseBenchResult(await readFile(path, 'utf8'));
    if (`${result.id}${ENDING}` !== name) throw new Error('The file is named after another run.');
    return result;
  }

  #pathOf(id: string): string {
    return join(this.#folder, `${id}${ENDING}`);
  }
}

function infoOf({ id, startedAt, profiles, ladders, cancelled }: BenchResult): BenchRunInfo {
  return {
    id,
    startedAt,
    profiles: [...new Set([...profiles, ...ladders].map(({ profile }) => profile))],
    cancelled,
    verdict: profiles[0]?.verdict ?? laddersText(ladders),
  };
}
