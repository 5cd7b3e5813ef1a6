import { parseArguments } from '../arguments.ts';
import { listenForExit } from '../exit-signal.ts';
import { openReadable, tellReport } from '../import-file.ts';
import { print } from '../output.ts';
import { withBackend } from '../short-backend.ts';
import { UsageError } from '../usage.ts';

/** `weir import FILE` */
export async function importFile(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(args, { data: { type: 'string' } }, ['FILE']);
  const [path] = positionals;
  if (path === undefined) throw new UsageError('`weir import` wants a file.');
  const file = await openReadable(path);
  const exit = listenForExit();
  try {
    return await withBackend(values.data, [], async (client) => {
      const report = await file.importTo(client, exit.signal);
      const done = tellReport(report);
      if (done === null) return 1;
      await print(`${done}\n`);
      return report.problem === null ? 0 : 1;
    });
  } finally {
    await file.close();
  }
}
