import { Worker } from 'node:worker_threads';
import { ProtoFileError } from './described-file.ts';
import type { DescribedFile } from './described-file.ts';
import type { ProtoAnswer, ProtoReading } from './proto-worker.ts';

/** A file that takes longer is refused. The parser's time grows with the square of what stands in one message. */
const PATIENCE_MS = 10_000;
const MEMORY_MB = 512;

/**
 * Reads a file in a thread of its own, which is ended when it takes too long: the file is a stranger's.
 *
 * @param patienceMs after this the file counts as unreadable
 * @throws ProtoFileError
 */
export async function readAside(name: string, bytes: Uint8Array, patienceMs = PATIENCE_MS): Promise<DescribedFile> {
  const extension = import.meta.url.endsWith('.ts') ? './proto-worker.ts' : './proto-worker.js';
  const worker = new Worker(new URL(extension, import.meta.url), {
    name: 'protos',
    workerData: { name, bytes } satisfies ProtoReading,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  const patience = setTimeout(() => void worker.terminate(), patienceMs);
  try {
    const answer = await new Promise<ProtoAnswer>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', (error) => {
        reject(new ProtoFileError(`It could not be read: ${error.message}.`, null, { cause: error }));
      });
      worker.once('exit', () => {
        reject(
          new ProtoFileError(
            `It is too large to be read in ${String(patienceMs / 1_000)} seconds. Give it as a set of descriptors.`,
          ),
        );
      });
    });
    if ('problem' in answer) throw new ProtoFileError(answer.problem, answer.line);
    return answer.described;
  } finally {
    clearTimeout(patience);
    void worker.terminate();
  }
}
