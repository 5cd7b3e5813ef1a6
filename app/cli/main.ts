import { readVersion } from '../backend/place.ts';
import { isOpenedName } from '../contract/desktop.ts';
import { print, tell } from './output.ts';
import type { CommandName } from './usage.ts';
import { HELP, isCommandName, OVERVIEW, UsageError } from './usage.ts';

/** Runs with what stands behind its name and returns an exit code. */
type Command = (args: readonly string[]) => Promise<number>;

/** Each is loaded when it is asked for, since some load the engine or the store. */
const COMMANDS: Readonly<Record<CommandName, () => Promise<Command>>> = {
  open: async () => (await import('./commands/open.ts')).open,
  serve: async () => (await import('./commands/serve.ts')).serve,
  run: async () => (await import('./commands/run.ts')).run,
  list: async () => (await import('./commands/list.ts')).list,
  show: async () => (await import('./commands/show.ts')).show,
  export: async () => (await import('./commands/export.ts')).exportExchanges,
  import: async () => (await import('./commands/import.ts')).importFile,
  replay: async () => (await import('./commands/replay.ts')).replay,
  bench: async () => (await import('./commands/bench.ts')).bench,
  protos: async () => (await import('./commands/protos.ts')).protos,
  ca: async () => (await import('./commands/ca.ts')).ca,
  'system-proxy': async () => (await import('./commands/system-proxy.ts')).systemProxy,
  doctor: async () => (await import('./commands/doctor.ts')).doctor,
};

/** Errors whose message was written for the person who ran the command; any other is a fault of ours. */
const FOR_PEOPLE: ReadonlySet<string> = new Set([
  'CommandError',
  'ContractError',
  'DataFolderError',
  'PkiError',
  'SettingsError',
  'StoreError',
  'SystemProxyError',
]);

/**
 * Runs one command line.
 *
 * @param args what stands behind `weir`
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 3 a benchmark that became slower. Why goes to standard error
 */
export async function main(args: readonly string[]): Promise<number> {
  try {
    return await dispatch(args);
  } catch (error: unknown) {
    return explain(error);
  }
}

async function dispatch(args: readonly string[]): Promise<number> {
  const [first = 'open', ...others] = args;
  if (first === '--help' || first === '-h' || first === 'help') {
    const [about = ''] = others;
    await print(isCommandName(about) ? HELP[about] : OVERVIEW);
    return 0;
  }
  if (first === '--version' || first === '-v') {
    await print(`${readVersion()}\n`);
    return 0;
  }
  // `weir some.har` opens it, as a double click does.
  const named = !first.startsWith('-') && (isCommandName(first) || !isOpenedName(first));
  const name = named ? first : 'open';
  const rest = named ? others : args;
  if (!isCommandName(name)) throw new UsageError(`There is no command ${JSON.stringify(name)}.`);
  const end = rest.indexOf('--');
  const own = end === -1 ? rest : rest.slice(0, end);
  if (own.includes('--help') || own.includes('-h')) {
    await print(HELP[name]);
    return 0;
  }
  const command = await COMMANDS[name]();
  return command(rest);
}

function explain(error: unknown): number {
  if (error instanceof UsageError) {
    tell(`${error.message}\nRun \`weir --help\` to see what there is.`);
    return 2;
  }
  if (error instanceof Error && FOR_PEOPLE.has(error.name)) tell(error.message);
  else tell(`This is a fault of Weir: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  return 1;
}
