import type { ExchangeId, ExchangeSummary } from '#contract';
import { COMPOSE_TEXT } from '../text/compose.ts';
import type { App } from './app.svelte.ts';

/**
 * Sends exchanges again, one after the other and as they were captured, and shows the answer to the last.
 * @throws ContractError
 */
export async function replayExchanges(app: App, ids: readonly ExchangeId[]): Promise<void> {
  let last: ExchangeSummary | null = null;
  let status: number | null = null;
  for (const id of ids) {
    const options = { version: 'captured', cookies: 'kept', followRedirects: false } as const;
    const outcome = await app.backend.call('replay.send', { of: id, ...options });
    status = outcome.status;
    const answer = outcome.exchanges.at(-1);
    if (answer !== undefined) last = (await app.backend.call('exchanges.get', { id: answer })).summary;
  }
  const text = ids.length === 1 ? COMPOSE_TEXT.replayed(status) : COMPOSE_TEXT.replayedMany(ids.length);
  const shown = last;
  const show = (): void => {
    if (shown !== null) app.reveal(shown);
  };
  app.toasts.say(text, shown === null ? null : { label: COMPOSE_TEXT.show, run: show });
}

/**
 * Opens the request of an exchange on the page that composes.
 * @throws ContractError
 */
export async function editAndResend(app: App, id: ExchangeId): Promise<void> {
  await app.compose.useExchange(id);
  app.navigation.open('compose');
}
