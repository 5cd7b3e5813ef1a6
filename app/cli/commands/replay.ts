import type { ContractClient, ConversationPace, HeaderField, ReplayOutcome } from '#contract';
import { exchangeUrl, heldConversation } from '#contract';
import { parseArguments, parseNumber } from '../arguments.ts';
import { summaryJson } from '../exchange-json.ts';
import { print, tell } from '../output.ts';
import { withBackend } from '../short-backend.ts';
import { durationText, terminalText } from '../terminal-text.ts';
import { UsageError } from '../usage.ts';
import { replayConversation } from './replay-conversation.ts';

const PACES: readonly ConversationPace[] = ['answers', 'recorded', 'fast'];

/** `weir replay ID` */
export async function replay(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(
    args,
    {
      data: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      pace: { type: 'string' },
      json: { type: 'boolean', default: false },
      'origin-ca': { type: 'string', multiple: true, default: [] },
    },
    ['ID'],
  );
  const [idText] = positionals;
  if (idText === undefined) {
    throw new UsageError('`weir replay` wants the number of an exchange; `weir list` shows them.');
  }
  const id = parseNumber('ID', idText, 0);
  const setHeaders = values.set.map(parseSetting);
  const pace = values.pace === undefined ? null : parsePace(values.pace);
  return withBackend(values.data, values['origin-ca'], async (client) => {
    const { summary } = await client.call('exchanges.get', { id });
    if (heldConversation(summary)) {
      return replayConversation(client, summary, pace ?? 'answers', setHeaders, values.json);
    }
    if (pace !== null) throw new UsageError(`--pace is for WebSockets; exchange ${String(id)} is none.`);
    const outcome = await client.call('replay.send', {
      of: id,
      version: 'captured',
      cookies: 'kept',
      followRedirects: false,
      setHeaders,
    });
    return report(client, id, outcome, values.json);
  });
}

function parsePace(text: string): ConversationPace {
  const pace = PACES.find((name) => name === text);
  if (pace === undefined) throw new UsageError(`--pace wants ${PACES.join(', ')}, not ${JSON.stringify(text)}.`);
  return pace;
}

/** `header:NAME=VALUE` */
function parseSetting(text: string): HeaderField {
  const match = /^header:([^=]+)=(.*)$/s.exec(text);
  if (match === null) {
    throw new UsageError(`--set wants header:NAME=VALUE, not ${JSON.stringify(text)}.`);
  }
  // A header carries bytes: what is typed goes out as UTF-8.
  return [match[1] ?? '', Buffer.from(match[2] ?? '', 'utf8').toString('latin1')];
}

async function report(
  client: ContractClient,
  original: number,
  { exchanges, status, problem }: ReplayOutcome,
  json: boolean,
): Promise<number> {
  const id = exchanges.at(-1);
  if (id === undefined) {
    tell('The request was sent, and nothing is recorded at the moment.');
    if (json) await print(`${JSON.stringify({ id: null, replayOf: original, status })}\n`);
  } else {
    const { summary } = await client.call('exchanges.get', { id });
    if (json) await print(`${JSON.stringify(summaryJson(summary))}\n`);
    else {
      const duration = summary.duration === null ? '' : ` in ${durationText(summary.duration)}`;
      const answer = status === null ? 'no answer' : String(status);
      const request = `${summary.method} ${terminalText(exchangeUrl(summary))}`;
      await print(`${answer}  ${request}${duration}  (exchange ${String(id)}, a replay of ${String(original)})\n`);
    }
    if (summary.error !== null) tell(summary.error.message);
    else if (problem !== null) tell(problem);
    return summary.state === 'complete' && status !== null ? 0 : 1;
  }
  if (problem !== null) tell(problem);
  return status === null ? 1 : 0;
}
