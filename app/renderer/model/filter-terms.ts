import type { ExchangeSummary } from '#contract';
import { hostTerm } from './host-tree.ts';

/** Filters that the menu of a row offers. */
export type RowFilter =
  | 'filter-host'
  | 'filter-not-host'
  | 'filter-path'
  | 'filter-status'
  | 'filter-type'
  | 'filter-method'
  | 'filter-program';

/** The term of the query language for a row; null when the row has nothing to filter by. */
export function rowTerm(filter: RowFilter, row: ExchangeSummary): string | null {
  switch (filter) {
    case 'filter-host':
      return hostTerm(row.host, row.port);
    case 'filter-not-host':
      return `-${hostTerm(row.host, 0)}`;
    case 'filter-path': {
      const path = row.path.replace(/\?.*$/, '');
      return path === '' ? null : `path:${quoteWhereNeeded(path)}`;
    }
    case 'filter-type':
      return row.mediaType === null ? null : `type:${quoteWhereNeeded(row.mediaType)}`;
    case 'filter-method':
      return row.method === '' ? null : `method:${quoteWhereNeeded(row.method.toLowerCase())}`;
    case 'filter-program':
      return row.program === null ? null : `app:${quoteWhereNeeded(row.program)}`;
    case 'filter-status':
      if (row.error !== null) return `error:${row.error.code}`;
      return row.status === null ? null : `status:${String(row.status)}`;
  }
}

/** Adds a term to a filter; a term that stands there already is not added twice. */
export function withTerm(filter: string, term: string): string {
  const words = filter.trim();
  if (words === '') return term;
  if (` ${words} `.includes(` ${term} `)) return words;
  // What stands beside an `or` binds more tightly, so the old filter is held together.
  return /(^|\s)or(\s|$)/i.test(words) ? `(${words}) ${term}` : `${words} ${term}`;
}

/** A value as the query language takes it. */
export function quoteWhereNeeded(text: string): string {
  return /[\s()"]/.test(text) ? `"${text.replaceAll(/["\\]/g, '\\$&')}"` : text;
}
