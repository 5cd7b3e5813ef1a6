import { vi } from 'vitest';
import type { ExchangeSummary, MessageSummary } from '#contract';
import type { StoreReader } from '../../app/backend/store/store-reader.ts';
import { startEngine } from './engine-kit.ts';
import type { EngineUnderTest, EngineUnderTestOptions } from './engine-kit.ts';
import { allMessages, wholePayload } from './message-kit.ts';
import { openStoreKit } from './store-kit.ts';
import type { StoreKit } from './store-kit.ts';

const PATIENCE = { timeout: 40_000, interval: 20 };

/** An engine whose batches a real store takes, in one thread. */
export interface RecordingWeir {
  readonly weir: EngineUnderTest;
  readonly kit: StoreKit;
  /** The newest row of an exchange once it looks like that. */
  until(looksRight: (row: ExchangeSummary) => boolean): Promise<ExchangeSummary>;
  reader(): StoreReader;
  /** Every message of an exchange with its payload. */
  messages(exchange: number): Promise<readonly StoredMessage[]>;
  stop(): Promise<void>;
}

export interface StoredMessage {
  readonly summary: MessageSummary;
  readonly payload: Buffer;
}

export async function startRecordingWeir(options: EngineUnderTestOptions): Promise<RecordingWeir> {
  const kit = openStoreKit();
  const weir = await startEngine({
    ...options,
    onBatch: (_bytes, engine, batch) => {
      const giveBack = (slabs: readonly ArrayBuffer[]): void => {
        for (const slab of slabs) engine.returnCaptureCredit(slab.byteLength);
      };
      kit.writer.take(batch, { session: null, giveBack });
    },
  });
  return {
    weir,
    kit,
    until: (looksRight) =>
      vi.waitFor(() => {
        const found = kit.changed.findLast(looksRight);
        if (found === undefined) throw new Error('No row looks like that yet.');
        return found;
      }, PATIENCE),
    reader: () => kit.reader(),
    async messages(exchange) {
      const reader = kit.reader();
      const rows = await allMessages(reader, exchange);
      return rows.map((summary) => ({ summary, payload: wholePayload(reader, exchange, summary.sequence) }));
    },
    async stop() {
      await weir.stop();
      kit[Symbol.dispose]();
    },
  };
}
