import { parentPort, workerData } from 'node:worker_threads';
import { ProtoFileError } from './described-file.ts';
import type { DescribedFile } from './described-file.ts';
import { readProtoFile } from './read-file.ts';

/** What the thread is given. */
export interface ProtoReading {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What it answers: once, and then it ends. */
export type ProtoAnswer =
  { readonly described: DescribedFile } | { readonly problem: string; readonly line: number | null };

const { name, bytes } = workerData as ProtoReading;
parentPort?.postMessage(answer());

function answer(): ProtoAnswer {
  try {
    return { described: readProtoFile(name, bytes) };
  } catch (error: unknown) {
    if (error instanceof ProtoFileError) return { problem: error.message, line: error.line };
    throw error;
  }
}
