import type { LlmFacts, MessageSide } from '#contract';
import type { ExchangeDetails, StoredExchange } from '../exchange-detail.ts';
import { readLlmFacts, type LlmEvent } from './llm-facts.ts';
import type { MessageQueries } from './message-queries.ts';

/** Longest body of JSON that is read for it; longer ones (with pictures inside) are not. */
const LONGEST_BODY_BYTES = 8_388_608;
/** Longest event of a stream that is read for it. */
const LONGEST_EVENT_BYTES = 1_048_576;

/** Reads a body as text, decoded; null when that cannot be done within `mostBytes`. */
export type BodyText = (id: number, side: MessageSide, mostBytes: number) => Promise<string | null>;

/** Looks whether an exchange is a call of a language model, by what is stored of it. */
export class LlmQueries {
  readonly #details: ExchangeDetails;
  readonly #messages: MessageQueries;
  readonly #bodyText: BodyText;

  constructor(details: ExchangeDetails, messages: MessageQueries, bodyText: BodyText) {
    this.#details = details;
    this.#messages = messages;
    this.#bodyText = bodyText;
  }

  /** Null: it is none. @throws ContractError `not-found` */
  async facts(id: number): Promise<LlmFacts | null> {
    const stored = this.#details.find(id);
    if (!mayBeLlm(stored)) return null;
    const isStream = stored.row.media_type === 'text/event-stream';
    return readLlmFacts({
      startedAt: stored.row.started_at,
      cancelled: stored.row.error !== null && /"client\.(cancelled|cut-short)"/.test(stored.row.error),
      requestText: await this.#bodyText(id, 'request', LONGEST_BODY_BYTES),
      responseText: isStream ? null : await this.#bodyText(id, 'response', LONGEST_BODY_BYTES),
      events: isStream ? this.#events(id) : [],
    });
  }

  *#events(id: number): Generator<LlmEvent> {
    for (const { summary, payload } of this.#messages.payloads(id, 'response', LONGEST_EVENT_BYTES)) {
      yield { summary, data: payload.toString('utf8') };
    }
  }
}

/** Only a POST that is answered by JSON or events can be one. */
function mayBeLlm({ row }: StoredExchange): boolean {
  return row.method === 'POST' && (row.media_type === 'application/json' || row.media_type === 'text/event-stream');
}
