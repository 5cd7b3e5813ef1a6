import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../..');

interface Packaging {
  readonly electronFuses: Readonly<Record<string, boolean>>;
  readonly linux: { readonly icon: string };
  readonly mac: { readonly icon: string };
  readonly win: { readonly icon: string };
  readonly extraResources: readonly { readonly from: string }[];
}

const configuration = parse(readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8')) as Packaging;

/** electron-builder's own schema; `typeof` marks hooks and is no JSON Schema. */
function validator(): (value: unknown) => readonly string[] {
  const builder = createRequire(createRequire(import.meta.url).resolve('electron-builder'));
  const schema = JSON.parse(readFileSync(builder.resolve('app-builder-lib/scheme.json'), 'utf8')) as object;
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
  return (value) =>
    validate(value) ? [] : (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
}

test("the packaging passes electron-builder's schema", () => {
  expect(validator()(configuration)).toEqual([]);
});

test('the schema finds what it does not know', () => {
  expect(validator()({ ...configuration, fantasy: true })).not.toEqual([]);
});

test('every file that the packaging names is there', () => {
  const named = [configuration.linux.icon, configuration.mac.icon, configuration.win.icon];
  for (const path of [...named, ...configuration.extraResources.map(({ from }) => from)]) {
    expect(existsSync(join(ROOT, path)), path).toBe(true);
  }
});

test('the launcher of the installed command is executable', () => {
  expect(statSync(join(ROOT, 'resources/launcher/weir')).mode & 0o111).toBe(0o111);
});

test('every fuse is decided, and those that let code in from outside are off', () => {
  expect(configuration.electronFuses).toEqual({
    runAsNode: true, // see docs/adr/0003-packaged-app-processes.md
    enableCookieEncryption: true,
    enableNodeOptionsEnvironmentVariable: false,
    enableNodeCliInspectArguments: false,
    enableEmbeddedAsarIntegrityValidation: true,
    onlyLoadAppFromAsar: true,
    loadBrowserProcessSpecificV8Snapshot: false,
    grantFileProtocolExtraPrivileges: false,
  });
});
