import type { ProtoSchema } from '#contract';
import { inWorker } from '../../../model/in-worker.ts';
import { layOut } from './pretty.ts';
import type { PrettyKind, PrettyText, ProtobufReading } from './pretty.ts';
import type { PrettyTask } from './pretty-worker.ts';

/** Shorter bodies are laid out at once: that takes less than starting a worker; UTF-16 units or bytes. */
const WORKER_FROM = 50_000;

/** A description as a thread can be given it. */
export interface SentReading extends ProtobufReading {
  /** What `types` was made of. */
  readonly schema: ProtoSchema;
}

/**
 * Lays out a body without holding up the page.
 * @param reading describes a body of Protocol Buffers
 * @throws DOMException `AbortError` when `signal` ends it
 */
export function layOutAside(
  kind: PrettyKind,
  body: string | Uint8Array,
  signal: AbortSignal,
  reading: SentReading | null = null,
): Promise<PrettyText> {
  if (body.length < WORKER_FROM) return Promise.resolve(layOut(kind, body, reading));
  const start = (): Worker => new Worker(new URL('./pretty-worker.ts', import.meta.url), { type: 'module' });
  const described =
    reading === null ? null : { schema: reading.schema, type: reading.type, isDelimited: reading.isDelimited };
  return inWorker(start, { kind, body, described } satisfies PrettyTask, signal);
}
