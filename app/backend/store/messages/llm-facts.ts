import type { LlmFacts, MessageSummary } from '#contract';

/** Characters of what the model wrote that are kept. */
const OUTPUT_CHARACTERS = 16_384;
/** Gaps between events with content that are kept: the first ones of a stream. */
const MOST_GAPS = 65_536;
/** The event that ends a stream. */
const DONE = '[DONE]';

/** One event of a streamed answer. */
export interface LlmEvent {
  readonly summary: Pick<MessageSummary, 'kind' | 'time'>;
  readonly data: string;
}

/** What is known of an exchange that may be a call of a language model. */
export interface LlmSources {
  /** Microseconds since the Unix epoch. */
  readonly startedAt: number;
  /** The client went away before the end. */
  readonly cancelled: boolean;
  /** Decoded bodies as text; null when they are no JSON, too long, or not kept. */
  readonly requestText: string | null;
  readonly responseText: string | null;
  /** Events of the response in order, with their data. */
  readonly events: Iterable<LlmEvent>;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Reads a call of a language model out of an exchange in the form of OpenAI's interface, which many servers speak: chat
 * completions, legacy completions and responses, whole or streamed. Null when it is none.
 */
export function readLlmFacts(sources: LlmSources): LlmFacts | null {
  const reader = new LlmReader(sources.startedAt);
  for (const { summary, data } of sources.events) {
    if (summary.kind === 'event') reader.addEvent(data, summary.time);
  }
  if (!reader.isStreamed) reader.addWhole(sources.responseText);
  return reader.finish(sources);
}

/** Reads one call as its answer comes; what it keeps of a stream is bounded. */
export class LlmReader {
  readonly #startedAt: number;
  readonly #gaps: number[] = [];
  readonly #toolCalls: string[] = [];
  #isStreamed = false;
  #firstContent: number | null = null;
  #lastContent = 0;
  #contents = 0;
  #interface: LlmFacts['interface'] | null = null;
  #model: string | null = null;
  #promptTokens: number | null = null;
  #completionTokens: number | null = null;
  #finishReason: string | null = null;
  #output = '';
  #isOutputCut = false;

  /** @param startedAt of the exchange, microseconds since the Unix epoch */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** What came so far is an answer of a model. */
  get isRecognised(): boolean {
    return this.#interface !== null;
  }

  get isStreamed(): boolean {
    return this.#isStreamed;
  }

  /**
   * One event of a stream.
   * @param time microseconds since the Unix epoch
   */
  addEvent(data: string, time: number): void {
    const chunk = data.trim() === DONE ? null : parseObject(data);
    if (chunk === null) return;
    const type = textOf(chunk['type']);
    if (type?.startsWith('response.') ?? false) this.#addResponseEvent(type ?? '', chunk, time);
    else this.#addCompletion(chunk, time);
  }

  /** A whole answer, decoded; null when it cannot be read. */
  addWhole(text: string | null): void {
    const answer = parseObject(text);
    if (answer === null) return;
    if (answer['object'] === 'response') this.#addResponse(answer, true);
    else this.#addCompletion(answer, null);
  }

  /** Null: it was no call of a language model. */
  finish({ requestText, cancelled }: Pick<LlmSources, 'requestText' | 'cancelled'>): LlmFacts | null {
    if (this.#interface === null) return null;
    const first = this.#firstContent;
    const gaps = this.#gaps.toSorted((one, other) => one - other);
    const isEstimated = this.#completionTokens === null && this.#contents > 0;
    const completionTokens = this.#completionTokens ?? (isEstimated ? this.#contents : null);
    const seconds = first === null ? 0 : (this.#lastContent - first) / 1_000_000;
    return {
      interface: this.#interface,
      streamed: this.#isStreamed,
      model: this.#model ?? textOf(parseObject(requestText)?.['model']),
      promptTokens: this.#promptTokens,
      completionTokens,
      isCompletionEstimated: isEstimated,
      timeToFirstToken: first === null ? null : Math.max(0, first - this.#startedAt),
      gaps: gaps.length === 0 ? null : { median: at(gaps, 0.5), p95: at(gaps, 0.95), longest: at(gaps, 1) },
      tokensPerSecond: seconds > 0 && completionTokens !== null ? completionTokens / seconds : null,
      finishReason: this.#finishReason,
      toolCalls: this.#toolCalls,
      cancelled,
      output: this.#output,
      isOutputCut: this.#isOutputCut,
    };
  }

  /** A completion or a chunk of one. */
  #addCompletion(part: Json, time: number | null): void {
    const choices = listOf(part['choices']);
    const object = textOf(part['object']) ?? '';
    if (!object.includes('completion') && (choices.length === 0 || this.#interface === null)) return;
    this.#interface ??= object.startsWith('chat') ? 'chat' : 'completion';
    if (time !== null) this.#isStreamed = true;
    this.#model ??= textOf(part['model']);
    this.#addUsage(objectOf(part['usage']), 'prompt_tokens', 'completion_tokens');
    let hasContent = false;
    for (const choice of choices) {
      this.#finishReason = textOf(choice['finish_reason']) ?? this.#finishReason;
      const message = objectOf(choice['delta']) ?? objectOf(choice['message']);
      const content = textOf(message?.['content']) ?? textOf(choice['text']) ?? '';
      const reasoning = textOf(message?.['reasoning_content']) ?? textOf(message?.['reasoning']) ?? '';
      this.#write(content);
      const calls = listOf(message?.['tool_calls']);
      for (const call of calls) this.#addToolCall(textOf(objectOf(call['function'])?.['name']));
      hasContent ||= content !== '' || reasoning !== '' || calls.length > 0;
    }
    if (hasContent && time !== null) this.#noteContent(time);
  }

  /** One event of the responses interface. */
  #addResponseEvent(type: string, event: Json, time: number): void {
    this.#interface ??= 'responses';
    this.#isStreamed = true;
    const response = objectOf(event['response']);
    if (response !== null) this.#addResponse(response, false);
    if (type.endsWith('.delta')) {
      if (type === 'response.output_text.delta') this.#write(textOf(event['delta']) ?? '');
      this.#noteContent(time);
    }
    const item = objectOf(event['item']);
    if (type === 'response.output_item.added' && item?.['type'] === 'function_call')
      this.#addToolCall(textOf(item['name']));
  }

  #addResponse(response: Json, withOutput: boolean): void {
    this.#interface ??= 'responses';
    this.#model ??= textOf(response['model']);
    this.#addUsage(objectOf(response['usage']), 'input_tokens', 'output_tokens');
    const status = textOf(response['status']);
    const reason = textOf(objectOf(response['incomplete_details'])?.['reason']);
    if (status !== null && status !== 'in_progress' && status !== 'queued') this.#finishReason = reason ?? status;
    if (!withOutput) return;
    for (const item of listOf(response['output'])) {
      if (item['type'] === 'function_call') this.#addToolCall(textOf(item['name']));
      for (const content of listOf(item['content'])) this.#write(textOf(content['text']) ?? '');
    }
  }

  #noteContent(time: number): void {
    if (this.#firstContent === null) this.#firstContent = time;
    else if (this.#gaps.length < MOST_GAPS) this.#gaps.push(time - this.#lastContent);
    this.#lastContent = time;
    this.#contents += 1;
  }

  #addUsage(usage: Json | null, prompt: string, completion: string): void {
    this.#promptTokens = countOf(usage?.[prompt]) ?? this.#promptTokens;
    this.#completionTokens = countOf(usage?.[completion]) ?? this.#completionTokens;
  }

  #addToolCall(name: string | null): void {
    if (name !== null && name !== '' && this.#toolCalls.length < 64) this.#toolCalls.push(name);
  }

  #write(text: string): void {
    const room = OUTPUT_CHARACTERS - this.#output.length;
    if (text.length > room) this.#isOutputCut = true;
    this.#output += text.slice(0, room);
  }
}

function parseObject(text: string | null): Json | null {
  if (text === null || !text.trimStart().startsWith('{')) return null;
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return null;
  }
}

function objectOf(value: unknown): Json | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

function listOf(value: unknown): Json[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return items.map(objectOf).filter((item) => item !== null);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

/** The value below which that share of the sorted values lies (nearest rank). */
function at(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
