import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { licenceList, packagesOf } from './licences.ts';

/** What a build tool asks of a plugin here; the rest of its interface is of no use to this file. */
interface Asset {
  readonly type: 'asset';
  readonly fileName: string;
  readonly source: string;
}

interface Emitting {
  emitFile(asset: Asset): void;
}

/**
 * A plugin for the build of main: the little package.json that stands beside code outside of the archive.
 * @param root folder of package.json
 */
export function writePackageFile(root: string): { name: string; generateBundle(this: Emitting): void } {
  return {
    name: 'weir-package-file',
    generateBundle() {
      const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>;
      const source = `${JSON.stringify({ name, version, type: 'module' }, null, 2)}\n`;
      this.emitFile({ type: 'asset', fileName: 'shipped-package.json', source });
    },
  };
}

/**
 * A plugin for the build of the page: the licences of everything that ships, as `licences.json` for the page and as
 * `licences.txt` for people. It sees which packages the page was made of; those that Node loads ship as they are.
 * @param root folder of package.json and node_modules
 */
export function writeLicences(root: string): {
  name: string;
  generateBundle(this: Emitting, options: unknown, bundle: Readonly<Record<string, object>>): void;
} {
  return {
    name: 'weir-licences',
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((part) =>
        'moduleIds' in part && Array.isArray(part.moduleIds) ? part.moduleIds.map(String) : [],
      );
      const list = licenceList(root, packagesOf(modules));
      const text = list.map(({ name, version, licence, text }) => `${name} ${version}\n${licence}\n\n${text}\n`);
      this.emitFile({ type: 'asset', fileName: 'licences.json', source: JSON.stringify(list) });
      this.emitFile({ type: 'asset', fileName: 'licences.txt', source: text.join(`\n${'-'.repeat(72)}\n\n`) });
    },
  };
}
