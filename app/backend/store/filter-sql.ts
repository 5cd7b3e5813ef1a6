import type { FilterNode, FilterTerm } from '#contract';
import type { Candidates } from './search-candidates.ts';

/** A filter as a condition on a row of `exchange`. */
export interface FilterSql {
  readonly condition: string;
  readonly parameters: readonly (string | number)[];
  /** Heads or bodies must be looked into, which costs much more a row than columns do. */
  readonly deep: boolean;
}

/** Columns with few distinct values, which are looked through instead of the rows. */
export type ValueColumn = 'host' | 'method' | 'media_type';

/** The distinct values of a column in the session that is asked about. */
export type DistinctValues = (column: ValueColumn) => readonly string[];

/** The rows that may contain a text, as far as an index knows. */
export type FindCandidates = (text: string) => Candidates | null;

/** So many rows that have to be looked into make a walk slow. */
const MANY_CANDIDATES = 20_000;

/** An `IN` list longer than this is no help. */
const MOST_VALUES = 500;

const MEDIA_TYPE_ALIASES: Readonly<Record<string, string>> = { js: 'javascript', sse: 'event-stream' };

const URL_TEXT = `scheme || '://' || CASE WHEN instr(host, ':') > 0 THEN '[' || host || ']' ELSE host END ||
  CASE WHEN port = CASE scheme WHEN 'https' THEN 443 WHEN 'http' THEN 80 ELSE 0 END THEN '' ELSE ':' || port END || path`;

/** Conditions of `is:` and `has:`. */
const IS_CONDITIONS: Readonly<Record<Extract<FilterTerm, { key: 'is' }>['flag'], string>> = {
  http: "kind = 'http'",
  websocket: "kind = 'websocket'",
  tunnel: "kind = 'tunnel'",
  tcp: "kind = 'tcp'",
  udp: "kind = 'udp'",
  https: "scheme = 'https'",
  active: "state = 'active'",
  complete: "state = 'complete'",
  failed: "state = 'failed'",
  pinned: 'pinned <> 0',
  truncated: "bodies <> 'whole'",
  replay: 'replay_of > 0',
};
const HAS_CONDITIONS: Readonly<Record<Extract<FilterTerm, { key: 'has' }>['flag'], string>> = {
  error: 'error IS NOT NULL',
  anomaly: "anomalies <> ''",
  body: 'request_body_bytes + response_body_bytes > 0',
  'request-body': 'request_body_bytes > 0',
  'response-body': 'response_body_bytes > 0',
  query: "instr(path, '?') > 0",
  label: 'label <> 0',
  comment: 'commented <> 0',
};

/** What the index of such calls needs to hear. */
const IS_LLM = "llm_model <> ''";
/** In and out together, as far as they are known. */
const TOKENS = '(max(llm_prompt_tokens, 0) + max(llm_completion_tokens, 0))';

const NUMBER_COLUMNS = { status: 'status', port: 'port', size: 'response_body_bytes', dur: 'duration' } as const;

/**
 * The SQL condition of a filter; null accepts every row. It uses the functions that `registerSearchFunctions` adds to the
 * connection.
 */
export function compileFilter(
  node: FilterNode | null,
  distinct: DistinctValues,
  candidates: FindCandidates,
): FilterSql | null {
  if (node === null) return null;
  const compiler = new Compiler(distinct, candidates);
  return { condition: compiler.node(node), parameters: compiler.parameters, deep: compiler.deep };
}

/** A condition that an index answers alone. */
export interface Driver {
  readonly index: string;
  readonly sql: FilterSql;
}

const DRIVER_INDEXES: Partial<Record<FilterTerm['key'], string>> = {
  host: 'exchange_by_host',
  method: 'exchange_by_method',
  type: 'exchange_by_type',
  status: 'exchange_by_status',
  model: 'exchange_by_model',
  finish: 'exchange_by_model',
  tokens: 'exchange_by_model',
  ttft: 'exchange_by_model',
};

/** The conditions that every match of a filter meets and that an index answers. */
export function driversOf(node: FilterNode | null, distinct: DistinctValues): readonly Driver[] {
  if (node === null) return [];
  return (node.kind === 'and' ? node.nodes : [node]).flatMap((child) => {
    const index = child.kind === 'term' ? DRIVER_INDEXES[child.term.key] : undefined;
    const sql = index === undefined ? null : compileFilter(child, distinct, noCandidates);
    return index === undefined || sql === null ? [] : [{ index, sql }];
  });
}

const noCandidates: FindCandidates = () => null;

/** Texts that every match of a filter contains somewhere in what is indexed. */
export function searchedTexts(node: FilterNode | null): readonly string[] {
  if (node === null) return [];
  return (node.kind === 'and' ? node.nodes : [node]).flatMap((child) => {
    const text = child.kind === 'term' ? searchedText(child.term) : null;
    return text === null ? [] : [text];
  });
}

/** What an exchange must contain to meet a term; null when it need not contain anything. */
function searchedText(term: FilterTerm): string | null {
  switch (term.key) {
    case 'any':
    case 'text':
    case 'body':
      return term.text;
    case 'header':
      return term.value !== null && term.value.length >= term.name.length ? term.value : term.name;
    default:
      return null;
  }
}

class Compiler {
  readonly parameters: (string | number)[] = [];
  deep = false;
  readonly #distinct: DistinctValues;
  readonly #candidates: FindCandidates;

  constructor(distinct: DistinctValues, candidates: FindCandidates) {
    this.#distinct = distinct;
    this.#candidates = candidates;
  }

  node(node: FilterNode): string {
    switch (node.kind) {
      case 'and':
      case 'or':
        return `(${this.#cheapFirst(node.nodes)
          .map((child) => this.node(child))
          .join(node.kind === 'and' ? ' AND ' : ' OR ')})`;
      case 'not':
        // What is not known (a program, an operation) is not what was named either.
        return `(${this.node(node.node)}) IS NOT TRUE`;
      case 'term':
        return `(${this.#indexed(node.term)})`;
    }
  }

  /** SQLite evaluates from left to right and stops as soon as it can: what looks into bodies comes last. */
  #cheapFirst(nodes: readonly FilterNode[]): readonly FilterNode[] {
    return nodes.toSorted((left, right) => costOf(left) - costOf(right));
  }

  /** Looks only into rows that may contain the term's text, where an index knows them. */
  #indexed(term: FilterTerm): string {
    const text = searchedText(term);
    const candidates = text === null ? null : this.#candidates(text);
    if (candidates === null) return this.#term(term);
    const wasDeep = this.deep;
    const guard = `weir_may_contain(${this.#bind(candidates.slot)}, id)`;
    const condition = this.#term(term);
    this.deep = wasDeep || candidates.ids.size > MANY_CANDIDATES;
    return `${guard} AND (${condition})`;
  }

  #term(term: FilterTerm): string {
    switch (term.key) {
      case 'any':
        return this.#anywhere(term.text);
      case 'host':
        return this.#host(term.text);
      case 'path':
        return this.#like('path', globPattern(term.text));
      case 'url':
        return this.#like(`(${URL_TEXT})`, globPattern(term.text));
      case 'client':
        return this.#like('client_address', globPattern(term.text));
      case 'type':
        return this.#valueContains('media_type', MEDIA_TYPE_ALIASES[term.text.toLowerCase()] ?? term.text);
      case 'error':
        return `error IS NOT NULL AND ${this.#like("json_extract(error, '$.code')", globPattern(term.text))}`;
      case 'app':
        return this.#like('program', globPattern(term.text));
      case 'operation':
        return this.#like('operation', globPattern(term.text));
      case 'model':
      case 'finish':
        return `${IS_LLM} AND ${this.#like(`llm_${term.key}`, globPattern(term.text))}`;
      case 'label':
        return `label = ${this.#bind(term.label)}`;
      case 'comment':
        return `commented <> 0 AND (SELECT ${this.#like('comment', globPattern(term.text))}
          FROM exchange_detail WHERE exchange_id = exchange.id)`;
      case 'text':
        return this.#words(term.text);
      case 'anomaly':
        return this.#like('anomalies', globPattern(term.text));
      case 'method':
        return this.#valueIn('method', (value) => value.toLowerCase() === term.text);
      case 'scheme':
        return `scheme = ${this.#bind(term.text)}`;
      case 'protocol':
        return `client_protocol = ${this.#bind(term.text)} OR coalesce(origin_protocol, '') = ${this.#bind(term.text)}`;
      case 'status':
      case 'port':
      case 'size':
      case 'dur':
        return this.#range(NUMBER_COLUMNS[term.key], term.key === 'status' ? 1 : 0, term.least, term.most);
      case 'tokens':
        return `${IS_LLM} AND max(llm_prompt_tokens, llm_completion_tokens) >= 0
          AND ${this.#range(TOKENS, 0, term.least, term.most)}`;
      case 'ttft':
        return `${IS_LLM} AND ${this.#range('llm_first_token', 0, term.least, term.most)}`;
      case 'is':
        return IS_CONDITIONS[term.flag];
      case 'has':
        return HAS_CONDITIONS[term.flag];
      case 'header':
        return this.#header(term.name, term.value);
      case 'body':
        return this.#body(term.text, false);
    }
  }

  #anywhere(text: string): string {
    const literal = literalPattern(text);
    const columns = [this.#like(`(${URL_TEXT})`, literal), this.#like('method', literal)];
    return [...columns, this.#heads(text, false), this.#body(text, false)].join(' OR ');
  }

  #words(text: string): string {
    const columns = [
      `weir_has_words(${this.#bind(text)}, ${URL_TEXT})`,
      `lower(method) = ${this.#bind(text.toLowerCase())}`,
    ];
    return [...columns, this.#heads(text, true), this.#body(text, true)].join(' OR ');
  }

  #heads(text: string, whole: boolean): string {
    this.deep = true;
    return `(SELECT weir_heads_contain(${this.#bind(text)}, ${whole ? '1' : '0'}, request_head, response_head)
      FROM exchange_detail WHERE exchange_id = exchange.id)`;
  }

  #header(name: string, value: string | null): string {
    this.deep = true;
    return `(SELECT weir_header_contains(${this.#bind(name)}, ${this.#bind(value ?? '')}, request_head, response_head)
      FROM exchange_detail WHERE exchange_id = exchange.id)`;
  }

  #body(text: string, whole: boolean): string {
    this.deep = true;
    const side = (
      name: string,
    ): string => `weir_body_contains(${this.#bind(text)}, ${whole ? '1' : '0'}, ${name}_head, ${name}_body,
      (SELECT hash FROM segment WHERE segment.id = ${name}_body_segment))`;
    return `(SELECT request_body_bytes > 0 AND ${side('request')} OR response_body_bytes > 0 AND ${side('response')}
      FROM exchange_detail WHERE exchange_id = exchange.id)`;
  }

  /** `name:port` also compares the port. */
  #host(text: string): string {
    const withPort = /^([^:]*):(\d+)$/.exec(text);
    if (withPort === null) return this.#valueContains('host', text.replace(/^\[(.*)\]$/, '$1'));
    return `${this.#valueContains('host', withPort[1] ?? '')} AND port = ${this.#bind(Number(withPort[2]))}`;
  }

  #valueContains(column: ValueColumn, text: string): string {
    const pattern = new RegExp(patternSource(text), 'is');
    return this.#valueIn(column, (value) => pattern.test(value));
  }

  /** The condition by the column's values. */
  #valueIn(column: ValueColumn, accepts: (value: string) => boolean): string {
    const values = this.#distinct(column).filter(accepts);
    if (values.length === 0) return '0';
    if (values.length > MOST_VALUES)
      return `${column} IN (SELECT value FROM json_each(${this.#bind(JSON.stringify(values))}))`;
    return `${column} IN (${values.map((value) => this.#bind(value)).join(', ')})`;
  }

  #range(column: string, lowest: number, least: number, most: number): string {
    const from = Math.max(least, lowest);
    if (!Number.isInteger(from) || (from === most && !Number.isInteger(most))) return '0';
    if (most === Infinity) return `${column} >= ${this.#bind(from)}`;
    return `${column} BETWEEN ${this.#bind(from)} AND ${this.#bind(most)}`;
  }

  #like(expression: string, pattern: string): string {
    return `${expression} LIKE ${this.#bind(pattern)} ESCAPE '\\'`;
  }

  #bind(value: string | number): string {
    this.parameters.push(value);
    return '?';
  }
}

function costOf(node: FilterNode): number {
  switch (node.kind) {
    case 'and':
    case 'or':
      return Math.max(...node.nodes.map(costOf));
    case 'not':
      return costOf(node.node);
    case 'term':
      if (node.term.key === 'any' || node.term.key === 'text' || node.term.key === 'body') return 3;
      if (node.term.key === 'header' || node.term.key === 'comment') return 2;
      return node.term.key === 'url' ? 1 : 0;
  }
}

/** A `*` stands for anything, and then the pattern must fit from the beginning to the end. */
function globPattern(text: string): string {
  return text.includes('*') ? escapeLike(text).replaceAll('*', '%') : literalPattern(text);
}

function literalPattern(text: string): string {
  return `%${escapeLike(text)}%`;
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}

function patternSource(text: string): string {
  const escaped = text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return text.includes('*') ? `^${escaped}$` : escaped;
}
