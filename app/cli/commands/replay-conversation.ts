import type { ContractClient, ConversationPace, ConversationState, ExchangeSummary, HeaderField } from '#contract';
import { ContractError, exchangeUrl } from '#contract';
import { summaryJson } from '../exchange-json.ts';
import { listenForExit } from '../exit-signal.ts';
import { print, tell } from '../output.ts';
import { durationText, terminalText } from '../terminal-text.ts';

/** As a shell tells of a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/**
 * Replays the conversation of a recorded WebSocket, and reports what came of it. Ctrl-C closes the connection.
 *
 * @returns the exit code: 0 when everything was sent and the connection closed
 * @throws ContractError
 */
export async function replayConversation(
  client: ContractClient,
  original: ExchangeSummary,
  pace: ConversationPace,
  setHeaders: readonly HeaderField[],
  json: boolean,
): Promise<number> {
  let interrupted = false;
  let latest: ConversationState | null = null;
  const close = (): void => {
    if (!interrupted || latest === null) return;
    // It may be closed already.
    void client.call('conversation.close', { id: latest.id, code: 1_000, reason: '' }).catch(() => undefined);
  };
  void listenForExit().requested.then(() => {
    interrupted = true;
    close();
  });
  const state = await new Promise<ConversationState | null>((resolve, reject) => {
    client.stream(
      'conversation.open',
      { of: original.id, setHeaders, deflate: 'captured', replay: pace },
      {
        items(items) {
          const isFirst = latest === null;
          latest = items.at(-1) ?? latest;
          if (isFirst) close();
        },
        // Each item is the whole state.
        gap: () => undefined,
        ended(failure) {
          if (failure === null) resolve(latest);
          else reject(failure);
        },
      },
    );
  });
  if (state === null) throw new ContractError('internal', 'The backend ended the replay without a word.');
  await report(client, original, state, json);
  if (interrupted) return INTERRUPTED;
  return state.phase === 'closed' && state.replay?.done === true ? 0 : 1;
}

async function report(
  client: ContractClient,
  original: ExchangeSummary,
  { exchange, status, replay, received, close, problem, recorded }: ConversationState,
  json: boolean,
): Promise<void> {
  const messages = {
    sent: replay?.sent ?? 0,
    total: replay?.total ?? 0,
    received,
    closeCode: close?.code ?? null,
    closedBy: close?.by ?? null,
  };
  const summary = exchange === null ? null : (await client.call('exchanges.get', { id: exchange })).summary;
  if (json) {
    const row = summary === null ? { id: null, replayOf: original.id, status } : summaryJson(summary);
    await print(`${JSON.stringify({ ...row, conversation: messages })}\n`);
  } else {
    const duration = typeof summary?.duration === 'number' ? ` in ${durationText(summary.duration)}` : '';
    const counts = `${String(messages.sent)} of ${String(messages.total)} messages sent, ${String(received)} received`;
    const ending =
      close === null ? 'not closed' : `closed ${close.code === null ? 'without a code' : String(close.code)}`;
    const answer = status === null ? 'no answer' : String(status);
    const name = exchange === null ? 'without a row' : `exchange ${String(exchange)}`;
    await print(
      `${answer}  ${terminalText(exchangeUrl(summary ?? original))}  ${counts}, ${ending}${duration}  ` +
        `(${name}, a replay of ${String(original.id)})\n`,
    );
  }
  if (!recorded) tell('Nothing is recorded at the moment.');
  if (problem !== null) tell(problem);
}
