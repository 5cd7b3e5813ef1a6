import { readdir, readFile } from 'node:fs/promises';
import { basename, isAbsolute, join, resolve } from 'node:path';

/** A profile of Firefox or one of its relatives. */
export interface FirefoxProfileFolder {
  /** As its folder is called. */
  readonly name: string;
  readonly folder: string;
}

/**
 * Profiles of one program: what lies in its folder, and what its `profiles.ini` names elsewhere, since a person may put a
 * profile on any disk.
 *
 * @param root folder that holds `profiles.ini`; need not exist
 */
export async function findFirefoxProfiles(root: string): Promise<FirefoxProfileFolder[]> {
  const inside = (await readdir(root).catch(() => [])).map((name) => join(root, name));
  const named = profilePaths(await readFile(join(root, 'profiles.ini'), 'utf8').catch(() => ''), root);
  return [...new Set([...inside, ...named])].map((folder) => ({ name: basename(folder), folder }));
}

/** Paths of the `[Profile…]` sections: relative to the folder of the file unless `IsRelative=0`. */
function profilePaths(text: string, root: string): string[] {
  return text
    .split(/^\[/m)
    .filter((section) => section.startsWith('Profile'))
    .flatMap((section) => {
      const path = /^Path=(.+?)\r?$/m.exec(section)?.[1];
      if (path === undefined) return [];
      if (!/^IsRelative=0\r?$/m.test(section)) return [resolve(root, path)];
      return isAbsolute(path) ? [resolve(path)] : [];
    });
}
