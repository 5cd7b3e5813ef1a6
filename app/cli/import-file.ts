import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ContractClient, ImportReport } from '#contract';
import { MAX_WINDOW_BYTES } from '#contract';
import { tell } from './output.ts';
import { terminalText } from './terminal-text.ts';
import { CommandError } from './usage.ts';

/** A file that can be imported. */
export interface ReadableFile {
  /**
   * Reads it into a session of its own, piece by piece. May be called once. What is not read to its end leaves nothing behind.
   * @throws CommandError when `signal` was aborted meanwhile
   */
  importTo(client: ContractClient, signal: AbortSignal): Promise<ImportReport>;
  close(): Promise<void>;
}

/**
 * Opens a file before anything is started for it.
 * @throws CommandError when it cannot be read
 */
export async function openReadable(path: string): Promise<ReadableFile> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw new CommandError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  if ((await file.stat()).isDirectory()) {
    await file.close();
    throw new CommandError(`${path} is a folder.`);
  }
  return {
    async importTo(client, signal) {
      const { import: id } = await client.call('import.begin', { fileName: basename(path).slice(0, 200) });
      try {
        for await (const bytes of file.createReadStream({ highWaterMark: MAX_WINDOW_BYTES, autoClose: false })) {
          if (signal.aborted) throw new CommandError('The import was stopped, and nothing of it is kept.');
          await client.call('import.write', { import: id, bytes: new Uint8Array(bytes as Buffer) });
        }
      } catch (error: unknown) {
        await client.call('import.cancel', { import: id }).catch(() => undefined);
        throw error;
      }
      return client.call('import.end', { import: id });
    },
    close: () => file.close(),
  };
}

/**
 * Tells what was left out of a file.
 * @returns what was imported, for a person; null when nothing was
 */
export function tellReport({ session, imported, skipped, named, problem }: ImportReport): string | null {
  for (const { entry, reason } of named) tell(`Entry ${String(entry)} was left out: ${terminalText(reason)}.`);
  if (skipped > named.length) tell(`${String(skipped - named.length)} more were left out.`);
  if (problem !== null) tell(problem);
  if (session === null) return null;
  return `Imported ${String(imported)} exchanges into session ${String(session.id)} (${terminalText(session.name)}).`;
}
