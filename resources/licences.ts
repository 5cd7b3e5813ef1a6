import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of what ships that is not ours. */
export interface Licence {
  readonly name: string;
  readonly version: string;
  /** SPDX expression; empty when it says none. */
  readonly licence: string;
  /** The licence's text, or where it stands among the installed files; empty when there is none. */
  readonly text: string;
}

/** Licences that allow what we do: shipping the code, under its own terms, in a program under MIT. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'OFL-1.1', 'Unlicense', 'CC0-1.0'],
  ...['BlueOak-1.0.0', 'Zlib', 'Python-2.0', 'blessing'],
]);

/** Where packages keep the text of their licence; those without such a file may have it in their README. */
const LICENCE_FILE = /^(?:licen[cs]e|copying|ofl)(?:[.-].*)?$/i;

/** What ships inside of packages and has no package of its own. */
const INSIDE: readonly Licence[] = [
  {
    name: 'SQLite (inside better-sqlite3)',
    version: 'as bundled',
    licence: 'blessing',
    text: 'The authors of SQLite have placed its code in the public domain: https://sqlite.org/copyright.html',
  },
  {
    name: 'Chromium and Node.js (inside Electron)',
    version: 'as bundled',
    licence: 'BSD-3-Clause AND MIT',
    text: 'Their licences, and those of all that is in them, are in LICENSES.chromium.html beside the installed program.',
  },
];

/** Names of the packages that modules were taken from, by the paths of these. */
export function packagesOf(modules: readonly string[]): string[] {
  const names = modules.map((path) => /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/?]+)/.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].map((name) => name.replace('\\', '/'));
}

/**
 * The licences of everything that ships, by name.
 *
 * @param root folder of package.json and node_modules
 * @param bundled packages that became part of the page
 */
export function licenceList(root: string, bundled: readonly string[]): Licence[] {
  const names = new Set(['electron', ...bundled, ...productionPackages(root)]);
  const list = [...[...names].map((name) => licenceOf(root, name)), ...INSIDE];
  return list.sort((one, other) => one.name.localeCompare(other.name, 'en'));
}

/** What keeps parts from being shipped: no licence, one that is not allowed here, or none of its text. */
export function licenceProblems(list: readonly Licence[]): string[] {
  return list.flatMap(({ name, licence, text }) => {
    if (licence === '') return [`${name} says no licence`];
    if (!isAllowed(licence)) return [`${name} is under ${licence}, which is not on the list`];
    return text === '' ? [`${name} comes without the text of its licence`] : [];
  });
}

/** Whether an SPDX expression can be met by licences that are allowed. One whose parentheses matter is for a person to read. */
function isAllowed(expression: string): boolean {
  if (/[()]/.test(expression) && /\sAND\s/.test(expression) && /\sOR\s/.test(expression)) return false;
  const bare = expression.replaceAll(/[()]/g, ' ').trim();
  return bare.split(/\s+OR\s+/).some((choice) => choice.split(/\s+AND\s+/).every((id) => ALLOWED.has(id.trim())));
}

interface PackageFile {
  readonly version?: string;
  readonly license?: string | { readonly type?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** Packages that Node loads when the app runs, and theirs. One that is optional and not installed is not there. */
function productionPackages(root: string): Set<string> {
  const found = new Set<string>();
  const visit = ({ dependencies, optionalDependencies }: PackageFile): void => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (found.has(name) || !existsSync(join(root, 'node_modules', name))) continue;
      found.add(name);
      visit(readPackage(root, name));
    }
  };
  visit(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as PackageFile);
  return found;
}

function readPackage(root: string, name: string): PackageFile {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')) as PackageFile;
}

function licenceOf(root: string, name: string): Licence {
  const { version = '', license } = readPackage(root, name);
  const text = textOf(root, name);
  const said = typeof license === 'string' ? license : license?.type;
  // Some say it by the text alone.
  return { name, version, licence: said ?? (/^\s*(?:The )?MIT License\b/i.test(text) ? 'MIT' : ''), text };
}

/** The licence's text; empty when the package brings none. */
function textOf(root: string, name: string): string {
  const folder = join(root, 'node_modules', name);
  const files = readdirSync(folder);
  const texts = files.filter((file) => LICENCE_FILE.test(file)).map((file) => readFileSync(join(folder, file), 'utf8'));
  if (texts.length > 0) return texts.map((text) => text.trim()).join('\n\n');
  const readme = files.find((file) => /^readme/i.test(file));
  if (readme === undefined) return '';
  const [, section = ''] = /^#+ *licen[cs]e\b[^\n]*\n([^]*)$/im.exec(readFileSync(join(folder, readme), 'utf8')) ?? [];
  return section.trim();
}
