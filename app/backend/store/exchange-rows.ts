import type { Database, Statement } from 'better-sqlite3';
import type { ConnectionRecord } from '../../../proxy-engine/batches.ts';
import type { ExchangeId, LlmSummary, SessionId } from '#contract';
import type { FrameChunk } from './frames/frame-chunks.ts';
import { FrameRows } from './frames/frame-rows.ts';
import { MessageRows } from './messages/message-rows.ts';
import type { PendingExchange, PendingMessage } from './pending-exchange.ts';
import type { RunCollector, StoredRun } from './run-collector.ts';
import { NO_COUNT, NO_DURATION, NO_GRPC_STATUS, NO_MEDIA_TYPE, NO_REPLAY, NO_STATUS } from './summary.ts';

/** As an insert names them; those that are not here begin with their defaults. */
const INSERT_EXCHANGE_COLUMNS = [
  'id',
  'session_id',
  'kind',
  'state',
  'started_at',
  'duration',
  'method',
  'scheme',
  'host',
  'port',
  'path',
  'status',
  'media_type',
  'client_address',
  'client_protocol',
  'origin_address',
  'origin_protocol',
  'request_body_bytes',
  'response_body_bytes',
  'error',
  'anomalies',
  'bodies',
  'label',
  'pinned',
  'commented',
  'program',
  'operation',
  'messages',
  'grpc_status',
  'replay_of',
] as const;

const INSERT_DETAIL_COLUMNS = [
  'exchange_id',
  'client_connection',
  'origin_connection',
  'origin_reused',
  'client_stream',
  'origin_stream',
  'time_dns',
  'time_connect',
  'time_tls',
  'time_sent',
  'time_first_byte',
  'time_end',
  'request_sent_framing',
  'response_sent_framing',
  'request_body_segment',
  'response_body_segment',
  'request_framing_segment',
  'response_framing_segment',
  'comment',
  'request_head',
  'request_sent_head',
  'response_head',
  'response_sent_head',
  'informational',
  'request_trailers',
  'response_trailers',
  'request_framing',
  'response_framing',
  'request_body',
  'response_body',
] as const;

/** Heads and trailers come once; null leaves what an earlier commit stored. */
const UPDATE_DETAIL = `UPDATE exchange_detail SET
  origin_connection = ?, origin_reused = ?, origin_stream = ?,
  time_dns = ?, time_connect = ?, time_tls = ?, time_sent = ?, time_first_byte = ?, time_end = ?,
  request_sent_framing = ?, response_sent_framing = ?,
  request_body_segment = ?, response_body_segment = ?, request_framing_segment = ?, response_framing_segment = ?,
  request_sent_head = coalesce(?, request_sent_head),
  response_head = coalesce(?, response_head), response_sent_head = coalesce(?, response_sent_head),
  informational = ?,
  request_trailers = coalesce(?, request_trailers), response_trailers = coalesce(?, response_trailers),
  request_framing = ?, response_framing = ?, request_body = ?, response_body = ?
  WHERE exchange_id = ?`;

const UPDATE_EXCHANGE = `UPDATE exchange SET
  state = ?, duration = ?, status = ?, media_type = ?, origin_address = ?, origin_protocol = ?,
  request_body_bytes = ?, response_body_bytes = ?, error = ?, anomalies = ?, bodies = ?,
  program = ?, operation = ?, messages = ?, grpc_status = ?
  WHERE id = ?`;

/** Few exchanges are calls of models: the others pay nothing for these columns. */
const UPDATE_LLM = `UPDATE exchange SET
  llm_model = ?, llm_prompt_tokens = ?, llm_completion_tokens = ?, llm_estimated = ?, llm_first_token = ?, llm_finish = ?
  WHERE id = ?`;

/** A run as its columns hold it. */
interface RunColumns {
  readonly inline: Buffer | null;
  readonly segment: number | null;
}

const NO_RUN: RunColumns = { inline: null, segment: null };
const NO_HEAD = Buffer.alloc(0);

/** Writes exchanges, connections and segments as rows, inside a transaction that the caller holds. */
export class ExchangeRows {
  readonly #insertExchange: Statement;
  readonly #insertDetail: Statement;
  readonly #updateExchange: Statement;
  readonly #updateDetail: Statement;
  readonly #updateLlm: Statement;
  readonly #insertConnection: Statement;
  readonly #copyConnection: Statement;
  readonly #useSegment: Statement;
  readonly #messages: MessageRows;
  readonly #frames: FrameRows;

  constructor(database: Database) {
    this.#messages = new MessageRows(database);
    this.#frames = new FrameRows(database);
    const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');
    this.#insertExchange = database.prepare(
      `INSERT INTO exchange (${INSERT_EXCHANGE_COLUMNS.join(', ')}) VALUES (${marks(INSERT_EXCHANGE_COLUMNS.length)})`,
    );
    this.#insertDetail = database.prepare(
      `INSERT INTO exchange_detail (${INSERT_DETAIL_COLUMNS.join(', ')}) VALUES (${marks(INSERT_DETAIL_COLUMNS.length)})`,
    );
    this.#updateExchange = database.prepare(UPDATE_EXCHANGE);
    this.#updateDetail = database.prepare(UPDATE_DETAIL);
    this.#updateLlm = database.prepare(UPDATE_LLM);
    this.#insertConnection = database.prepare('INSERT OR REPLACE INTO connection VALUES (?, ?, ?, ?, ?, ?)');
    this.#copyConnection = database.prepare(
      `INSERT OR IGNORE INTO connection
       SELECT ?, id, side, address, protocol, tls FROM connection WHERE id = ? ORDER BY session_id DESC LIMIT 1`,
    );
    this.#useSegment = database
      .prepare(
        `INSERT INTO segment (hash, bytes, refs) VALUES (?, ?, 1)
         ON CONFLICT (hash) DO UPDATE SET refs = refs + 1 RETURNING id`,
      )
      .pluck();
  }

  write(exchange: PendingExchange): void {
    if (exchange.stored) this.#update(exchange);
    else this.#insert(exchange);
    const { messages, llm } = exchange;
    if (llm !== null) this.#setLlm(exchange.begin.id, llm);
    if (messages !== null) {
      this.#messages.write(exchange.begin.id, messages, exchange.end !== null, (hash, bytes) => this.#use(hash, bytes));
    }
  }

  connection(session: SessionId, record: ConnectionRecord): void {
    const tls = record.tls === null ? null : JSON.stringify(record.tls);
    this.#insertConnection.run(session, record.id, record.side, record.address, record.protocol, tls);
  }

  /** @param newest the youngest exchange by now */
  frames(chunk: FrameChunk, newest: ExchangeId): void {
    this.#frames.write(chunk, newest);
  }

  /** A connection that outlives its session is known to the next one too. */
  adoptConnection(session: SessionId, id: number): void {
    this.#copyConnection.run(session, id);
  }

  #setLlm(id: ExchangeId, llm: LlmSummary): void {
    this.#updateLlm.run(
      llm.model,
      llm.promptTokens ?? NO_COUNT,
      llm.completionTokens ?? NO_COUNT,
      llm.isCompletionEstimated ? 1 : 0,
      llm.timeToFirstToken ?? NO_DURATION,
      llm.finishReason ?? '',
      id,
    );
  }

  #insert(exchange: PendingExchange): void {
    const { begin, end, request, response, summary } = exchange;
    const { error } = summary;
    this.#insertExchange.run(
      begin.id,
      exchange.session,
      begin.kind,
      summary.state,
      begin.startedAt,
      summary.duration ?? NO_DURATION,
      begin.method,
      begin.scheme,
      begin.host,
      begin.port,
      begin.path,
      summary.status ?? NO_STATUS,
      summary.mediaType ?? NO_MEDIA_TYPE,
      begin.clientAddress,
      begin.clientProtocol,
      exchange.originAddress,
      exchange.originProtocol,
      summary.requestBodyBytes,
      summary.responseBodyBytes,
      error === null ? null : JSON.stringify(error),
      summary.anomalies.join(','),
      summary.bodies,
      0,
      0,
      0,
      exchange.program ?? '',
      exchange.operation ?? '',
      summary.messages,
      summary.grpcStatus ?? NO_GRPC_STATUS,
      summary.replayOf ?? NO_REPLAY,
    );
    const requestBody = this.#columns(request.body, end !== null);
    const responseBody = this.#columns(response.body, end !== null);
    const requestFraming = this.#columns(request.framing, end !== null);
    const responseFraming = this.#columns(response.framing, end !== null);
    const timing = end?.timing;
    this.#insertDetail.run(
      begin.id,
      begin.clientConnection,
      exchange.originConnection,
      exchange.originReused ? 1 : 0,
      begin.clientStream ?? 0,
      exchange.originStream,
      timing?.dns ?? null,
      timing?.connect ?? null,
      timing?.tls ?? null,
      timing?.sent ?? null,
      timing?.firstByte ?? null,
      timing?.end ?? null,
      end?.sentRequestFraming ?? 'as-received',
      end?.sentResponseFraming ?? 'as-received',
      requestBody.segment,
      responseBody.segment,
      requestFraming.segment,
      responseFraming.segment,
      '',
      request.head ?? NO_HEAD,
      request.sentHead,
      response.head,
      response.sentHead,
      exchange.informational,
      request.trailers,
      response.trailers,
      requestFraming.inline,
      responseFraming.inline,
      requestBody.inline,
      responseBody.inline,
    );
  }

  #update(exchange: PendingExchange): void {
    const { begin, end, request, response, summary } = exchange;
    const { error } = summary;
    this.#updateExchange.run(
      summary.state,
      summary.duration ?? NO_DURATION,
      summary.status ?? NO_STATUS,
      summary.mediaType ?? NO_MEDIA_TYPE,
      exchange.originAddress,
      exchange.originProtocol,
      summary.requestBodyBytes,
      summary.responseBodyBytes,
      error === null ? null : JSON.stringify(error),
      summary.anomalies.join(','),
      summary.bodies,
      exchange.program ?? '',
      exchange.operation ?? '',
      summary.messages,
      summary.grpcStatus ?? NO_GRPC_STATUS,
      begin.id,
    );
    const requestBody = this.#columns(request.body, end !== null);
    const responseBody = this.#columns(response.body, end !== null);
    const requestFraming = this.#columns(request.framing, end !== null);
    const responseFraming = this.#columns(response.framing, end !== null);
    const timing = end?.timing;
    this.#updateDetail.run(
      exchange.originConnection,
      exchange.originReused ? 1 : 0,
      exchange.originStream,
      timing?.dns ?? null,
      timing?.connect ?? null,
      timing?.tls ?? null,
      timing?.sent ?? null,
      timing?.firstByte ?? null,
      timing?.end ?? null,
      end?.sentRequestFraming ?? 'as-received',
      end?.sentResponseFraming ?? 'as-received',
      requestBody.segment,
      responseBody.segment,
      requestFraming.segment,
      responseFraming.segment,
      request.sentHead,
      response.head,
      response.sentHead,
      exchange.informational,
      request.trailers,
      response.trailers,
      requestFraming.inline,
      responseFraming.inline,
      requestBody.inline,
      responseBody.inline,
      begin.id,
    );
  }

  /** The run must have settled or finished before the transaction began. */
  #columns(run: RunCollector | null, ended: boolean): RunColumns {
    if (run === null) return NO_RUN;
    if (!ended) return { inline: run.inline, segment: null };
    const stored: StoredRun = run.finish();
    if (stored.segment === null) return { inline: stored.inline, segment: null };
    return { inline: null, segment: this.#use(stored.segment.hash, stored.segment.bytes) };
  }

  #use(hash: Buffer, bytes: number): number {
    return this.#useSegment.get(hash, bytes) as number;
  }
}

/** Does the input and output of every run, so that rows can be written without touching a file. */
export function settleRuns(exchange: PendingExchange): unknown {
  for (const message of [exchange.request, exchange.response]) settleMessage(message, exchange.end !== null);
  const messages = exchange.messages?.settle(exchange.end !== null) ?? null;
  return (
    messages ??
    exchange.request.body.failure ??
    exchange.response.body.failure ??
    exchange.request.framing?.failure ??
    exchange.response.framing?.failure ??
    null
  );
}

function settleMessage(message: PendingMessage, ended: boolean): void {
  for (const run of [message.body, message.framing]) {
    if (run === null) continue;
    if (ended) run.finish();
    else run.settle();
  }
}
