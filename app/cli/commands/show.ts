import type { BodyWindow, ExchangeDetail, HeaderField, MessageDetail, MessageSide, MessageSummary } from '#contract';
import { ContractError, exchangeUrl, isoMicroseconds, MAX_WINDOW_BYTES } from '#contract';
import { messagesOf, payloadOf } from '../../backend/store/export-source.ts';
import type { StoreReader } from '../../backend/store/store-reader.ts';
import { parseArguments, parseChoice, parseNumber } from '../arguments.ts';
import { detailJson, messageJson } from '../exchange-json.ts';
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
  const raw = values.raw === undefined ? null : parseChoice('--raw', values.raw, SIDES);
  const body = values.body === undefined ? null : parseChoice('--body', values.body, SIDES);
  const found = await withStore(values.data, async (store) => {
    try {
      if (raw !== null) await printRaw(store, id, raw, values.sent);
      else if (body !== null) await printBody(store, id, body);
      else if (values.messages) await printMessages(store, id, values.json);
      else await printDetail(store, await store.get(id), values.json, values.sent);
    } catch (error: unknown) {
      throw error instanceof ContractError ? new CommandError(error.message, { cause: error }) : error;
    }
    return true;
  });
  return found === null ? 1 : 0;
}

async function printDetail(store: StoreReader, detail: ExchangeDetail, json: boolean, sent: boolean): Promise<void> {
  if (!json) {
    await print(detailText(detail, sent));
    return;
  }
  // One object on one line; its messages are written one by one, however many there are.
  await print(`${JSON.stringify(detailJson(detail, sent)).slice(0, -1)},"messages":[`);
  let separator = '';
  for await (const message of messagesOf(store, detail.summary)) {
    await print(`${separator}${JSON.stringify(await messageWithData(store, message))}`);
    separator = ',';
  }
  await print(']}\n');
}

async function printMessages(store: StoreReader, id: number, json: boolean): Promise<void> {
  await store.get(id);
  for await (const message of messagesOf(store, { id })) {
    await print(json ? `${JSON.stringify(await messageWithData(store, message))}\n` : messageLine(message));
  }
}

async function messageWithData(store: StoreReader, message: MessageSummary): Promise<Record<string, unknown>> {
  const pieces: Buffer[] = [];
  for await (const piece of payloadOf(store, message)) pieces.push(piece);
  return messageJson(message, Buffer.concat(pieces));
}

function messageLine(message: MessageSummary): string {
  const { side, kind, bytes, time, marks, anomalies, preview } = message;
  const arrow = side === 'request' ? '->' : '<-';
  const more = [...marks, ...anomalies];
  const facts = more.length === 0 ? '' : ` (${more.join(', ')})`;
  const columns = [isoMicroseconds(time), arrow, kind.padEnd(8), sizeText(bytes).padStart(9)].join(' ');
  const line = `${columns}${facts} ${terminalText(preview)}`;
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
  { summary, request, response, timing, originConnection, comment }: ExchangeDetail,
  sent: boolean,
): string {
  const { error, anomalies, client, origin } = summary;
  const originTls = originConnection?.tls ?? null;
  const legs = `${client.protocol} from ${client.address}, ${origin.protocol ?? 'nothing'} to ${origin.address ?? 'nobody'}`;
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
    ['comment', comment === '' ? null : comment],
  ];
  const lines = facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(11)} ${terminalText(value)}`]));
  return [...lines, ...messageText('request', request, sent), ...messageText('response', response, sent), ''].join(
    '\n',
  );
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
