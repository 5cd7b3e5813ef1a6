import * as v from 'valibot';
import type { HeaderField } from '../../proxy-engine/model/exchange.ts';
import type { ReplayLoad, ReplayRequest } from './replay.ts';
import { MAX_COMPOSED_BODY_BYTES } from './wire.ts';

/** Most requests of one run, and most connections and requests at a time. */
const REPLAY_BOUNDS = { count: 1_000_000, perSecond: 100_000, parallel: 256, connections: 256 } as const;

type SchemaFor<Input> = v.GenericSchema<unknown, Input>;

/** RFC 9110 §5.6.2. */
const token = v.pipe(v.string(), v.maxLength(1_024), v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'is no HTTP token'));
/** Bytes as latin1, without line ends and NUL (RFC 9110 §5.5). */
const fieldValue = v.pipe(
  v.string(),
  v.maxLength(262_144),
  v.check((text) => !/[\r\n\0]/.test(text), 'holds a line end'),
  v.check((text) => !/[^\p{Cc}\x20-\xff]/u.test(text), 'holds a character that no header field can carry'),
);
export const HEADER_FIELDS: SchemaFor<readonly HeaderField[]> = v.pipe(
  v.array(v.tuple([token, fieldValue])),
  v.maxLength(1_000),
);

/** Bytes that a person composed, which travel in one frame of the contract. */
export const COMPOSED_BYTES: SchemaFor<Uint8Array> = v.pipe(
  v.instance(Uint8Array),
  v.check(
    ({ byteLength }) => byteLength <= MAX_COMPOSED_BODY_BYTES,
    'is longer than 768 KiB, which is all that can be composed. What was captured and nobody edits may have any length.',
  ),
);

const whole = v.pipe(v.number(), v.safeInteger());

const requestEntries = {
  of: v.nullable(v.pipe(whole, v.minValue(0))),
  version: v.picklist(['captured', 'auto', 'http/1.1', 'h2']),
  cookies: v.picklist(['kept', 'dropped', 'followed']),
  followRedirects: v.boolean(),
  method: v.exactOptional(token),
  url: v.exactOptional(
    v.pipe(
      v.string(),
      v.maxLength(65_536),
      v.regex(/^https?:\/\/[^/?#\s]/i, 'begins with http:// or https:// and a host'),
    ),
  ),
  headers: v.exactOptional(HEADER_FIELDS),
  setHeaders: v.exactOptional(HEADER_FIELDS),
  body: v.exactOptional(COMPOSED_BYTES),
};

export const REPLAY_REQUEST: SchemaFor<ReplayRequest> = v.strictObject(requestEntries);

const upTo = (most: number) => v.pipe(whole, v.minValue(1), v.maxValue(most));

export const REPLAY_LOAD: SchemaFor<ReplayLoad> = v.strictObject({
  count: upTo(REPLAY_BOUNDS.count),
  perSecond: v.nullable(v.pipe(v.number(), v.minValue(0.01), v.maxValue(REPLAY_BOUNDS.perSecond))),
  parallel: upTo(REPLAY_BOUNDS.parallel),
  connections: upTo(REPLAY_BOUNDS.connections),
});
