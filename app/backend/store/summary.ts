import type { AnomalyCode, BodyCapture, ExchangeError, ExchangeSummary, LlmSummary } from '#contract';

/** A row of the `exchange` table. */
export interface ExchangeRow {
  readonly id: number;
  readonly session_id: number;
  readonly kind: string;
  readonly state: string;
  readonly started_at: number;
  readonly duration: number;
  readonly method: string;
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly status: number;
  readonly media_type: string;
  readonly client_address: string;
  readonly client_protocol: string;
  readonly origin_address: string | null;
  readonly origin_protocol: string | null;
  readonly request_body_bytes: number;
  readonly response_body_bytes: number;
  readonly error: string | null;
  readonly anomalies: string;
  readonly bodies: string;
  readonly label: number;
  readonly pinned: number;
  readonly commented: number;
  readonly program: string;
  readonly operation: string;
  readonly messages: number;
  readonly grpc_status: number;
  readonly replay_of: number;
  readonly llm_model: string;
  readonly llm_prompt_tokens: number;
  readonly llm_completion_tokens: number;
  readonly llm_estimated: number;
  readonly llm_first_token: number;
  readonly llm_finish: string;
}

/** Sorted columns hold these instead of NULL. */
export const NO_STATUS = 0;
export const NO_DURATION = -1;
export const NO_COUNT = -1;
export const NO_MEDIA_TYPE = '';
export const NO_GRPC_STATUS = -1;
export const NO_REPLAY = 0;

/** The summary that a row holds; the writer wrote it, so its texts are those of the model. */
export function summaryOfRow(row: ExchangeRow): ExchangeSummary {
  return {
    id: row.id,
    session: row.session_id,
    kind: row.kind as ExchangeSummary['kind'],
    state: row.state as ExchangeSummary['state'],
    startedAt: row.started_at,
    duration: row.duration === NO_DURATION ? null : row.duration,
    method: row.method,
    scheme: row.scheme as ExchangeSummary['scheme'],
    host: row.host,
    port: row.port,
    path: row.path,
    status: row.status === NO_STATUS ? null : row.status,
    mediaType: row.media_type === NO_MEDIA_TYPE ? null : row.media_type,
    client: { address: row.client_address, protocol: row.client_protocol as ExchangeSummary['client']['protocol'] },
    origin: {
      address: row.origin_address,
      protocol: row.origin_protocol as ExchangeSummary['origin']['protocol'],
    },
    requestBodyBytes: row.request_body_bytes,
    responseBodyBytes: row.response_body_bytes,
    error: row.error === null ? null : (JSON.parse(row.error) as ExchangeError),
    anomalies: row.anomalies === '' ? [] : (row.anomalies.split(',') as AnomalyCode[]),
    bodies: row.bodies as BodyCapture,
    label: row.label,
    pinned: row.pinned !== 0,
    commented: row.commented !== 0,
    program: row.program === '' ? null : row.program,
    operation: row.operation === '' ? null : row.operation,
    llm: llmOfRow(row),
    messages: row.messages,
    grpcStatus: row.grpc_status === NO_GRPC_STATUS ? null : row.grpc_status,
    replayOf: row.replay_of === NO_REPLAY ? null : row.replay_of,
  };
}

function llmOfRow(row: ExchangeRow): LlmSummary | null {
  if (row.llm_model === '') return null;
  return {
    model: row.llm_model,
    promptTokens: row.llm_prompt_tokens === NO_COUNT ? null : row.llm_prompt_tokens,
    completionTokens: row.llm_completion_tokens === NO_COUNT ? null : row.llm_completion_tokens,
    isCompletionEstimated: row.llm_estimated !== 0,
    timeToFirstToken: row.llm_first_token === NO_DURATION ? null : row.llm_first_token,
    finishReason: row.llm_finish === '' ? null : row.llm_finish,
  };
}
