import { createResponseDecoder } from './decoder.ts';
import { FIELD } from './field-kind.ts';
import { fieldValues } from './field-value.ts';
import type { Http1Sink, ResponseHead } from './message.ts';
import { SPAN } from './section-scanner.ts';

/** An alternative by a version of HTTP over QUIC (RFC 7838 §3, RFC 9114 §3.1.1; the older names came before the standard). */
const HTTP3 = /^(?:h3(?:-[\w.]+)?|quic)=/i;

/** The head was valid once; what is left of it needs no limit. */
const NO_LIMITS = {
  requestLineBytes: Infinity,
  headBytes: Infinity,
  fields: Infinity,
  chunkExtensionBytes: Infinity,
};

/** Whether a response offers HTTP/3 in its Alt-Svc fields. */
export function offersHttp3(head: ResponseHead): boolean {
  if ((head.table.kinds & FIELD.alternativeServices) === 0) return false;
  return members(fieldValues(head.bytes, head.table, FIELD.alternativeServices)).some((member) => HTTP3.test(member));
}

/**
 * The same head without its offers of HTTP/3. Other alternatives stay; a field that holds none any more goes.
 *
 * @param requestMethod decides the framing, as it did for `head`
 */
export function withoutHttp3(head: ResponseHead, requestMethod: string): ResponseHead {
  const { bytes, table } = head;
  const parts: Buffer[] = [];
  let kept = 0;
  for (let index = 0; index < table.count; index += 1) {
    const at = index * SPAN.size;
    if (table.spans[at + SPAN.kind] !== FIELD.alternativeServices) continue;
    const lineStart = table.spans[at] ?? 0;
    const lineEnd = index + 1 < table.count ? (table.spans[at + SPAN.size] ?? 0) : table.fieldsEnd;
    const others = members([head.fieldValue(index)]).filter((member) => !HTTP3.test(member));
    parts.push(bytes.subarray(kept, lineStart));
    if (others.length > 0) parts.push(Buffer.from(`${head.fieldName(index)}: ${others.join(', ')}\r\n`, 'latin1'));
    kept = lineEnd;
  }
  parts.push(bytes.subarray(kept));
  return readHead(Buffer.concat(parts), requestMethod) ?? head;
}

/** Members of a list whose values may be quoted strings with commas in them. */
function members(values: readonly string[]): string[] {
  return values.flatMap((value) =>
    (value.match(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g) ?? [])
      .map((member) => member.trim())
      .filter((member) => member !== ''),
  );
}

function readHead(bytes: Buffer, requestMethod: string): ResponseHead | null {
  const decoder = createResponseDecoder(NO_LIMITS, { bareLineFeed: true });
  const sink: Http1Sink<ResponseHead> & { head: ResponseHead | null } = {
    head: null,
    onHead(head) {
      this.head = head;
    },
    onPayload: () => undefined,
    onFraming: () => undefined,
    onWire: () => undefined,
    onTrailers: () => undefined,
    onEnd: () => undefined,
  };
  decoder.next(requestMethod);
  decoder.receive(bytes, 0, sink);
  return sink.head;
}
