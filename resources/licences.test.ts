import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { licenceList, licenceProblems, packagesOf } from './licences.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'weir-licences-'));
  writeFileSync(join(root, 'package.json'), JSON.stringify({ dependencies: { first: '1' } }));
  install('electron', { version: '45.0.0', license: 'MIT' }, { LICENSE: "Electron's terms" });
  install(
    'first',
    { version: '1.0.0', license: 'ISC', dependencies: { second: '2' } },
    { 'LICENSE.md': 'Terms of first' },
  );
  install('second', { version: '2.0.0', license: '(BSD-3-Clause OR GPL-2.0)' }, { COPYING: 'Terms of second' });
  install('unused', { version: '3.0.0', license: 'GPL-3.0' }, {});
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

function install(name: string, facts: object, files: Readonly<Record<string, string>>): void {
  const folder = join(root, 'node_modules', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(facts));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
}

test('what production needs, what the page was made of and Electron are listed with their texts, and nothing else', () => {
  install(
    '@scope/in-page',
    { version: '4.0.0', license: 'MIT' },
    { 'README.md': '# It\n\n## License\n\nMIT, by somebody\n' },
  );

  const list = licenceList(
    root,
    packagesOf([`${root}/node_modules/@scope/in-page/dist/index.js?worker`, '/src/own.ts']),
  );

  expect(licenceProblems(list)).toEqual([]);
  expect(
    list.map(({ name, version, text }) => [name, version, text]).filter(([, version]) => version !== 'as bundled'),
  ).toEqual([
    ['@scope/in-page', '4.0.0', 'MIT, by somebody'],
    ['electron', '45.0.0', "Electron's terms"],
    ['first', '1.0.0', 'Terms of first'],
    ['second', '2.0.0', 'Terms of second'],
  ]);
});

test('a part without a licence, with one that is not on the list, or without its text is a problem by name', () => {
  install('silent', { version: '1.0.0' }, { LICENSE: 'All rights reserved' });
  install('strict', { version: '1.0.0', license: 'MIT AND GPL-3.0' }, { LICENSE: 'Terms' });
  install('mixed', { version: '1.0.0', license: 'GPL-3.0 AND (Apache-2.0 OR MIT)' }, { LICENSE: 'Terms' });
  install('textless', { version: '1.0.0', license: 'MIT' }, {});
  install('told-by-text', { version: '1.0.0' }, { LICENSE: 'MIT License\n\nCopyright somebody' });

  const list = licenceList(root, ['silent', 'strict', 'mixed', 'textless', 'told-by-text']);

  expect(licenceProblems(list)).toEqual([
    'mixed is under GPL-3.0 AND (Apache-2.0 OR MIT), which is not on the list',
    'silent says no licence',
    'strict is under MIT AND GPL-3.0, which is not on the list',
    'textless comes without the text of its licence',
  ]);
});
