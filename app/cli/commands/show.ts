import type {
  BodyWindow,
  ConnectionFacts,
  ExchangeDetail,
  HeaderField,
  LlmSummary,
  MessageDetail,
  MessageSide,
  MessageSummary,
} from '#contract';
import { ContractError, exchangeUrl, isoMicroseconds, MAX_WINDOW_BYTES, protobufJson, protobufLine } from '#contract';
import { messagesOf, payloadOf } from '../../backend/store/export-source.ts';
import type { StoreReader } from '../../backend/store/store-reader.ts';
import { parseArguments, parseChoice, parseNumber } from '../arguments.ts';
import { detailJson, messageJson } from '../exchange-json.ts';
import { printFrames } from '../frame-lines.ts';
import { messageDecoder } from '../message-schema.ts';
import type { DecodeMessage, TypedMessage } from '../message-schema.ts';
import { print, tell } from '../output.ts';
import { withStore } from '../store-access.ts';
import { durationText, sizeText, terminalText } from '../terminal-text.ts';
import { CommandError, UsageError } from '../usage.ts';

const SIDES = ['request', 'response'] as const;

const STOPPED: Readonly<Record<NonNullable<BodyWindow['stopped']>, string>> = {
  cut: 'The recorded body ends early; this is what there is of it.',
  damaged: 'The body is not what its content encoding says; this is what decodes of it.',
  budget: 'The body decodes to more than Weir decodes of one; this is its beginning.',
  unsupported: 'Weir cannot undo this content coding; these are the bytes as they came.',
};

/** `weir show ID` */
export async function show(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArguments(
    args,
    {
      data: { type: 'string' },
      json: { type: 'boolean', default: false },
      raw: { type: 'string' },
      body: { type: 'string' },
      sent: { type: 'boolean', default: false },
      messages: { type: 'boolean', default: false },
      frames: { type: 'boolean', default: false },
    },
    ['ID'],
  );
  const [idText] = positionals;
  if (idText === undefined)
    throw new UsageError('`weir show` wants the number of an exchange; `weir list` shows them.');
  const id = parseNumber('ID', idText, 0);
  if ([values.json, values.raw !== undefined, values.body !== undefined].filter(Boolean).length > 1) {
    throw new UsageError('--json, --raw and --body exclude each other.');
  }
  if (values.messages && (values.raw !== undefined || values.body !== undefined || values.sent)) {
    throw new UsageError('--messages goes with --json and with nothing else.');
  }
  if (values.frames && (values.raw !== undefined || values.body !== undefined || values.sent || values.messages)) {
    throw new UsageError('--frames goes with --json and with nothing else.');
  }
  const raw = values.raw === undefined ? null : parseChoice('--raw', values.raw, SIDES);
  const body = values.body === undefined ? null : parseChoice('--body', values.body, SIDES);
  const found = await withStore(values.data, async (store) => {
    try {
      if (raw !== null) await printRaw(store, id, raw, values.sent);
      else if (body !== null) await printBody(store, id, body);
      else if (values.messages) await printMessages(store, id, values.json, values.data);
      else if (values.frames) await printFrames(store, await store.get(id), values.json);
      else await printDetail(store, await store.get(id), values);
    } catch (error: unknown) {
      throw error instanceof ContractError ? new CommandError(error.message, { cause: error }) : error;
    }
    return true;
  });
  return found === null ? 1 : 0;
}

interface DetailOptions {
  readonly json: boolean;
  readonly sent: boolean;
  readonly data?: string;
}

async function printDetail(
  store: StoreReader,
  detail: ExchangeDetail,
  { json, sent, data }: DetailOptions,
): Promise<void> {
  if (!json) {
    await print(detailText(detail, sent));
    return;
  }
  // One object on one line; its messages are written one by one, however many there are.
  await print(`${JSON.stringify(detailJson(detail, sent)).slice(0, -1)},"messages":[`);
  const decode = messageDecoder(data, detail);
  let separator = '';
  for await (const message of messagesOf(store, detail.summary)) {
    await print(`${separator}${await messageWithData(store, message, decode)}`);
    separator = ',';
  }
  await print(']}\n');
}

async function printMessages(store: StoreReader, id: number, json: boolean, data: string | undefined): Promise<void> {
  const decode = messageDecoder(data, await store.get(id));
  for await (const message of messagesOf(store, { id })) {
    if (json) await print(`${await messageWithData(store, message, decode)}\n`);
    else await print(messageLine(message, await typedMessage(store, message, decode)));
  }
}

async function wholePayload(store: StoreReader, message: MessageSummary): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of payloadOf(store, message)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** One message as JSON on one line. What was decoded by a schema is written as it is: its numbers keep all their digits. */
async function messageWithData(
  store: StoreReader,
  message: MessageSummary,
  decode: DecodeMessage | null,
): Promise<string> {
  const payload = await wholePayload(store, message);
  const plain = JSON.stringify(messageJson(message, payload));
  const typed = decode?.(message, payload) ?? null;
  if (typed === null) return plain;
  const decoded = protobufJson(typed.node).replace(/\n */g, '');
  return `${plain.slice(0, -1)},"protobuf":{"type":${JSON.stringify(typed.type)},"message":${decoded}}}`;
}

async function typedMessage(
  store: StoreReader,
  message: MessageSummary,
  decode: DecodeMessage | null,
): Promise<TypedMessage | null> {
  if (decode === null || message.kind !== 'grpc') return null;
  return decode(message, await wholePayload(store, message));
}

function messageLine(message: MessageSummary, typed: TypedMessage | null): string {
  const { side, kind, bytes, time, marks, anomalies, preview } = message;
  const arrow = side === 'request' ? '->' : '<-';
  const more = [...marks, ...anomalies];
  const facts = more.length === 0 ? '' : ` (${more.join(', ')})`;
  const columns = [isoMicroseconds(time), arrow, kind.padEnd(8), sizeText(bytes).padStart(9)].join(' ');
  const line = `${columns}${facts} ${terminalText(typed === null ? preview : protobufLine(typed.node))}`;
  return `${line.trimEnd()}\n`;
}

function printRaw(store: StoreReader, id: number, side: MessageSide, sent: boolean): Promise<void> {
  const as = sent ? 'sent' : 'received';
  return printWindows((offset) => store.readRaw({ id, side, as, offset, length: MAX_WINDOW_BYTES }));
}

function printBody(store: StoreReader, id: number, side: MessageSide): Promise<void> {
  return printWindows((offset) => store.readBody({ id, side, form: 'decoded', offset, length: MAX_WINDOW_BYTES }));
}

/** Prints window after window until one is empty, and says on standard error when that was not all. */
async function printWindows(read: (offset: number) => BodyWindow | Promise<BodyWindow>): Promise<void> {
  let offset = 0;
  for (;;) {
    const { bytes, totalBytes, stopped } = await read(offset);
    if (bytes.byteLength > 0) await print(bytes);
    offset += bytes.byteLength;
    if (bytes.byteLength > 0 && (totalBytes === null || offset < totalBytes)) continue;
    if (stopped !== null) tell(STOPPED[stopped]);
    return;
  }
}

function detailText(
  { summary, request, response, timing, clientConnection, originConnection, comment }: ExchangeDetail,
  sent: boolean,
): string {
  const { error, anomalies, client, origin } = summary;
  const originTls = originConnection?.tls ?? null;
  const ofStream = (leg: ConnectionFacts | null): string =>
    leg === null || leg.stream === null ? '' : ` (stream ${String(leg.stream)})`;
  const legs =
    `${client.protocol} from ${client.address}${ofStream(clientConnection)}, ` +
    `${origin.protocol ?? 'nothing'} to ${origin.address ?? 'nobody'}${ofStream(originConnection)}`;
  const facts: [string, string | null][] = [
    ['exchange', `${String(summary.id)} (${summary.kind}, ${summary.state})`],
    ['URL', exchangeUrl(summary)],
    ['started', isoMicroseconds(summary.startedAt)],
    ['duration', summary.duration === null ? null : durationText(summary.duration)],
    ['legs', legs],
    ['failed', error === null ? null : `${error.code} (${error.side}, ${error.phase}): ${error.message}`],
    ['anomalies', anomalies.length === 0 ? null : anomalies.join(', ')],
    ['origin TLS', originTls === null ? null : `${originTls.version}, ${originTls.cipher}`],
    ['first byte', timing.firstByte === null ? null : `after ${durationText(timing.firstByte)}`],
    ['messages', summary.messages === 0 ? null : String(summary.messages)],
    ['gRPC status', summary.grpcStatus === null ? null : String(summary.grpcStatus)],
    ['model', summary.llm === null ? null : llmText(summary.llm)],
    ['comment', comment === '' ? null : comment],
  ];
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(11)} ${terminalText(value)}`]));
  return [...lines, ...messageText('request', request, sent), ...messageText('response', response, sent), ''].join(
    '\n',
  );
}

/** Model, tokens in and out, first token and why it ended, as far as they are known. */
function llmText({ model, timeToFirstToken, finishReason, ...tokens }: LlmSummary): string {
  const { promptTokens, completionTokens, isCompletionEstimated } = tokens;
  const parts = [
    promptTokens === null ? null : `${String(promptTokens)} tokens in`,
    completionTokens === null ? null : `${isCompletionEstimated ? 'about ' : ''}${String(completionTokens)} out`,
    timeToFirstToken === null ? null : `the first after ${durationText(timeToFirstToken)}`,
    finishReason,
  ];
  return [model, ...parts.filter((part) => part !== null)].join(', ');
}

function messageText(side: MessageSide, message: MessageDetail | null, sent: boolean): string[] {
  if (message === null) return [];
  const head: { readonly startLine: string; readonly headers: readonly HeaderField[] } =
    sent && message.sent !== null ? message.sent : message;
  const field = ([name, value]: HeaderField): string => `  ${terminalText(name)}: ${terminalText(value)}`;
  const coding = message.contentEncoding.length === 0 ? '' : `, ${message.contentEncoding.join(', ')}`;
  return [
    '',
    ...(head.startLine === '' ? [] : [terminalText(head.startLine)]),
    ...head.headers.map(field),
    `  (${side} body: ${sizeText(message.bodyBytes)}${coding})`,
    ...message.trailers.map(field),
  ];
}
