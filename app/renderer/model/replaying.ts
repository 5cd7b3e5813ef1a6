import { heldConversation } from '#contract';
import type { ConversationState, ExchangeId, ExchangeSummary } from '#contract';
import { CONVERSATION_TEXT } from '../text/conversation.ts';
import { COMPOSE_TEXT } from '../text/compose.ts';
import type { App } from './app.svelte.ts';
import type { Backend } from './connection.svelte.ts';

/**
 * Sends exchanges again, one after the other and as they were captured, and shows the answer to the last. A single WebSocket
 * goes to the page that composes, which shows how far it is and can end it, unless something is being composed there.
 *
 * @throws ContractError
 */
export async function replayExchanges(app: App, ids: readonly ExchangeId[]): Promise<void> {
  let last: ExchangeSummary | null = null;
  let said = '';
  for (const id of ids) {
    const isConversation = heldConversation((await app.backend.call('exchanges.get', { id })).summary);
    if (isConversation && ids.length === 1 && app.compose.isIdle) {
      await editAndResend(app, id);
      app.compose.connect(true);
      return;
    }
    let answer: ExchangeId | null;
    if (isConversation) {
      const state = await replayConversation(app.backend, id);
      answer = state?.exchange ?? null;
      said = state?.problem ?? CONVERSATION_TEXT.replayed(state?.close?.code ?? null);
    } else {
      const options = { version: 'captured', cookies: 'kept', followRedirects: false } as const;
      const { exchanges, status } = await app.backend.call('replay.send', { of: id, ...options });
      answer = exchanges.at(-1) ?? null;
      said = COMPOSE_TEXT.replayed(status);
    }
    if (answer !== null) last = (await app.backend.call('exchanges.get', { id: answer })).summary;
  }
  const shown = last;
  const show = (): void => {
    if (shown !== null) app.reveal(shown);
  };
  const text = ids.length === 1 ? said : COMPOSE_TEXT.replayedMany(ids.length);
  app.toasts.say(text, shown === null ? null : { label: COMPOSE_TEXT.show, run: show });
}

/**
 * Replays a recorded conversation to its end.
 * @throws ContractError
 */
function replayConversation(backend: Backend, of: ExchangeId): Promise<ConversationState | null> {
  return new Promise((resolve, reject) => {
    let state: ConversationState | null = null;
    const stream = backend.stream(
      'conversation.open',
      { of, deflate: 'captured', replay: 'answers' },
      {
        items: (items) => {
          state = items.at(-1) ?? state;
        },
        // The backend is another one now.
        gap: () => {
          stream.close();
          reject(new Error(CONVERSATION_TEXT.lost));
        },
        ended: (failure) => {
          if (failure === null) resolve(state);
          else reject(failure);
        },
      },
    );
  });
}

/**
 * Opens the request of an exchange on the page that composes.
 * @throws ContractError
 */
export async function editAndResend(app: App, id: ExchangeId): Promise<void> {
  await app.compose.useExchange(id);
  app.navigation.open('compose');
}
