import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, isAbsolute, join, normalize, relative, sep } from 'node:path';
import type { ContractClient, ProtoFileInfo } from '#contract';
import { MAX_PROTO_BYTES, MAX_PROTO_FILES, MAX_PROTO_PIECE_BYTES, PROTO_FILE_ENDS } from '#contract';
import { defaultDataFolder, describeDataFolder } from '../../backend/data-folder.ts';
import { ProtoStore } from '../../backend/proto-store.ts';
import { readAside } from '../../backend/protos/read-aside.ts';
import { parseArguments } from '../arguments.ts';
import { print, tell } from '../output.ts';
import { withBackend } from '../short-backend.ts';
import { sizeText, terminalText } from '../terminal-text.ts';
import { CommandError, UsageError } from '../usage.ts';

/** `weir protos …` */
export async function protos(args: readonly string[]): Promise<number> {
  const [action = '', ...rest] = args;
  switch (action) {
    case 'add':
      return add(rest);
    case 'list':
      return list(rest);
    case 'remove':
      return remove(rest);
    default:
      throw new UsageError(`\`weir protos\` is followed by add, list or remove, not ${JSON.stringify(action)}.`);
  }
}

/** A file to add, and the name that it gets. */
interface Given {
  readonly path: string;
  readonly name: string;
}

async function add(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, { data: { type: 'string' } }, Array<string>(MAX_PROTO_FILES));
  if (positionals.length === 0) throw new UsageError('`weir protos add` wants files, or folders of them.');
  const given = positionals.flatMap(filesAt);
  return withBackend(values.data, [], async (client) => {
    let failed = 0;
    let files: readonly ProtoFileInfo[] = [];
    const added = new Set<string>();
    for (const one of given) {
      try {
        files = await send(client, one);
        added.add(one.name);
      } catch (error: unknown) {
        failed += 1;
        tell(terminalText(error instanceof Error ? error.message : String(error)));
      }
    }
    for (const file of files) if (added.has(file.name)) await print(linesOf(file));
    return failed === 0 ? 0 : 1;
  });
}

async function list(args: readonly string[]): Promise<number> {
  const { values } = parseArguments(args, { data: { type: 'string' }, json: { type: 'boolean', default: false } });
  // What is stored is what a Weir that runs uses; none is needed to read it.
  const folder = describeDataFolder(values.data ?? defaultDataFolder());
  const files = new ProtoStore(folder.protos, readAside, tell).list();
  if (files.length === 0 && !values.json) tell('There are no schemas yet. `weir protos add FILE` adds one.');
  for (const file of files) await print(values.json ? `${JSON.stringify(file)}\n` : linesOf(file));
  return 0;
}

async function remove(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, { data: { type: 'string' } }, ['NAME']);
  const [name] = positionals;
  if (name === undefined) throw new UsageError('`weir protos remove` wants a name; `weir protos list` shows them.');
  await withBackend(values.data, [], (client) => client.call('protos.remove', { name }));
  await print(`Removed ${terminalText(name)}.\n`);
  return 0;
}

/**
 * A file by its path from here, as others import it, or by its name alone where it lies elsewhere; of a folder everything
 * that can be a schema, named from there.
 *
 * @throws CommandError when it cannot be read, or there is nothing in it
 */
function filesAt(path: string): readonly Given[] {
  try {
    if (!statSync(path).isDirectory()) return [{ path, name: nameOf(path) }];
    const entries = readdirSync(path, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile() && PROTO_FILE_ENDS.some((end) => entry.name.toLowerCase().endsWith(end)))
      .map((entry) => join(entry.parentPath, entry.name));
    if (files.length === 0) throw new CommandError(`There is no .proto file and no set of descriptors in ${path}.`);
    if (files.length > MAX_PROTO_FILES) {
      throw new CommandError(
        `There are more than ${String(MAX_PROTO_FILES)} files in ${path}. Give a set of descriptors.`,
      );
    }
    return files.toSorted().map((file) => ({ path: file, name: slashed(relative(path, file)) }));
  } catch (error: unknown) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function nameOf(path: string): string {
  const short = normalize(path);
  return isAbsolute(short) || short.startsWith('..') ? basename(short) : slashed(short);
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}

async function send(client: ContractClient, { path, name }: Given): Promise<readonly ProtoFileInfo[]> {
  const { size } = statSync(path);
  if (size === 0) throw new CommandError(`${path} is empty.`);
  if (size > MAX_PROTO_BYTES) {
    throw new CommandError(`${path} is longer than ${sizeText(MAX_PROTO_BYTES)}, the most that is taken of one file.`);
  }
  const whole = readFileSync(path);
  let files: readonly ProtoFileInfo[] = [];
  for (let offset = 0; offset < whole.length; offset += MAX_PROTO_PIECE_BYTES) {
    const bytes = new Uint8Array(whole.subarray(offset, offset + MAX_PROTO_PIECE_BYTES));
    ({ files } = await client.call('protos.add', { name, bytes, offset, size: whole.length }));
  }
  return files;
}

function linesOf({ name, bytes, messages, services, missing, unresolved, conflicts }: ProtoFileInfo): string {
  const counts = [countOf(messages, 'message'), ...(services === 0 ? [] : [countOf(services, 'service')])];
  const lines = [`${name}  ${[...counts, sizeText(bytes)].join(', ')}`];
  if (missing.length > 0) lines.push(`  imports what is not there: ${missing.join(', ')}`);
  if (unresolved.length > 0) lines.push(`  names types that no file defines: ${unresolved.join(', ')}`);
  for (const { type, file } of conflicts) lines.push(`  ${type} is defined otherwise in ${file}, which counts`);
  return lines.map((line) => `${terminalText(line)}\n`).join('');
}

function countOf(count: number, word: string): string {
  return `${String(count)} ${word}${count === 1 ? '' : 's'}`;
}
