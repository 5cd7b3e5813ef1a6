import type { BodyWindow, MessageFilter, MessageSide, MessageSummary } from '#contract';
import type { StoreReader } from '../../app/backend/store/store-reader.ts';
import type { CaptureTap } from '../../proxy-engine/capture/create-tap.ts';
import type { EndRecord } from '../../proxy-engine/capture/tap.ts';

export const STREAM_STARTED_AT = 1_764_000_000_000_000;

export const EVERY_MESSAGE: MessageFilter = { side: null, kinds: [], text: '' };

/** Heads of an exchange that carries messages. */
export interface StreamHeads {
  readonly kind?: 'http' | 'websocket';
  readonly method?: string;
  readonly path?: string;
  readonly requestFields?: readonly string[];
  readonly status?: number;
  /** The origin answers by HTTP/2. */
  readonly byHttp2?: boolean;
  readonly responseFields?: readonly string[];
}

/** Begins an exchange as the pipeline would; `send` is called for each piece that passes afterwards. */
export function beginStream(tap: CaptureTap, id: number, heads: StreamHeads): StreamOnTap {
  const { kind = 'http', method = kind === 'websocket' ? 'GET' : 'POST', path = '/stream', status = 200 } = heads;
  tap.begin({
    id,
    kind,
    startedAt: STREAM_STARTED_AT,
    clientConnection: 1,
    clientAddress: '127.0.0.1:50000',
    clientProtocol: 'http/1.1',
    scheme: 'https',
    host: 'live.test',
    port: 443,
    method,
    path,
    head: head(`${method} ${path} HTTP/1.1`, heads.requestFields ?? []),
    sentHead: null,
  });
  return {
    answer() {
      tap.response(id, {
        status,
        head: head(
          heads.byHttp2 === true ? `:status: ${String(status)}` : `HTTP/1.1 ${String(status)} Fine`,
          heads.responseFields ?? [],
        ),
        sentHead: null,
      });
    },
    send(side, bytes) {
      const piece = Buffer.from(bytes);
      tap.payload(id, side, piece, 0, piece.length);
      // The engine uses its buffers again.
      piece.fill(0xee);
    },
    trailers(lines) {
      tap.trailers(id, 'response', Buffer.from(lines.map((line) => `${line}\r\n`).join(''), 'latin1'));
    },
    end(more = {}) {
      tap.end(id, {
        timing: { dns: null, connect: null, tls: null, sent: 10, firstByte: 20, end: 9_000_000 },
        requestBodyBytes: 0,
        responseBodyBytes: 0,
        error: null,
        anomalies: [],
        complete: true,
        sentRequestFraming: 'as-received',
        sentResponseFraming: 'as-received',
        ...more,
      });
    },
  };
}

export interface StreamOnTap {
  answer(): void;
  send(side: MessageSide, bytes: Buffer | string): void;
  trailers(lines: readonly string[]): void;
  end(more?: Partial<EndRecord>): void;
}

/** Every message that a filter leaves, page by page. */
export async function allMessages(
  reader: StoreReader,
  exchange: number,
  filter: MessageFilter = EVERY_MESSAGE,
): Promise<MessageSummary[]> {
  const rows: MessageSummary[] = [];
  for (let after: number | null = 0; after !== null;) {
    const page = await reader.messagePage({ exchange, filter, after, limit: 500 });
    rows.push(...page.rows);
    after = page.next;
  }
  return rows;
}

/** A whole payload, window by window. */
export function wholePayload(reader: StoreReader, exchange: number, sequence: number): Buffer {
  const pieces: Uint8Array[] = [];
  for (let offset = 0; ;) {
    const window: BodyWindow = reader.messageRead({ exchange, sequence, offset, length: 262_144 });
    pieces.push(window.bytes);
    offset += window.bytes.length;
    if (window.bytes.length === 0 || offset === window.totalBytes) return Buffer.concat(pieces);
  }
}

function head(startLine: string, fields: readonly string[]): Buffer {
  return Buffer.from([startLine, 'Host: live.test', ...fields, '', ''].join('\r\n'), 'latin1');
}
