import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Systems by electron-builder's names. */
export type PackedSystem = 'linux' | 'mac' | 'win';

/** What Electron's fuses stand behind in its binary; then come their version, their number and their states. */
export const FUSE_MARK = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';

const FUSES = Buffer.concat([
  Buffer.from(FUSE_MARK),
  Buffer.from([1, 9]),
  Buffer.from('101100010'), // as Electron ships them
]);

/** Node under Electron's name, which is what that is to whoever runs it with ELECTRON_RUN_AS_NODE. */
const PROGRAM = Buffer.concat([Buffer.from(`#!/bin/sh\nexec '${process.execPath}' "$@"\nexit\n`), FUSES]);

/** A module that electron-builder brings along and reads programs of Windows with. */
interface Resedit {
  readonly NtExecutable: { createEmpty(is32Bit: boolean, isLibrary: boolean): { generate(): ArrayBuffer } };
  readonly NtExecutableResource: { from(executable: object): { entries: unknown[]; outputResource(to: object): void } };
  readonly Resource: {
    readonly VersionInfo: {
      createEmpty(): {
        setStringValues(language: object, values: object): void;
        outputToResourceEntries(entries: unknown[]): void;
      };
    };
  };
}

/** Makes what electron-builder takes for an unpacked Electron of a system. */
export async function makeFakeElectron(system: PackedSystem, folder: string): Promise<void> {
  await put(join(folder, 'LICENSE'), "Electron's licence");
  await put(join(folder, 'LICENSES.chromium.html'), "Chromium's licences");
  if (system === 'linux') await putProgram(join(folder, 'electron'));
  if (system === 'win') await put(join(folder, 'electron.exe'), Buffer.concat([emptyProgramOfWindows(), FUSES]));
  if (system === 'mac') await makeBundle(join(folder, 'Electron.app/Contents'));
}

async function makeBundle(contents: string): Promise<void> {
  await put(join(contents, 'Info.plist'), propertyList('Electron'));
  await put(join(contents, 'Resources/electron.icns'), '');
  await putProgram(join(contents, 'MacOS/Electron'));
  await put(join(contents, 'Frameworks/Electron Framework.framework/Electron Framework'), FUSES);
  for (const kind of ['', ' (Renderer)', ' (GPU)', ' (Plugin)']) {
    const helper = join(contents, `Frameworks/Electron Helper${kind}.app/Contents`);
    await put(join(helper, 'Info.plist'), propertyList(`Electron Helper${kind}`));
    await put(join(helper, `MacOS/Electron Helper${kind}`), '');
  }
}

async function put(file: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}

async function putProgram(file: string): Promise<void> {
  await put(file, PROGRAM);
  await chmod(file, 0o755);
}

function propertyList(executable: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>CFBundleExecutable</key><string>${executable}</string></dict></plist>`;
}

/** A program that does nothing, with the facts about its version that electron-builder changes. */
function emptyProgramOfWindows(): Buffer {
  const builder = createRequire(createRequire(import.meta.url).resolve('electron-builder'));
  const { NtExecutable, NtExecutableResource, Resource } = createRequire(builder.resolve('app-builder-lib'))(
    'resedit',
  ) as Resedit;
  const program = NtExecutable.createEmpty(false, false);
  const resources = NtExecutableResource.from(program);
  const version = Resource.VersionInfo.createEmpty();
  version.setStringValues({ lang: 1033, codepage: 1200 }, { FileDescription: 'Electron' });
  version.outputToResourceEntries(resources.entries);
  resources.outputResource(program);
  return Buffer.from(program.generate());
}
