import { shortenMiddle, type LeavingExchange, type RedactionReport } from '#contract';
import { terminalText } from './terminal-text.ts';

/** A longer URL is shortened, characters. */
const MOST_URL = 120;

/** What a file would hold, for `export --preview`. */
export function reportLines(report: RedactionReport): string[] {
  const { exchanges, bytes, hosts, busiest, samples } = report;
  const shown = busiest.map(({ host, exchanges: count }) => `  ${terminalText(host)} (${String(count)})`);
  const more = hosts > busiest.length ? [`  and ${String(hosts - busiest.length)} more`] : [];
  return [
    `${counted(exchanges, 'exchange')} with ${counted(hosts, 'host')} and ${counted(bytes, 'byte')} of heads and bodies would leave.`,
    ...shown,
    ...more,
    ...redactionLines(report),
    ...samples.map(
      ({ exchange, place, name, leaves }) =>
        `  ${nameOf(exchange)}, ${place} ${terminalText(name)}: ${terminalText(leaves)}`,
    ),
  ];
}

/** What was blanked, and what could not be looked into. */
export function redactionLines(report: RedactionReport): string[] {
  const { headers, cookies, parameters, jsonValues, leftOut, named, otherBodies } = report;
  const parts = [
    counted(headers, 'header value'),
    counted(cookies, 'cookie'),
    counted(parameters, 'parameter'),
    counted(jsonValues, 'JSON value'),
  ];
  const lines = [`Blanked: ${parts.join(', ')}.`];
  for (const { exchange, what, reason } of named) {
    lines.push(`Left out: the ${what} of ${nameOf(exchange)}, since ${reason}.`);
  }
  if (leftOut > named.length) lines.push(`${String(leftOut - named.length)} more bodies were left out.`);
  if (otherBodies > 0) {
    lines.push(
      `Not searched: ${counted(otherBodies, 'body or message', 'bodies or messages')} in other formats than JSON.`,
    );
  }
  return lines;
}

/** As people know it, with the number that `weir show` takes: one URL is often asked for more than once. */
function nameOf({ id, method, url }: LeavingExchange): string {
  return `${terminalText(`${method} ${shortenMiddle(url, MOST_URL)}`)} (exchange ${String(id)})`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}
