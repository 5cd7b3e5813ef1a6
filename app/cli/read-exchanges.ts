import type { ExchangeSummary, SessionInfo } from '#contract';
import { ContractError, MAX_PAGE_ROWS } from '#contract';
import type { StoreReader } from '../backend/store/store-reader.ts';
import { UsageError } from './usage.ts';

/**
 * Reads the exchanges of sessions, oldest first, page by page.
 *
 * @param limit only the newest so many; null for all
 * @throws UsageError when the filter is wrong; the message points at the place
 */
export async function* readExchanges(
  store: StoreReader,
  sessions: readonly SessionInfo[],
  filter: string,
  limit: number | null,
): AsyncGenerator<readonly ExchangeSummary[]> {
  if (limit !== null) {
    yield await readNewest(store, sessions, filter, limit);
    return;
  }
  for (const session of sessions) yield* readSession(store, session, filter, false);
}

async function readNewest(
  store: StoreReader,
  sessions: readonly SessionInfo[],
  filter: string,
  limit: number,
): Promise<readonly ExchangeSummary[]> {
  const newestFirst: ExchangeSummary[] = [];
  for (const session of [...sessions].reverse()) {
    for await (const rows of readSession(store, session, filter, true)) {
      newestFirst.push(...rows);
      if (newestFirst.length >= limit) return newestFirst.slice(0, limit).reverse();
    }
  }
  return newestFirst.reverse();
}

async function* readSession(
  store: StoreReader,
  session: SessionInfo,
  filter: string,
  descending: boolean,
): AsyncGenerator<readonly ExchangeSummary[]> {
  let after: string | null = null;
  do {
    const query = { session: session.id, filter, sort: 'time', descending, after, limit: MAX_PAGE_ROWS } as const;
    const page: { readonly rows: readonly ExchangeSummary[]; readonly next: string | null } = await store
      .query(query)
      .catch((error: unknown) => {
        throw explainFilter(error, filter);
      });
    yield page.rows;
    after = page.next;
  } while (after !== null);
}

function explainFilter(error: unknown, filter: string): unknown {
  if (!(error instanceof ContractError) || error.code !== 'bad-filter') return error;
  const marker = error.position === null ? '' : `\n  ${filter}\n  ${' '.repeat(error.position)}^`;
  return new UsageError(`--filter: ${error.message}${marker}`);
}
