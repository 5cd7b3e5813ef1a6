import type { ExchangeSummary } from '#contract';
import { exchangeUrl } from '#contract';
import { parseArguments, parseNumber } from '../arguments.ts';
import { summaryJson } from '../exchange-json.ts';
import { print, tell } from '../output.ts';
import { readExchanges } from '../read-exchanges.ts';
import { chooseSessions, withStore } from '../store-access.ts';
import { durationText, sizeText, terminalText } from '../terminal-text.ts';

/** `weir list` */
export async function list(args: readonly string[]): Promise<number> {
  const { values } = parseArguments(args, {
    data: { type: 'string' },
    session: { type: 'string' },
    filter: { type: 'string', default: '' },
    limit: { type: 'string' },
    json: { type: 'boolean', default: false },
  });
  const limit = values.limit === undefined ? null : parseNumber('--limit', values.limit, 1);
  const line = values.json ? jsonLine : textLine;
  await withStore(values.data, async (store) => {
    const sessions = chooseSessions(store, values.session);
    let cut = 0;
    for await (const rows of readExchanges(store, sessions, values.filter, limit)) {
      if (rows.length > 0) await print(rows.map(line).join(''));
      cut += rows.filter(({ bodies, state }) => bodies !== 'whole' && state !== 'active').length;
    }
    if (cut > 0) tell(`The bodies of ${String(cut)} of these exchanges were not recorded whole.`);
  });
  return 0;
}

function jsonLine(summary: ExchangeSummary): string {
  return `${JSON.stringify(summaryJson(summary))}\n`;
}

/** For a person: number, time, status or what went wrong, method, URL, size, duration. */
function textLine(summary: ExchangeSummary): string {
  const { id, startedAt, status, error, method, responseBodyBytes, duration } = summary;
  const time = new Date(startedAt / 1_000).toTimeString().slice(0, 8);
  const outcome = error?.code ?? (status === null ? '…' : String(status));
  const columns = [
    String(id).padStart(6),
    time,
    outcome.padEnd(4),
    (method === '' ? summary.kind : method).padEnd(7),
    exchangeUrl(summary),
    sizeText(responseBodyBytes) + (summary.bodies === 'whole' ? '' : ` (body ${summary.bodies})`),
    duration === null ? '…' : durationText(duration),
  ];
  return `${columns.map(terminalText).join('  ')}\n`;
}
