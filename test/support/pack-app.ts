import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { Arch, build, Platform } from 'electron-builder';
import type { AfterPackContext } from 'electron-builder';

/*
 * A program: `node pack-app.ts FOLDER` packs the built app for Linux into FOLDER as electron-builder does for an installer, but
 * around an Electron whose executable is a script: Node under Electron's name, which is what it is to whoever runs it with
 * ELECTRON_RUN_AS_NODE. Writes FOLDER/integration.json: what desktops would be told about the app.
 */

const ROOT = resolve(import.meta.dirname, '../..');

/** What the fuses stand behind in Electron's binary, then their version, their number and their states. */
const FUSES = Buffer.concat([
  Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
  Buffer.from([1, 9]),
  Buffer.from('101100010'), // as Electron ships them
]);

interface LinuxFiles {
  readonly mimeTypeFiles: Promise<string | null>;
  readonly icons: Promise<readonly { readonly file: string; readonly size: number }[]>;
  computeDesktopEntry(options: object): Promise<string>;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Say which folder to pack into.');

const electron = await mkdtemp(join(tmpdir(), 'weir-electron-'));
try {
  await makeElectron(electron);
  await build({
    targets: Platform.LINUX.createTarget('dir', process.arch === 'arm64' ? Arch.arm64 : Arch.x64),
    projectDir: ROOT,
    publish: 'never',
    config: { electronDist: electron, directories: { output: folder }, afterPack: describe },
  });
} finally {
  await rm(electron, { recursive: true, force: true });
}

async function makeElectron(at: string): Promise<void> {
  const executable = join(at, 'electron');
  const script = Buffer.from(`#!/bin/sh\nexec '${process.execPath}' "$@"\nexit\n`);
  await writeFile(executable, Buffer.concat([script, FUSES]));
  await chmod(executable, 0o755);
  await mkdir(join(at, 'resources'));
  await writeFile(join(at, 'LICENSE'), "Electron's licence");
  await writeFile(join(at, 'LICENSES.chromium.html'), "Chromium's licences");
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
