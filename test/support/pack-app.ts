import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Arch, build, Platform } from 'electron-builder';
import type { AfterPackContext } from 'electron-builder';
import { makeFakeElectron } from './fake-electron.ts';
import type { PackedSystem } from './fake-electron.ts';

/*
 * A program: `node pack-app.ts FOLDER [linux|mac|win]` packs the built app into FOLDER as electron-builder does for an
 * installer, around a fake Electron. For Linux it writes FOLDER/integration.json: what desktops would be told about the app.
 */

const ROOT = resolve(import.meta.dirname, '../..');

const PLATFORMS = { linux: Platform.LINUX, mac: Platform.MAC, win: Platform.WINDOWS } as const;

interface LinuxFiles {
  readonly mimeTypeFiles: Promise<string | null>;
  readonly icons: Promise<readonly { readonly file: string; readonly size: number }[]>;
  computeDesktopEntry(options: object): Promise<string>;
}

const [folder, named = 'linux'] = process.argv.slice(2);
if (folder === undefined || !isSystem(named)) throw new Error('Say which folder to pack into, and for which system.');

const electron = await mkdtemp(join(tmpdir(), 'weir-electron-'));
try {
  await makeFakeElectron(named, electron);
  await build({
    targets: PLATFORMS[named].createTarget('dir', process.arch === 'arm64' ? Arch.arm64 : Arch.x64),
    projectDir: ROOT,
    publish: 'never',
    config: {
      electronDist: electron,
      directories: { output: folder },
      mac: { identity: null },
      ...(named === 'linux' ? { afterPack: describe } : {}),
    },
  });
} finally {
  await rm(electron, { recursive: true, force: true });
}

function isSystem(name: string): name is PackedSystem {
  return Object.hasOwn(PLATFORMS, name);
}

/** Asks electron-builder for the files that installers bring beside the app. */
async function describe({ packager }: AfterPackContext): Promise<void> {
  const builder = createRequire(createRequire(import.meta.url).resolve('electron-builder'));
  const { LinuxTargetHelper } = builder('app-builder-lib/out/targets/LinuxTargetHelper') as {
    readonly LinuxTargetHelper: new (packager: unknown) => LinuxFiles;
  };
  const helper = new LinuxTargetHelper(packager);
  const mimeTypes = await helper.mimeTypeFiles;
  const facts = {
    desktopEntry: await helper.computeDesktopEntry({ ...packager.platformSpecificBuildOptions }),
    mimeTypes: mimeTypes === null ? null : await readFile(mimeTypes, 'utf8'),
    icons: (await helper.icons).map(({ size }) => size),
  };
  await writeFile(join(folder ?? '', 'integration.json'), JSON.stringify(facts));
}
