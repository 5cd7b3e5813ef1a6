import { ContractError, type ExchangeSummary } from '#contract';
import { messagesOf, payloadOf, type ExportSource } from '../export-source.ts';

/**
 * Reads all that an export would hold, so that the source's tally knows what leaves.
 *
 * @param source one that counts
 * @param step is told after each exchange
 * @param signal ends it early
 */
export async function previewExport(
  source: Pick<ExportSource, 'get' | 'messagePage' | 'messageRead'>,
  exchanges: AsyncIterable<Pick<ExchangeSummary, 'id'>>,
  searchesMessages: boolean,
  step: () => void = () => undefined,
  signal: AbortSignal | null = null,
): Promise<void> {
  for await (const { id } of exchanges) {
    if (signal?.aborted === true) return;
    try {
      const { summary } = await source.get(id);
      if (searchesMessages && summary.kind === 'websocket') await readMessages(source, summary);
    } catch (error: unknown) {
      // An exchange that went meanwhile is left out.
      if (!(error instanceof ContractError) || error.code !== 'not-found') throw error;
    }
    step();
  }
}

async function readMessages(
  source: Pick<ExportSource, 'messagePage' | 'messageRead'>,
  summary: ExchangeSummary,
): Promise<void> {
  for await (const message of messagesOf(source, summary)) {
    for await (const bytes of payloadOf(source, message)) void bytes;
  }
}
