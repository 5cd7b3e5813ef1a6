import { ProtoTypes } from '#contract';
import type { ProtoSchema } from '#contract';
import { layOut } from './pretty.ts';
import type { PrettyKind } from './pretty.ts';

/** One body, and what describes it where it is of Protocol Buffers. */
export interface PrettyTask {
  readonly kind: PrettyKind;
  readonly body: string | Uint8Array;
  readonly described: { readonly schema: ProtoSchema; readonly type: string; readonly isDelimited: boolean } | null;
}

// One text in, one text out; the page ends the worker when it no longer wants the answer.
self.addEventListener('message', ({ data }: MessageEvent<PrettyTask>) => {
  const { kind, body, described } = data;
  const reading = described === null ? null : { ...described, types: new ProtoTypes(described.schema) };
  self.postMessage(layOut(kind, body, reading));
});
