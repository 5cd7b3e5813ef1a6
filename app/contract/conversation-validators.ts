import * as v from 'valibot';
import { maySendCloseCode } from '../../proxy-engine/model/close-code.ts';
import type { ConversationCalls, ConversationStreams } from './conversation.ts';
import { COMPOSED_BYTES, HEADER_FIELDS } from './replay-validators.ts';

type SchemaFor<Input> = v.GenericSchema<unknown, Input>;

const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Longest payload of a control frame, and longest reason of a close behind its code (RFC 6455 §5.5). */
const MOST_PING_BYTES = 125;
const MOST_REASON_BYTES = 123;

const closeCode = v.pipe(
  whole,
  v.check(maySendCloseCode, 'is no code that may be sent. Use 1000 to 1003, 1007 to 1014 or 3000 to 4999.'),
);

const send = v.pipe(
  v.strictObject({ id: whole, kind: v.picklist(['text', 'binary', 'ping']), payload: COMPOSED_BYTES }),
  v.check(
    ({ kind, payload }) => kind !== 'ping' || payload.byteLength <= MOST_PING_BYTES,
    `a ping carries at most ${String(MOST_PING_BYTES)} bytes.`,
  ),
);

const close = v.pipe(
  v.strictObject({
    id: whole,
    code: v.nullable(closeCode),
    reason: v.pipe(
      v.string(),
      v.check(
        (text) => new TextEncoder().encode(text).length <= MOST_REASON_BYTES,
        `is longer than ${String(MOST_REASON_BYTES)} bytes.`,
      ),
    ),
  }),
  v.check(({ code, reason }) => code !== null || reason === '', 'a reason stands behind a code only.'),
);

export const CONVERSATION_CALL_INPUTS: {
  readonly [Name in keyof ConversationCalls]: SchemaFor<ConversationCalls[Name]['input']>;
} = { 'conversation.send': send, 'conversation.close': close };

export const CONVERSATION_STREAM_INPUTS: {
  readonly [Name in keyof ConversationStreams]: SchemaFor<ConversationStreams[Name]['input']>;
} = {
  'conversation.open': v.pipe(
    v.strictObject({
      of: v.nullable(whole),
      url: v.exactOptional(
        v.pipe(
          v.string(),
          v.maxLength(65_536),
          v.regex(/^(ws|http)s?:\/\/[^/?#\s]/i, 'begins with ws:// or wss:// and a host'),
        ),
      ),
      headers: v.exactOptional(HEADER_FIELDS),
      setHeaders: v.exactOptional(HEADER_FIELDS),
      deflate: v.picklist(['captured', 'on', 'off']),
      replay: v.nullable(v.picklist(['fast', 'recorded', 'answers'])),
    }),
    v.check(({ of, url }) => of !== null || url !== undefined, 'a WebSocket that repeats none needs a URL.'),
    v.check(({ of, replay }) => of !== null || replay === null, 'there is no conversation to replay.'),
  ),
};
