import {
  ContractError,
  type BodyWindow,
  type ExchangeDetail,
  type ExchangeId,
  type ExchangeSummary,
  type HeaderField,
  type MessageDetail,
  type MessageSide,
  type MessageSummary,
  type Redaction,
} from '#contract';
import { decodedBody, messagesOf, payloadOf, type ExportSource } from '../export-source.ts';
import { exactSource, type RawReader, type WeirSource } from '../export-weir.ts';
import { OPCODES, webSocketFrame } from '../websocket-frame.ts';
import type { JsonPath } from './json-path.ts';
import { chooseReading, readJsonPaths, redactEvents, redactMessage } from './redact-body.ts';
import { HeadRedactor, type Blanked } from './redact-head.ts';
import { redactJson } from './redact-json.ts';
import type { RedactionTally } from './redaction-tally.ts';

/** A longer body or message that would have to be searched is left out, bytes decoded. */
const MOST_BODY_BYTES = 33_554_432;
const SIDES = ['request', 'response'] as const;
const UNHEARD: Blanked = () => undefined;

/** What becomes of a body: null when it stays; else it stands without transfer framing. */
type BodyPlan = null | {
  /** What stands in its place; null for the stored bytes. */
  readonly bytes: Buffer | null;
  readonly length: number;
};

interface Planned {
  readonly id: ExchangeId;
  readonly detail: ExchangeDetail;
  readonly bodies: Readonly<Record<MessageSide, BodyPlan>>;
}

/** Reads exchanges of a source with everything blanked that a redaction names. Exports see nothing else. */
export class RedactedSource implements ExportSource, WeirSource {
  readonly #source: ExportSource & RawReader;
  readonly #exact: WeirSource;
  readonly #tally: RedactionTally;
  readonly #heads: HeadRedactor;
  readonly #paths: readonly JsonPath[];
  /** Exports ask for one exchange after the other. */
  #planned: Planned | null = null;

  /** @throws ContractError `bad-input` for a JSON path that cannot be read */
  constructor(source: ExportSource & RawReader, redaction: Redaction, tally: RedactionTally) {
    const read = readJsonPaths(redaction.jsonPaths);
    if ('wrong' in read) {
      throw new ContractError(
        'bad-input',
        `${JSON.stringify(read.wrong)} is no JSON path. Write one like $.user.token, $..password or items[*].id.`,
      );
    }
    this.#source = source;
    this.#exact = exactSource(source);
    this.#tally = tally;
    this.#heads = new HeadRedactor(redaction);
    this.#paths = read.paths;
  }

  /** The exchange as it leaves. It is counted. */
  async get(id: ExchangeId): Promise<ExchangeDetail> {
    this.#planned = null;
    const planned = await this.#plan(await this.#source.get(id));
    this.#planned = planned;
    this.#tally.leaves(planned.detail);
    return planned.detail;
  }

  async readBody(input: Parameters<ExportSource['readBody']>[0]): Promise<BodyWindow> {
    const plan = this.#current(input.id).bodies[input.side];
    const replaced = plan?.bytes ?? null;
    if (replaced === null) return this.#source.readBody(input);
    const bytes = Uint8Array.from(replaced.subarray(input.offset, input.offset + input.length));
    return { bytes, totalBytes: replaced.length, stopped: null };
  }

  messagePage(input: Parameters<ExportSource['messagePage']>[0]): ReturnType<ExportSource['messagePage']> {
    return this.#source.messagePage(input);
  }

  /** A message is searched when its beginning is asked for. */
  async messageRead(input: Parameters<ExportSource['messageRead']>[0]): Promise<BodyWindow> {
    if (this.#paths.length === 0) return this.#source.messageRead(input);
    const after = { exchange: input.exchange, after: input.sequence - 1, limit: 1 };
    const { rows } = await this.#source.messagePage({ ...after, filter: { side: null, kinds: [], text: '' } });
    const [message] = rows;
    const { summary } = this.#current(input.exchange).detail;
    const payload = message?.sequence === input.sequence ? await this.#payload(message, summary) : Buffer.alloc(0);
    const bytes = Uint8Array.from(payload.subarray(input.offset));
    return { bytes, totalBytes: payload.length, stopped: null };
  }

  async head(id: ExchangeId, side: MessageSide, as: 'received' | 'sent'): Promise<Buffer> {
    const plan = this.#current(id).bodies[side];
    const head = await this.#exact.head(id, side, as);
    return this.#heads.head(head, UNHEARD, (lines) => linesWithLength(lines, plan, head[0] === 0x3a));
  }

  /** The head was longer before something in it was blanked, so its length is asked for again. */
  async *rest(id: ExchangeId, side: MessageSide): AsyncGenerator<Buffer> {
    const { bodies, detail } = this.#current(id);
    const plan = bodies[side];
    if (detail.summary.kind === 'websocket' && this.#paths.length > 0) yield* this.#frames(detail, side);
    else if (plan === null) {
      const before = detail[side] === null ? 0 : (await this.#exact.head(id, side, 'received')).length;
      yield* this.#exact.rest(id, side, before);
    } else if (plan.bytes === null) yield* storedBody(this.#source, id, side);
    else yield plan.bytes;
  }

  #current(id: ExchangeId): Planned {
    if (this.#planned?.id !== id) throw new Error('An export reads exchanges one after the other.');
    return this.#planned;
  }

  async #plan(detail: ExchangeDetail): Promise<Planned> {
    // A blanked parameter stands in the start line too, where it is counted.
    const summary = { ...detail.summary, path: this.#heads.url(detail.summary.path, UNHEARD) };
    const notes: string[] = [];
    const bodies: Record<MessageSide, BodyPlan> = { request: null, response: null };
    for (const side of SIDES) {
      const message = detail[side];
      if (message !== null) bodies[side] = await this.#planBody(summary, side, message, notes);
    }
    // Bytes of relays and tunnels have no form that could be known.
    const relayed = summary.kind !== 'http' && summary.kind !== 'websocket';
    if (this.#paths.length > 0 && relayed) this.#tally.other();
    const blanked =
      (place: string): Blanked =>
      (kind, name, leaves) => {
        const what = kind === 'parameters' ? 'parameter' : kind === 'cookies' ? 'cookie' : 'header';
        this.#tally.blanked(summary, kind, `${place} ${what}`, name, leaves);
      };
    const message = (side: MessageSide): MessageDetail | null => {
      const found = detail[side];
      return found === null ? null : this.#message(found, bodies[side], blanked(side), isHttp2(found));
    };
    const request = message('request');
    const response = message('response');
    const size = (side: MessageSide, before: number): number => bodies[side]?.bytes?.length ?? before;
    return {
      id: summary.id,
      bodies,
      detail: {
        ...detail,
        summary: {
          ...summary,
          requestBodyBytes: size('request', summary.requestBodyBytes),
          responseBodyBytes: size('response', summary.responseBodyBytes),
        },
        request,
        response,
        informational: detail.informational.map(({ startLine, headers }) => ({
          startLine,
          headers: this.#heads.fields(headers, blanked('response')),
        })),
        comment: [detail.comment, ...notes].filter((text) => text !== '').join('\n'),
      },
    };
  }

  #message(message: MessageDetail, plan: BodyPlan, blanked: Blanked, http2: boolean): MessageDetail {
    const { sent } = message;
    const change = (fields: readonly HeaderField[]): readonly HeaderField[] => fieldsWithLength(fields, plan, http2);
    return {
      ...message,
      startLine: this.#heads.url(message.startLine, blanked),
      headers: change(this.#heads.fields(message.headers, blanked)),
      trailers: this.#heads.fields(message.trailers, blanked),
      sent:
        sent === null
          ? null
          : {
              startLine: this.#heads.url(sent.startLine, UNHEARD),
              headers: change(this.#heads.fields(sent.headers, UNHEARD)),
            },
      ...(plan === null || plan.bytes === null
        ? {}
        : { bodyBytes: plan.length, storedBytes: plan.length, contentEncoding: [] }),
    };
  }

  /** @param summary as it leaves */
  async #planBody(
    summary: ExchangeSummary,
    side: MessageSide,
    message: MessageDetail,
    notes: string[],
  ): Promise<BodyPlan> {
    const { id, kind } = summary;
    // Trailers stand in the framing of HTTP/1 a second time.
    let framed = false;
    this.#heads.fields(message.trailers, () => (framed = true));
    const kept: BodyPlan = framed && !isHttp2(message) ? { bytes: null, length: message.storedBytes } : null;
    const searches = this.#paths.length > 0 || this.#heads.blanksParameters;
    if (!searches || message.storedBytes === 0 || kind === 'websocket') return kept;
    const begin = await this.#source.readBody({ id, side, form: 'decoded', offset: 0, length: 64 });
    const hasPaths = this.#paths.length > 0;
    const reading = chooseReading(message.mediaType, Buffer.from(begin.bytes).toString('latin1'), hasPaths);
    if (reading === null) {
      if (hasPaths) this.#tally.other();
      return kept;
    }
    const { bytes, problem } = await this.#decoded(id, side);
    if (reading.kind === 'form') {
      // A form that was cut has no part that could be read differently.
      if (problem === 'too-long' || problem === 'not-decoded') return this.#leaveOut(summary, side, problem, notes);
      return this.#form(summary, side, bytes, kept);
    }
    const text = bytes.toString('latin1');
    const redacted =
      problem !== null
        ? null
        : reading.kind === 'json'
          ? redactJson(text, this.#paths)
          : redactEvents(text, this.#paths);
    if (redacted === null) {
      if (reading.kind === 'events' || reading.mustParse)
        return this.#leaveOut(summary, side, problem ?? 'no-json', notes);
      this.#tally.other();
      return kept;
    }
    this.#tally.blankedJson(summary, `${side} body`, redacted.name, redacted.values);
    return redacted.values === 0 ? kept : replacedBy(Buffer.from(redacted.text, 'latin1'));
  }

  #form(summary: ExchangeSummary, side: MessageSide, bytes: Buffer, kept: BodyPlan): BodyPlan {
    let changed = false;
    const text = this.#heads.form(bytes.toString('latin1'), (kind, name, leaves) => {
      changed = true;
      this.#tally.blanked(summary, kind, `${side} form`, name, leaves);
    });
    return changed ? replacedBy(Buffer.from(text, 'latin1')) : kept;
  }

  #leaveOut(summary: ExchangeSummary, side: MessageSide, problem: Problem, notes: string[]): BodyPlan {
    this.#tally.leavesOut(summary, `${side} body`, REASONS[problem]);
    notes.push(`Weir left the ${side} body out of this export, since ${REASONS[problem]}.`);
    return replacedBy(Buffer.alloc(0));
  }

  async #decoded(id: ExchangeId, side: MessageSide): Promise<{ bytes: Buffer; problem: Problem | null }> {
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of decodedBody(this.#source, { id }, side)) {
      length += piece.length;
      if (length > MOST_BODY_BYTES) return { bytes: Buffer.alloc(0), problem: 'too-long' };
      pieces.push(piece);
    }
    const end = await this.#source.readBody({ id, side, form: 'decoded', offset: length, length: 1 });
    const problem = end.stopped === null ? null : end.stopped === 'cut' ? 'cut' : 'not-decoded';
    return { bytes: Buffer.concat(pieces), problem };
  }

  /** @param summary of its exchange, as it leaves */
  async #payload(message: MessageSummary, summary: ExchangeSummary): Promise<Buffer> {
    const { sequence, kind, marks } = message;
    const what = `message ${String(sequence)}`;
    const left = (problem: Problem): Buffer => {
      this.#tally.leavesOut(summary, what, REASONS[problem]);
      return Buffer.alloc(0);
    };
    if (message.bytes > MOST_BODY_BYTES) return left('too-long');
    const unread = marks.includes('not-inflated') || marks.includes('bomb');
    if (unread) return left('not-decoded');
    const pieces: Buffer[] = [];
    for await (const piece of payloadOf(this.#source, message)) pieces.push(piece);
    const payload = Buffer.concat(pieces);
    if (kind !== 'text') {
      if (kind === 'binary') this.#tally.other();
      return payload;
    }
    const redacted = redactMessage(payload.toString('latin1'), this.#paths);
    if (redacted === 'other') this.#tally.other();
    if (redacted === 'other') return payload;
    if (redacted === null) return left('no-json');
    this.#tally.blankedJson(summary, 'message', redacted.name, redacted.values);
    return Buffer.from(redacted.text, 'latin1');
  }

  /** The messages of one side, each as one frame without compression: the frames as they came hold what is blanked. */
  async *#frames({ summary }: ExchangeDetail, side: MessageSide): AsyncGenerator<Buffer> {
    for await (const message of messagesOf(this.#source, summary)) {
      const opcode = OPCODES.get(message.kind);
      if (message.side !== side || opcode === undefined) continue;
      yield webSocketFrame(side, opcode, await this.#payload(message, summary));
    }
  }
}

type Problem = 'too-long' | 'cut' | 'not-decoded' | 'no-json';

/** Each completes "left out, since …". */
const REASONS: Readonly<Record<Problem, string>> = {
  'too-long': 'it is longer than 32 MiB and was not searched for values to blank',
  cut: 'it was not recorded whole and could not be searched for values to blank',
  'not-decoded': 'it could not be decoded, so no value in it could be blanked',
  'no-json': 'it could not be read as JSON, so no value in it could be blanked',
};

async function* storedBody(source: ExportSource, id: ExchangeId, side: MessageSide): AsyncGenerator<Buffer> {
  for (let offset = 0; ;) {
    const { bytes } = await source.readBody({ id, side, form: 'stored', offset, length: 262_144 });
    if (bytes.length === 0) return;
    offset += bytes.length;
    yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

function isHttp2({ startLine }: MessageDetail): boolean {
  return startLine === '';
}

function replacedBy(bytes: Buffer): BodyPlan {
  return { bytes, length: bytes.length };
}

/** What a head must not say any more of a body that was changed. */
function isUntrue(name: string, plan: NonNullable<BodyPlan>): boolean {
  const lower = name.trim().toLowerCase();
  return lower === 'transfer-encoding' || (plan.bytes !== null && lower === 'content-encoding');
}

function fieldsWithLength(fields: readonly HeaderField[], plan: BodyPlan, http2: boolean): readonly HeaderField[] {
  if (plan === null) return fields;
  const length = String(plan.length);
  const kept = fields.filter(([name]) => !isUntrue(name, plan));
  const known = kept.some(([name]) => isLength(name));
  if (!known) return http2 ? kept : [...kept, ['Content-Length', length]];
  return kept.map(([name, value]) => [name, isLength(name) ? length : value]);
}

/** The same for the lines of a head; the first one is its start line, or empty. */
function linesWithLength(lines: string[], plan: BodyPlan, http2: boolean): string[] {
  if (plan === null) return lines;
  const nameOf = (line: string): string => line.slice(0, Math.max(0, line.indexOf(':', 1)));
  const length = String(plan.length);
  const kept = lines.filter((line, at) => at === 0 || !isUntrue(nameOf(line), plan));
  const known = kept.some((line, at) => at > 0 && isLength(nameOf(line)));
  if (!known) return http2 ? kept : [...kept, `Content-Length: ${length}\r\n`];
  return kept.map((line, at) => (at > 0 && isLength(nameOf(line)) ? `${nameOf(line)}: ${length}\r\n` : line));
}

function isLength(name: string): boolean {
  return name.trim().toLowerCase() === 'content-length';
}
