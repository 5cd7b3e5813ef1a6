import * as v from 'valibot';
import { ANOMALY_CODES, ERROR_CODES, type ConnectionId, type ExchangeId, type ImportReport } from '#contract';
import type { AnomalyCode, ErrorCode, MessageSide } from '#contract';
import type { Tap } from '#engine';
import { BodySplitter } from './body-splitter.ts';
import type { ImportedMarks } from './import-messages.ts';
import { ImportTally } from './import-tally.ts';
import { LineReader } from './line-reader.ts';

/** The version of docs/weir-format.md that is read. */
const FORMAT = 1;

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const text = v.pipe(v.string(), v.maxLength(1_048_576));
const fields = v.array(v.tuple([text, text]));
const instant = v.nullable(count);
const protocol = v.picklist(['http/1.0', 'http/1.1', 'h2', 'h2c', 'tcp', 'tls', 'udp']);
const certificate = v.strictObject({
  ...{ subject: text, issuer: text, names: v.array(text), serialNumber: text, notBefore: text, notAfter: text },
  ...{ fingerprint: text, key: text },
});
const tls = v.nullable(
  v.strictObject({
    ...{ version: text, cipher: text, alpn: v.nullable(text), sni: v.nullable(text), resumed: v.boolean() },
    ...{ chain: v.array(certificate), verified: v.nullable(v.boolean()), ja3: v.nullable(text), ja4: v.nullable(text) },
    offeredAlpn: v.array(text),
  }),
);
const EXCHANGE = v.object({
  exchange: v.object({
    id: count,
    kind: v.picklist(['http', 'websocket', 'tunnel', 'tcp', 'udp']),
    startedAt: count,
    scheme: v.picklist(['http', 'https', 'tcp', 'tls', 'udp']),
    ...{ host: text, port: v.pipe(count, v.maxValue(65_535)), method: text, path: text, status: v.nullable(count) },
    firstToken: v.optional(instant, null),
  }),
  client: v.object({ address: text, protocol, connection: v.nullable(count), tls }),
  origin: v.object({
    ...{ address: v.nullable(text), protocol: v.nullable(protocol), connection: v.nullable(count) },
    ...{ reused: v.boolean(), tls },
  }),
  heads: v.object({
    ...{ request: v.nullable(v.string()), requestSent: v.nullable(v.string()) },
    ...{ response: v.nullable(v.string()), responseSent: v.nullable(v.string()) },
  }),
  informational: v.array(v.object({ startLine: text, headers: fields })),
  trailers: v.object({ request: fields, response: fields }),
  marks: v.object({
    label: v.pipe(count, v.maxValue(6)),
    pinned: v.boolean(),
    comment: v.pipe(text, v.maxLength(10_000)),
  }),
});
const BODY = v.object({ body: v.picklist(['request', 'response']), data: v.string() });
const codes = Object.keys(ERROR_CODES) as ErrorCode[];
const anomalies = Object.keys(ANOMALY_CODES) as AnomalyCode[];
const END = v.object({
  end: v.object({
    timing: v.object({ dns: instant, connect: instant, tls: instant, sent: instant, firstByte: instant, end: instant }),
    ...{ requestBodyBytes: count, responseBodyBytes: count, complete: v.boolean() },
    error: v.nullable(
      v.object({
        code: v.picklist(codes),
        side: v.picklist(['client', 'origin', 'upstream-proxy', 'weir']),
        phase: v.picklist(['resolve', 'connect', 'tls', 'request', 'response', 'body']),
        message: text,
      }),
    ),
    anomalies: v.array(v.picklist(anomalies)),
  }),
});

type ExchangeLine = v.InferOutput<typeof EXCHANGE>;

interface OpenExchange {
  readonly id: ExchangeId;
  readonly line: ExchangeLine;
  readonly sides: Record<MessageSide, BodySplitter | null>;
  responded: boolean;
}

/** Reads a `.weir` file (docs/weir-format.md) that comes in pieces. */
export class WeirImport {
  readonly #tap: Tap;
  readonly #lines: LineReader;
  readonly #connections = new Map<string, ConnectionId>();
  readonly #tally = new ImportTally();
  readonly marks: ImportedMarks[] = [];
  nextExchange: ExchangeId;
  nextConnection: ConnectionId;
  #clock = 0;
  #versioned = false;
  #open: OpenExchange | null = null;

  constructor(tap: Tap, firstExchange: ExchangeId, firstConnection: ConnectionId) {
    this.#tap = tap;
    this.nextExchange = firstExchange;
    this.nextConnection = firstConnection;
    this.#lines = new LineReader((line) => {
      this.#line(line);
    });
  }

  /** The time of what is being recorded, microseconds since the Unix epoch. */
  get now(): number {
    return this.#clock;
  }

  get counts(): { readonly imported: number; readonly skipped: number } {
    return this.#tally.counts;
  }

  receive(bytes: Buffer): void {
    if (this.#tally.problem !== null) return;
    if (!this.#lines.receive(bytes)) this.#tally.problem = 'This is no .weir file: it has a line that is too long.';
  }

  end(): Omit<ImportReport, 'session'> {
    if (this.#open !== null) {
      this.#finish(null);
      this.#tally.problem ??= 'The file ends in the middle; what stands before its end was read.';
    }
    if (!this.#versioned) this.#tally.problem ??= 'This is no .weir file: it does not begin with its version.';
    return this.#tally.report();
  }

  #line(line: string): void {
    if (this.#tally.problem !== null || line === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      value = null;
    }
    if (!this.#versioned) this.#begin(value);
    else if (typeof value !== 'object' || value === null) this.#tally.skip('a line is no JSON');
    else if ('exchange' in value) this.#exchange(value);
    else if ('body' in value) this.#body(value);
    else if ('end' in value) this.#finish(value);
  }

  #begin(value: unknown): void {
    const version = v.safeParse(v.object({ weir: v.number() }), value);
    if (!version.success) this.#tally.problem = 'This is no .weir file: it does not begin with its version.';
    else if (version.output.weir > FORMAT)
      this.#tally.problem = 'A newer Weir wrote this file. Update Weir to read it.';
    this.#versioned = true;
  }

  #exchange(value: object): void {
    if (this.#open !== null) this.#finish(null);
    this.#tally.see();
    const parsed = v.safeParse(EXCHANGE, value);
    if (!parsed.success) {
      this.#tally.skip(`${v.getDotPath(parsed.issues[0]) ?? 'it'}: ${parsed.issues[0].message}`);
      return;
    }
    const line = parsed.output;
    const { exchange, client, heads, marks } = line;
    const id = this.nextExchange++;
    this.#clock = exchange.startedAt;
    const head = bytesOf(heads.request) ?? Buffer.alloc(0);
    this.#tap.begin({
      id,
      ...{ kind: exchange.kind, startedAt: exchange.startedAt, scheme: exchange.scheme, host: exchange.host },
      ...{ port: exchange.port, method: exchange.method, path: exchange.path },
      clientConnection: this.#connection('client', client),
      clientAddress: client.address,
      clientProtocol: client.protocol,
      head,
      sentHead: bytesOf(heads.requestSent),
    });
    const sides = { request: this.#splitter(id, 'request', head), response: null };
    this.#open = { id, line, sides, responded: false };
    if (marks.label > 0 || marks.pinned || marks.comment !== '') this.marks.push({ id, ...marks });
  }

  #body(value: object): void {
    const parsed = v.safeParse(BODY, value);
    const open = this.#open;
    if (open === null || !parsed.success) return;
    const { body: side, data } = parsed.output;
    if (side === 'response') this.#respond(open);
    const bytes = Buffer.from(data, 'base64');
    const splitter = open.sides[side];
    if (splitter !== null) splitter.receive(bytes);
    else this.#tap.payload(open.id, side, bytes, 0, bytes.length);
  }

  /** What stands between the request's body and the response's. */
  #respond(open: OpenExchange): void {
    if (open.responded) return;
    open.responded = true;
    const { id, line } = open;
    const { origin, heads, trailers, informational, exchange } = line;
    if (trailers.request.length > 0) this.#tap.trailers(id, 'request', linesOf(trailers.request));
    if (origin.address !== null && origin.protocol !== null) {
      const facts = { ...origin, address: origin.address, protocol: origin.protocol };
      this.#tap.origin(id, this.#connection('origin', facts), facts.address, facts.protocol, origin.reused);
    }
    for (const { startLine, headers } of informational) {
      this.#tap.informational(id, Buffer.concat([Buffer.from(`${startLine}\r\n`, 'latin1'), linesOf(headers), CRLF]));
    }
    const head = bytesOf(heads.response);
    if (head === null || exchange.status === null) return;
    this.#clock = exchange.startedAt + (exchange.firstToken ?? 0);
    this.#tap.response(id, { status: exchange.status, head, sentHead: bytesOf(heads.responseSent) });
    open.sides.response = this.#splitter(id, 'response', head);
  }

  /** @param value the last line of the exchange; null when the file ends before it */
  #finish(value: object | null): void {
    const open = this.#open;
    this.#open = null;
    if (open === null) return;
    this.#respond(open);
    const { id, line } = open;
    if (line.trailers.response.length > 0) this.#tap.trailers(id, 'response', linesOf(line.trailers.response));
    const parsed = v.safeParse(END, value);
    const nothing = { dns: null, connect: null, tls: null, sent: null, firstByte: null, end: 0 };
    const end = parsed.success
      ? parsed.output.end
      : { timing: nothing, requestBodyBytes: 0, responseBodyBytes: 0, error: null, anomalies: [], complete: false };
    const framing = { sentRequestFraming: 'as-received', sentResponseFraming: 'as-received' } as const;
    this.#tap.end(id, { ...end, ...framing });
    this.#tally.take();
  }

  #connection(
    side: 'client' | 'origin',
    facts: Pick<ExchangeLine['client'], 'address' | 'protocol' | 'connection' | 'tls'>,
  ): ConnectionId {
    const key = `${side} ${String(facts.connection)} ${facts.address}`;
    const known = this.#connections.get(key);
    if (known !== undefined) return known;
    const id = this.nextConnection++;
    this.#connections.set(key, id);
    this.#tap.connection({ id, side, address: facts.address, protocol: facts.protocol, tls: facts.tls });
    return id;
  }

  /** Null for a body without transfer framing. */
  #splitter(id: ExchangeId, side: MessageSide, head: Buffer): BodySplitter | null {
    if (!/\ntransfer-encoding[ \t]*:[^\r\n]*chunked/i.test(head.toString('latin1'))) return null;
    return new BodySplitter({
      payload: (bytes) => {
        this.#tap.payload(id, side, bytes, 0, bytes.length);
      },
      framing: (bytes) => {
        this.#tap.framing(id, side, bytes, 0, bytes.length);
      },
    });
  }
}

const CRLF = Buffer.from('\r\n');

function bytesOf(base64: string | null): Buffer | null {
  return base64 === null ? null : Buffer.from(base64, 'base64');
}

function linesOf(list: readonly (readonly [string, string])[]): Buffer {
  return Buffer.from(list.map(([name, value]) => `${name}: ${value}\r\n`).join(''), 'latin1');
}
