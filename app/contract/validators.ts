import * as v from 'valibot';
import { DEFAULT_LIMITS, DEFAULT_TIMEOUTS } from '../../proxy-engine/model/engine-config.ts';
import { parseProxyUrl, parseUpstreamRule } from '../../proxy-engine/model/upstream-proxy.ts';
import { MESSAGE_KINDS } from '../../proxy-engine/model/message.ts';
import { AUTHORITY_CALL_INPUTS } from './authority-validators.ts';
import { BENCH_CALL_INPUTS, BENCH_STREAM_INPUTS } from './bench-validators.ts';
import type { AppSettings, CallName, Calls, StreamName, Streams } from './calls.ts';
import { CLIENT_CERTIFICATE_INPUTS } from './client-certificate-validators.ts';
import { CONVERSATION_CALL_INPUTS, CONVERSATION_STREAM_INPUTS } from './conversation-validators.ts';
import { EXPORT_CALL_INPUTS, EXPORT_STREAM_INPUTS } from './export-validators.ts';
import { SETUP_CALL_INPUTS } from './setup-validators.ts';
import { IMPORT_CALL_INPUTS } from './import-validators.ts';
import { PROTO_CALL_INPUTS } from './proto-validators.ts';
import { REPLAY_LOAD, REPLAY_REQUEST } from './replay-validators.ts';
import { MAX_COMMENT_LENGTH, MAX_FILTER_LENGTH, MAX_FRAMES, MAX_IDS, MAX_PAGE_ROWS, MAX_WINDOW_BYTES } from './wire.ts';

/** Most sequences that one call finds. */
const MAX_FOUND_MESSAGES = 10_000;

type SchemaFor<Input> = v.GenericSchema<unknown, Input>;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const id = count;
const nothing = v.strictObject({});
const filter = v.pipe(v.string(), v.maxLength(MAX_FILTER_LENGTH));
const side = v.picklist(['request', 'response']);
const rows = v.pipe(count, v.minValue(1), v.maxValue(MAX_PAGE_ROWS));
const ids = v.pipe(v.array(id), v.minLength(1), v.maxLength(MAX_IDS));
const label = v.pipe(count, v.maxValue(6));
const windowBytes = v.pipe(count, v.minValue(1), v.maxValue(MAX_WINDOW_BYTES));
const query = {
  session: id,
  filter,
  sort: v.picklist(['time', 'status', 'host', 'size', 'duration', 'method', 'type']),
  descending: v.boolean(),
  upTo: v.exactOptional(v.nullable(id)),
};
const messageFilter = v.strictObject({
  side: v.nullable(side),
  kinds: v.pipe(v.array(v.picklist(MESSAGE_KINDS)), v.maxLength(MESSAGE_KINDS.length)),
  text: v.pipe(v.string(), v.maxLength(1_024)),
});
const hostPatterns = v.pipe(
  v.array(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(300), v.regex(/^[^\s\p{Cc}/]+$/u))),
  v.maxLength(10_000),
);

/** Host patterns that may also be ranges of addresses, with a slash. */
const addressPatterns = v.pipe(
  v.array(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(300), v.regex(/^[^\s\p{Cc}]+$/u))),
  v.maxLength(10_000),
);
const proxyUrl = v.pipe(
  v.string(),
  v.maxLength(2_048),
  v.check(
    (text) => parseProxyUrl(text) !== null,
    'Write a proxy like http://user:password@proxy.example:3128, https://… or socks5://….',
  ),
);
const upstreamRule = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(2_400),
  v.check(
    (text) => parseUpstreamRule(text) !== null,
    'Write a pattern of hosts, a space, and the URL of a proxy or the word direct.',
  ),
);
const credential = v.pipe(v.string(), v.minLength(1), v.maxLength(255), v.regex(/^[^\p{Cc}]+$/u));

/** Any of the keys that `defaults` has. */
function someOf(defaults: object): SchemaFor<Readonly<Record<string, number>>> {
  return v.record(v.picklist(Object.keys(defaults)), count);
}

const settingsEntries = {
  passthroughHosts: v.exactOptional(hostPatterns),
  trustedHosts: v.exactOptional(hostPatterns),
  timeouts: v.exactOptional(someOf(DEFAULT_TIMEOUTS)),
  limits: v.exactOptional(someOf(DEFAULT_LIMITS)),
  forwardedFields: v.exactOptional(v.boolean()),
  tolerateBareLineFeed: v.exactOptional(v.boolean()),
  stripOuterSpace: v.exactOptional(v.boolean()),
  clientHalfClose: v.exactOptional(v.boolean()),
  retention: v.exactOptional(v.strictObject({ days: count, bytes: count, exchanges: count })),
  upstreamProxy: v.exactOptional(v.union([v.literal(''), proxyUrl])),
  upstreamRules: v.exactOptional(v.pipe(v.array(upstreamRule), v.maxLength(1_000))),
  noProxy: v.exactOptional(addressPatterns),
  proxyAuthentication: v.exactOptional(v.nullable(v.strictObject({ user: credential, password: credential }))),
  approvedClients: v.exactOptional(addressPatterns),
  legacyHosts: v.exactOptional(hostPatterns),
  autoPassthrough: v.exactOptional(v.boolean()),
  stripHttp3Offers: v.exactOptional(v.boolean()),
  recordFrames: v.exactOptional(v.boolean()),
};

/** A change of settings, also as a file: each key may be absent, none may be unknown. */
export const SETTINGS_CHANGE: SchemaFor<Partial<AppSettings>> = v.strictObject(settingsEntries);

/** A schema for the input of each call. */
const CALL_INPUTS: { readonly [Name in CallName]: SchemaFor<Calls[Name]['input']> } = {
  'app.info': nothing,
  'capture.setRecording': v.strictObject({ on: v.boolean() }),
  'sessions.list': nothing,
  'sessions.clear': nothing,
  'sessions.remove': v.strictObject({ id }),
  'sessions.rename': v.strictObject({ id, name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(200)) }),
  'sessions.merge': v.strictObject({ from: id, into: id }),
  'exchanges.query': v.strictObject({
    ...query,
    after: v.nullable(v.pipe(v.string(), v.maxLength(4_096))),
    limit: rows,
  }),
  'exchanges.queryAt': v.strictObject({ ...query, index: count, limit: rows }),
  'exchanges.count': v.strictObject({ session: id, filter, upTo: v.exactOptional(v.nullable(id)) }),
  'exchanges.indexOf': v.strictObject({ ...query, id }),
  'exchanges.ids': v.strictObject({ ...query, index: count, limit: v.pipe(count, v.minValue(1), v.maxValue(MAX_IDS)) }),
  'exchanges.mark': v.strictObject({ ids, label: v.exactOptional(label), pinned: v.exactOptional(v.boolean()) }),
  'exchanges.comment': v.strictObject({ id, text: v.pipe(v.string(), v.maxLength(MAX_COMMENT_LENGTH)) }),
  'exchanges.remove': v.strictObject({ ids }),
  'exchanges.restore': v.strictObject({ ids }),
  'store.space': nothing,
  'store.compact': nothing,
  'exchanges.get': v.strictObject({ id }),
  'exchanges.readBody': v.strictObject({
    id,
    side,
    form: v.picklist(['stored', 'decoded']),
    offset: count,
    length: windowBytes,
  }),
  'exchanges.readRaw': v.strictObject({
    id,
    side,
    as: v.picklist(['received', 'sent']),
    offset: count,
    length: windowBytes,
  }),
  'exchanges.exportCurl': v.strictObject({ id }),
  'frames.page': v.strictObject({
    connection: id,
    after: count,
    limit: v.pipe(count, v.minValue(1), v.maxValue(MAX_FRAMES)),
  }),
  'messages.page': v.strictObject({ exchange: id, filter: messageFilter, after: count, limit: rows }),
  'messages.find': v.strictObject({
    exchange: id,
    filter: messageFilter,
    after: count,
    limit: v.pipe(count, v.minValue(1), v.maxValue(MAX_FOUND_MESSAGES)),
  }),
  'messages.read': v.strictObject({ exchange: id, sequence: count, offset: count, length: windowBytes }),
  'exchanges.llm': v.strictObject({ id }),
  'hosts.list': v.strictObject({ session: id }),
  'programs.list': v.strictObject({ session: id }),
  'ca.export': v.strictObject({ format: v.picklist(['pem', 'der', 'p12']) }),
  'browsers.list': nothing,
  'browsers.open': v.strictObject({
    path: v.nullable(v.pipe(v.string(), v.maxLength(4_096))),
    url: v.nullable(v.pipe(v.string(), v.maxLength(4_096), v.url(), v.regex(/^https?:/i))),
  }),
  'sample.show': nothing,
  'sample.remove': nothing,
  'replay.send': REPLAY_REQUEST,
  'replay.list': v.strictObject({ id }),
  'settings.get': nothing,
  'settings.set': SETTINGS_CHANGE,
  ...SETUP_CALL_INPUTS,
  ...CLIENT_CERTIFICATE_INPUTS,
  ...PROTO_CALL_INPUTS,
  ...AUTHORITY_CALL_INPUTS,
  ...IMPORT_CALL_INPUTS,
  ...EXPORT_CALL_INPUTS,
  ...BENCH_CALL_INPUTS,
  ...CONVERSATION_CALL_INPUTS,
};

const hostName = v.pipe(v.string(), v.minLength(1), v.maxLength(255), v.regex(/^[^\s\p{Cc}/@]+$/u));
const port = v.pipe(count, v.maxValue(65_535));
const targetPort = v.pipe(port, v.minValue(1));
const listener = v.strictObject({
  mode: v.variant('kind', [
    v.strictObject({ kind: v.literal('proxy') }),
    v.strictObject({
      kind: v.literal('reverse'),
      scheme: v.picklist(['http', 'https', 'h2c']),
      host: hostName,
      port: targetPort,
      basePath: v.pipe(v.string(), v.maxLength(2_048), v.regex(/^[^\s\p{Cc}]*$/u)),
    }),
    v.strictObject({ kind: v.literal('tcp'), host: hostName, port: targetPort }),
    v.strictObject({ kind: v.literal('udp'), host: hostName, port: targetPort }),
  ]),
  host: hostName,
  port,
});

/** A schema for the input of each stream. */
const STREAM_INPUTS: { readonly [Name in StreamName]: SchemaFor<Streams[Name]['input']> } = {
  'app.status': nothing,
  'replay.run': v.strictObject({ request: REPLAY_REQUEST, load: REPLAY_LOAD }),
  'exchanges.changed': v.strictObject({ session: id }),
  'messages.added': v.strictObject({ exchange: id }),
  'listeners.hold': v.strictObject({ listeners: v.pipe(v.array(listener), v.minLength(1), v.maxLength(64)) }),
  ...BENCH_STREAM_INPUTS,
  ...EXPORT_STREAM_INPUTS,
  ...CONVERSATION_STREAM_INPUTS,
};

const frameId = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const credit = v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(65_536));

const CLIENT_FRAME = v.variant('type', [
  v.strictObject({ type: v.literal('call'), id: frameId, name: v.string(), input: v.unknown() }),
  v.strictObject({ type: v.literal('cancel'), id: frameId }),
  v.strictObject({ type: v.literal('open'), id: frameId, name: v.string(), input: v.unknown(), credit }),
  v.strictObject({ type: v.literal('credit'), id: frameId, items: credit }),
  v.strictObject({ type: v.literal('close'), id: frameId }),
]);

/** A client's frame whose envelope is sound; name and input are not looked at yet. */
export type ClientEnvelope = v.InferOutput<typeof CLIENT_FRAME>;

/** @returns null when `frame` is no frame of a client */
export function parseClientFrame(frame: unknown): ClientEnvelope | null {
  const result = v.safeParse(CLIENT_FRAME, frame);
  return result.success ? result.output : null;
}

export function isCallName(name: string): name is CallName {
  return Object.hasOwn(CALL_INPUTS, name);
}

export function isStreamName(name: string): name is StreamName {
  return Object.hasOwn(STREAM_INPUTS, name);
}

/** What a validator says: the input with its type, or a sentence about what is wrong and where. */
export type InputCheck<Input> = { readonly input: Input } | { readonly problem: string };

/** Validates the input of a call. */
export function checkCallInput<Name extends CallName>(name: Name, input: unknown): InputCheck<Calls[Name]['input']> {
  const schema: SchemaFor<Calls[Name]['input']> = CALL_INPUTS[name];
  return check(schema, input);
}

/** Validates the input of a stream. */
export function checkStreamInput<Name extends StreamName>(
  name: Name,
  input: unknown,
): InputCheck<Streams[Name]['input']> {
  const schema: SchemaFor<Streams[Name]['input']> = STREAM_INPUTS[name];
  return check(schema, input);
}

function check<Input>(schema: SchemaFor<Input>, input: unknown): InputCheck<Input> {
  const result = v.safeParse(schema, input, { abortEarly: true });
  if (result.success) return { input: result.output };
  const [issue] = result.issues;
  return { problem: `${v.getDotPath(issue) ?? 'input'}: ${issue.message}` };
}
