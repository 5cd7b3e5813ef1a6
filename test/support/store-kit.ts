import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExchangeSummary, MessageSummary, SessionId, SessionInfo, StoreTrouble } from '#contract';
import { createTap, type CaptureTap } from '../../proxy-engine/capture/create-tap.ts';
import type { EndRecord } from '../../proxy-engine/capture/tap.ts';
import type { StoreOpened } from '../../app/backend/store/protocol.ts';
import { StoreReader } from '../../app/backend/store/store-reader.ts';
import { StoreWriter } from '../../app/backend/store/store-writer.ts';

/** A writer on a folder of its own, fed by a tap in the same thread. Dispose of it to remove the folder. */
export interface StoreKit extends Disposable {
  readonly folder: string;
  readonly opened: StoreOpened;
  readonly writer: StoreWriter;
  readonly tap: CaptureTap;
  readonly changed: ExchangeSummary[];
  /** Of exchanges in `writer.watchedMessages`. */
  readonly messages: MessageSummary[];
  readonly sessions: SessionInfo[];
  readonly troubles: (StoreTrouble | null)[];
  /** Records one exchange and returns its id. */
  record(exchange: RecordedExchange): number;
  /** Hands over and commits; true when the disk took it. */
  commit(): boolean;
  reader(): StoreReader;
  /** A second tap, whose exchanges go into the session of that id. */
  tapInto(session: SessionId): CaptureTap;
}

export interface RecordedExchange {
  readonly method?: string;
  readonly scheme?: 'http' | 'https';
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
  readonly requestHeaders?: readonly string[];
  readonly requestBody?: Buffer | string;
  /** Null: no response came. */
  readonly status?: number | null;
  readonly responseHeaders?: readonly string[];
  readonly responseBody?: Buffer | string;
  /** Sizes of the chunks that the response came in; without it no transfer framing. */
  readonly chunks?: readonly number[];
  /** False: it is still running. */
  readonly ended?: boolean;
  readonly startedAt?: number;
  readonly clientStream?: number;
  readonly end?: Partial<EndRecord>;
  readonly informational?: readonly string[];
  readonly trailers?: readonly string[];
}

const STARTED_AT = 1_764_000_000_000_000;
const CREDIT_BYTES = 33_554_432;

/** @param folder an existing data folder, which is then kept */
export function openStoreKit(folder?: string): StoreKit {
  const place = folder ?? mkdtempSync(join(tmpdir(), 'weir-store-'));
  const changed: ExchangeSummary[] = [];
  const messages: MessageSummary[] = [];
  const sessions: SessionInfo[] = [];
  const troubles: (StoreTrouble | null)[] = [];
  const readers: StoreReader[] = [];
  let clock = STARTED_AT;
  const now = (): number => (clock += 1_000);
  const writer = new StoreWriter(place, {
    now,
    changed: (exchanges) => changed.push(...exchanges),
    messages: (committed) => messages.push(...committed),
    session: (session) => sessions.push(session),
    trouble: (trouble) => troubles.push(trouble),
  });
  writer.watched = true;
  const opened = writer.open();
  const tap = connect(writer, null, now);
  let nextId = opened.nextExchangeId;
  return {
    folder: place,
    opened,
    writer,
    tap,
    changed,
    messages,
    sessions,
    troubles,
    record(exchange) {
      const id = nextId++;
      recordExchange(tap, id, exchange);
      return id;
    },
    commit() {
      tap.flush();
      return writer.commit();
    },
    reader() {
      const reader = new StoreReader(place);
      readers.push(reader);
      return reader;
    },
    tapInto: (session) => connect(writer, session, now),
    [Symbol.dispose]() {
      for (const reader of readers) reader.close();
      writer.close();
      if (folder === undefined) rmSync(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

function connect(writer: StoreWriter, session: SessionId | null, now: () => number): CaptureTap {
  const source = {
    session,
    giveBack(slabs: readonly ArrayBuffer[]) {
      tap.returnCredit(
        slabs.reduce((sum, slab) => sum + slab.byteLength, 0),
        slabs,
      );
    },
  };
  const tap = createTap(
    { post: (batch) => writer.take(batch, source) },
    { creditBytes: CREDIT_BYTES, recordedBodyBytes: Number.MAX_SAFE_INTEGER, now },
  );
  return tap;
}

/** Tells a tap about one exchange as the pipeline would. */
export function recordExchange(tap: CaptureTap, id: number, exchange: RecordedExchange): void {
  const { method = 'GET', scheme = 'https', host = 'example.test', path = '/', status = 200 } = exchange;
  const requestBody = Buffer.from(exchange.requestBody ?? '');
  const responseBody = Buffer.from(exchange.responseBody ?? '');
  const authority = exchange.port === undefined ? host : `${host}:${String(exchange.port)}`;
  const startedAt = exchange.startedAt ?? STARTED_AT + id * 1_000;
  tap.begin({
    id,
    kind: 'http',
    startedAt,
    clientConnection: 1,
    clientStream: exchange.clientStream ?? 0,
    clientAddress: '127.0.0.1:50000',
    clientProtocol: 'http/1.1',
    scheme,
    host,
    port: exchange.port ?? (scheme === 'https' ? 443 : 80),
    method,
    path,
    head: head(`${method} ${path} HTTP/1.1`, [`Host: ${authority}`, ...(exchange.requestHeaders ?? [])]),
    sentHead: null,
  });
  if (requestBody.length > 0) tap.payload(id, 'request', requestBody, 0, requestBody.length);
  for (const one of exchange.informational ?? []) tap.informational(id, head(one, []));
  if (status !== null) {
    tap.origin(id, 2, '192.0.2.7:443', 'http/1.1', false);
    tap.response(id, {
      status,
      head: head(`HTTP/1.1 ${String(status)} Fine`, exchange.responseHeaders ?? []),
      sentHead: null,
    });
    recordBody(tap, id, responseBody, exchange);
  }
  if (exchange.ended === false) return;
  tap.end(id, {
    timing: { dns: 100, connect: 300, tls: 900, sent: 1_000, firstByte: 4_000, end: 5_000 },
    requestBodyBytes: requestBody.length,
    responseBodyBytes: responseBody.length,
    error: null,
    anomalies: [],
    complete: true,
    sentRequestFraming: 'as-received',
    sentResponseFraming: 'as-received',
    ...exchange.end,
  });
}

function recordBody(tap: CaptureTap, id: number, body: Buffer, exchange: RecordedExchange): void {
  if (exchange.chunks === undefined) {
    if (body.length > 0) tap.payload(id, 'response', body, 0, body.length);
    return;
  }
  const framing = (text: string): void => {
    const bytes = Buffer.from(text, 'latin1');
    tap.framing(id, 'response', bytes, 0, bytes.length);
  };
  let at = 0;
  for (const size of exchange.chunks) {
    framing(`${size.toString(16)}\r\n`);
    tap.payload(id, 'response', body, at, at + size);
    framing('\r\n');
    at += size;
  }
  const trailers = (exchange.trailers ?? []).map((line) => `${line}\r\n`).join('');
  framing(`0\r\n${trailers}\r\n`);
  if (trailers !== '') tap.trailers(id, 'response', Buffer.from(trailers, 'latin1'));
}

function head(startLine: string, fields: readonly string[]): Buffer {
  return Buffer.from([startLine, ...fields, '', ''].join('\r\n'), 'latin1');
}
