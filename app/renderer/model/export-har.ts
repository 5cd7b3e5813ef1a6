import type { ExchangeId } from '#contract';
import { formatCount } from '../text/format.ts';
import { MARK_TEXT } from '../text/traffic.ts';
import type { App } from './app.svelte.ts';

/**
 * Saves exchanges as one HAR file, in the order given.
 * @throws ContractError
 */
export async function exportHar(app: App, ids: readonly ExchangeId[]): Promise<void> {
  if (ids.length === 0) return;
  const { export: id } = await app.backend.call('exchanges.exportHar', { ids });
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  for (let done = false; !done;) {
    const piece = await app.backend.call('exchanges.readExport', { export: id });
    parts.push(encoder.encode(piece.text));
    done = piece.done;
  }
  app.actions.saveFile(parts, 'weir.har', 'application/json');
  app.toasts.say(MARK_TEXT.exported(ids.length, formatCount(ids.length)));
}
