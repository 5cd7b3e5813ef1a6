import { ContractError } from '#contract';
import type { ProtoCalls } from '#contract';
import type { BackendCore } from '../backend-core.ts';
import type { CallHandlers } from '../transport/server.ts';

/** Files whose pieces are under way; the oldest gives way. */
const MOST_OPEN = 4;

/** Schemas of Protocol Buffers: files go in, what they describe comes out. */
export function createProtoCalls({ protos, status }: BackendCore): Pick<CallHandlers, keyof ProtoCalls> {
  /** What came of a file so far. */
  const open = new Map<string, { readonly bytes: Uint8Array; filled: number }>();
  // Files are read one after the other, so that a folder of them never takes a thread each.
  let before: Promise<unknown> = Promise.resolve();

  /** The whole file with its last piece; null before. */
  function collect({ name, bytes, offset, size }: ProtoCalls['protos.add']['input']): Uint8Array | null {
    if (offset === 0) {
      open.delete(name);
      if (bytes.length === size) return bytes;
      const [oldest] = open.keys();
      if (open.size >= MOST_OPEN && oldest !== undefined) open.delete(oldest);
      open.set(name, { bytes: new Uint8Array(size), filled: 0 });
    }
    const file = open.get(name);
    if (file?.filled !== offset || file.bytes.length !== size) {
      open.delete(name);
      throw new ContractError('bad-input', 'The pieces of the file do not fit together. Add it again.');
    }
    file.bytes.set(bytes, offset);
    file.filled += bytes.length;
    if (file.filled < size) return null;
    open.delete(name);
    return file.bytes;
  }

  function changed(): ProtoCalls['protos.list']['output'] {
    status.protosChanged(protos.revision);
    return { files: protos.list() };
  }

  return {
    'protos.list': () => ({ files: protos.list() }),
    async 'protos.add'(input) {
      const whole = collect(input);
      if (whole === null) return { files: protos.list() };
      const turn = before.then(() => protos.add(input.name, whole));
      before = turn.catch(() => undefined);
      await turn;
      return changed();
    },
    'protos.remove'({ name }) {
      protos.remove(name);
      return changed();
    },
    'protos.restore'({ name }) {
      protos.restore(name);
      return changed();
    },
    'protos.schema': () => ({ schema: protos.schema, revision: protos.revision }),
  };
}
