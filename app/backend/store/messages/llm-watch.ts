import type { LlmSummary } from '#contract';
import { codingFor } from '../decode/codings.ts';
import { contentCodingsOf, parseHead } from '../head-fields.ts';
import { LlmReader } from './llm-facts.ts';

/** Longest whole answer that is read for the list, bytes as it passes and decoded. */
const MOST_BODY_BYTES = 262_144;
const MOST_DECODED_BYTES = 1_048_576;
/** Longest event that is read. */
const MOST_EVENT_BYTES = 1_048_576;
/** A stream whose first events are none of a model's is looked at no longer. */
const MOST_OTHER_EVENTS = 16;
/** Longest names that are kept, characters. */
const MOST_MODEL = 120;
const MOST_FINISH = 40;

/** Where servers that speak OpenAI's interface answer as a whole; any path may stream. */
const PATHS = /\/(?:completions|responses)\/?(?:\?|$)/;

/**
 * What looks at an answer for the list while it is recorded. Null for nearly all exchanges, which cost no more than these
 * comparisons.
 *
 * @param head of the response
 * @param mediaType of the response
 */
export function watchLlm(
  request: { readonly method: string; readonly path: string; readonly startedAt: number },
  head: Buffer,
  mediaType: string | null,
): LlmWatch | null {
  if (request.method !== 'POST') return null;
  if (mediaType === 'text/event-stream') return new LlmWatch(request.startedAt, null);
  if (mediaType !== 'application/json' || !PATHS.test(request.path)) return null;
  return new LlmWatch(request.startedAt, contentCodingsOf(parseHead(head).headers));
}

/** Reads a call of a language model while it is recorded, in the writer's thread and within bounds. */
export class LlmWatch {
  readonly #reader: LlmReader;
  readonly #codings: readonly string[] | null;
  #otherEvents = 0;
  #body: Buffer[] = [];
  #bodyBytes = 0;

  /**
   * @param startedAt of the exchange, microseconds since the Unix epoch
   * @param codings of a whole answer, in order of application; null for a stream of events
   */
  constructor(startedAt: number, codings: readonly string[] | null) {
    this.#reader = new LlmReader(startedAt);
    this.#codings = codings;
  }

  /** A piece of the answer's body. @param bytes borrowed until the next commit */
  receive(bytes: Buffer): void {
    if (this.#codings === null || this.#bodyBytes > MOST_BODY_BYTES) return;
    this.#bodyBytes += bytes.length;
    if (this.#bodyBytes > MOST_BODY_BYTES) this.#body = [];
    else this.#body.push(Buffer.from(bytes));
  }

  /**
   * An event of the answer.
   * @param time microseconds since the Unix epoch
   */
  event(data: Buffer, time: number): void {
    if (this.#otherEvents >= MOST_OTHER_EVENTS || data.length > MOST_EVENT_BYTES) return;
    this.#reader.addEvent(data.toString('utf8'), time);
    if (!this.#reader.isRecognised) this.#otherEvents += 1;
  }

  /**
   * @param requestBody null when it was long; it names the model where the answer does not
   * @param cancelled the client went away before the end
   * @returns null when it was no call of a language model, or one of a model that nobody named
   */
  finish(requestBody: Buffer | null, cancelled: boolean): LlmSummary | null {
    if (this.#codings !== null) this.#reader.addWhole(decoded(Buffer.concat(this.#body), this.#codings));
    this.#body = [];
    const facts = this.#reader.finish({ requestText: requestBody?.toString('utf8') ?? null, cancelled });
    if (facts === null || facts.model === null || facts.model === '') return null;
    const { promptTokens, completionTokens, isCompletionEstimated, timeToFirstToken, finishReason } = facts;
    return {
      model: facts.model.slice(0, MOST_MODEL),
      promptTokens,
      completionTokens,
      isCompletionEstimated,
      // No event comes in the moment of the request: a file that was read did not say when.
      timeToFirstToken: timeToFirstToken === 0 ? null : timeToFirstToken,
      finishReason: cancelled ? 'cancelled' : (finishReason?.slice(0, MOST_FINISH) ?? null),
    };
  }
}

/** A short body as text, in one step; null when it does not decode within bounds. */
function decoded(body: Buffer, codings: readonly string[]): string | null {
  let bytes = body;
  try {
    for (const name of codings.toReversed()) {
      const coding = codingFor(name, bytes);
      if (coding === null) return null;
      bytes = coding.decodeAtOnce(bytes, MOST_DECODED_BYTES, false).output;
    }
  } catch {
    return null;
  }
  return bytes.toString('utf8');
}
