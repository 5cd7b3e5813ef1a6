import type { ParseArgsOptionsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import { UsageError } from './usage.ts';

/** Values by option name, as `parseArgs` gives them. */
type Values<Options extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Options; strict: true; allowPositionals: true }>
>['values'];

export interface ParsedArguments<Options extends ParseArgsOptionsConfig> {
  readonly values: Values<Options>;
  readonly positionals: readonly string[];
}

/**
 * Parses the arguments of one command. Options that are not `multiple` may stand once.
 *
 * @param positionals names of what may stand beside options, for messages
 * @throws UsageError
 */
export function parseArguments<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
  positionals: readonly string[] = [],
): ParsedArguments<Options> {
  const parsed = parse(args, options);
  const seen = new Set<string>();
  for (const token of parsed.tokens) {
    if (token.kind !== 'option') continue;
    if (seen.has(token.name) && options[token.name]?.multiple !== true) {
      throw new UsageError(`${token.rawName} stands more than once.`);
    }
    seen.add(token.name);
  }
  const [extra] = parsed.positionals.slice(positionals.length);
  if (extra !== undefined) throw new UsageError(`${JSON.stringify(extra)} is one argument too many.`);
  return { values: parsed.values, positionals: parsed.positionals };
}

function parse<const Options extends ParseArgsOptionsConfig>(args: readonly string[], options: Options) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true, tokens: true });
  } catch (error: unknown) {
    // Node's sentences name the option and, for unknown ones, how to pass such a word as an argument.
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/**
 * Reads a whole number of an option.
 *
 * @throws UsageError outside of `least` to `most`
 */
export function parseNumber(option: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${String(least)}` : `${String(least)} to ${String(most)}`;
  throw new UsageError(`${option} wants a whole number ${range}, not ${JSON.stringify(text)}.`);
}

/**
 * Reads an option that has a few possible values.
 *
 * @throws UsageError for any other
 */
export function parseChoice<const Choice extends string>(
  option: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((candidate) => candidate === text);
  if (choice !== undefined) return choice;
  throw new UsageError(`${option} is ${choices.join(' or ')}, not ${JSON.stringify(text)}.`);
}
