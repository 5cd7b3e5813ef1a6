import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ContractClient, ImportReport } from '#contract';
import { MAX_WINDOW_BYTES } from '#contract';
import { parseArguments } from '../arguments.ts';
import { print, tell } from '../output.ts';
import { withBackend } from '../short-backend.ts';
import { terminalText } from '../terminal-text.ts';
import { CommandError, UsageError } from '../usage.ts';

/** `weir import FILE` */
export async function importFile(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, { data: { type: 'string' } }, ['FILE']);
  const [path] = positionals;
  if (path === undefined) throw new UsageError('`weir import` wants a file.');
  const file = await open(path, 'r').catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  try {
    return await withBackend(values.data, [], async (client) => {
      const { import: id } = await client.call('import.begin', { fileName: basename(path).slice(0, 200) });
      for await (const bytes of file.createReadStream({ highWaterMark: MAX_WINDOW_BYTES, autoClose: false })) {
        await client.call('import.write', { import: id, bytes: new Uint8Array(bytes as Buffer) });
      }
      return report(await finished(client, id));
    });
  } finally {
    await file.close();
  }
}

function finished(client: ContractClient, id: number): Promise<ImportReport> {
  return client.call('import.end', { import: id });
}

async function report({ session, imported, skipped, named, problem }: ImportReport): Promise<number> {
  for (const { entry, reason } of named) tell(`Entry ${String(entry)} was left out: ${terminalText(reason)}.`);
  if (skipped > named.length) tell(`${String(skipped - named.length)} more were left out.`);
  if (problem !== null) tell(problem);
  if (session === null) return 1;
  const name = `session ${String(session.id)} (${terminalText(session.name)})`;
  await print(`Imported ${String(imported)} exchanges into ${name}.\n`);
  return problem === null ? 0 : 1;
}
