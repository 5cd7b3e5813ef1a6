import type { Database, Statement } from 'better-sqlite3';
import type { ConnectionFacts, ExchangeDetail, MessageDetail, MessageSide, ProtocolName, TlsFacts } from '#contract';
import { ContractError } from '#contract';
import { charsetOf, contentCodingsOf, fieldValue, mediaTypeOf, parseHead, parseTrailers } from './head-fields.ts';
import { fileBytes, inlineBytes, type StoredBytes } from './stored-run.ts';
import type { RunKind, StoreFolder } from './store-folder.ts';
import { summaryOfRow, type ExchangeRow } from './summary.ts';

/** A row of `exchange_detail` without the runs. */
interface DetailRow {
  readonly client_connection: number;
  readonly origin_connection: number | null;
  readonly origin_reused: number;
  readonly client_stream: number;
  readonly origin_stream: number;
  readonly time_dns: number | null;
  readonly time_connect: number | null;
  readonly time_tls: number | null;
  readonly time_sent: number | null;
  readonly time_first_byte: number | null;
  readonly time_end: number | null;
  readonly request_sent_framing: string;
  readonly response_sent_framing: string;
  readonly comment: string;
  readonly request_head: Buffer;
  readonly request_sent_head: Buffer | null;
  readonly response_head: Buffer | null;
  readonly response_sent_head: Buffer | null;
  readonly informational: Buffer | null;
  readonly request_trailers: Buffer | null;
  readonly response_trailers: Buffer | null;
}

const DETAIL_COLUMNS = `client_connection, origin_connection, origin_reused, client_stream, origin_stream, time_dns, time_connect,
  time_tls, time_sent, time_first_byte, time_end, request_sent_framing, response_sent_framing, comment, request_head, request_sent_head,
  response_head, response_sent_head, informational, request_trailers, response_trailers`;

/** One exchange as stored, for the detail pane and for exports. */
export interface StoredExchange {
  readonly row: ExchangeRow;
  readonly detail: DetailRow;
}

interface ConnectionRow {
  readonly address: string;
  readonly protocol: ProtocolName;
  readonly tls: string | null;
}

/** Looks single exchanges up. */
export class ExchangeDetails {
  readonly #folder: StoreFolder;
  readonly #database: Database;
  readonly #row: Statement;
  readonly #detail: Statement;
  readonly #connection: Statement;
  readonly #program: Statement;
  readonly #runs = new Map<string, Statement>();

  constructor(database: Database, folder: StoreFolder) {
    this.#database = database;
    this.#folder = folder;
    this.#row = database.prepare('SELECT * FROM exchange WHERE id = ?');
    this.#detail = database.prepare(`SELECT ${DETAIL_COLUMNS} FROM exchange_detail WHERE exchange_id = ?`);
    this.#program = database.prepare('SELECT name, pid, path FROM client_program WHERE connection_id = ?');
    this.#connection = database.prepare(
      'SELECT address, protocol, tls FROM connection WHERE session_id = ? AND id = ?',
    );
  }

  /** @throws ContractError `not-found` */
  find(id: number): StoredExchange {
    const row = this.#row.get(id) as ExchangeRow | undefined;
    const detail = this.#detail.get(id) as DetailRow | undefined;
    // A deleted exchange is gone for everyone, also while it could be brought back.
    if (row === undefined || detail === undefined || row.session_id < 0) {
      throw new ContractError('not-found', `Exchange ${String(id)} is not in this capture. It may have been deleted.`);
    }
    return { row, detail };
  }

  /** @throws ContractError `not-found` */
  get(id: number): ExchangeDetail {
    const stored = this.find(id);
    const { row, detail } = stored;
    return {
      summary: summaryOfRow(row),
      request: this.#message(stored, 'request'),
      response: this.#message(stored, 'response'),
      informational: readInformational(detail.informational).map((head) => parseHead(head)),
      timing: {
        dns: detail.time_dns,
        connect: detail.time_connect,
        tls: detail.time_tls,
        sent: detail.time_sent,
        firstByte: detail.time_first_byte,
        end: detail.time_end,
      },
      clientConnection: this.#connectionFacts(row, detail.client_connection, detail.client_stream, false),
      originConnection:
        detail.origin_connection === null
          ? null
          : this.#connectionFacts(row, detail.origin_connection, detail.origin_stream, detail.origin_reused !== 0),
      comment: detail.comment,
    };
  }

  /** The stored bytes of a body or its framing; close them after use. Null when their file is gone. */
  openRun(id: number, side: MessageSide, kind: RunKind): StoredBytes | null {
    const key = `${side}_${kind}`;
    let statement = this.#runs.get(key);
    if (statement === undefined) {
      statement = this.#database.prepare(
        kind === 'messages'
          ? `SELECT inline, state, (SELECT hash FROM segment WHERE id = message_run.segment) AS hash
             FROM message_run JOIN exchange ON exchange.id = exchange_id WHERE exchange_id = ? AND side = '${side}'`
          : `SELECT ${key} AS inline, state, (SELECT hash FROM segment WHERE id = ${key}_segment) AS hash
         FROM exchange_detail JOIN exchange ON exchange.id = exchange_id WHERE exchange_id = ?`,
      );
      this.#runs.set(key, statement);
    }
    const row = statement.get(id) as { inline: Buffer | null; state: string; hash: Buffer | null } | undefined;
    if (row === undefined) return inlineBytes(null);
    if (row.hash !== null) return fileBytes(this.#folder.segment(row.hash));
    // A body that is still coming has left its row for a file; what that file holds is never less.
    const spool = row.state === 'active' ? fileBytes(this.#folder.spoolFile(id, side, kind)) : null;
    return spool ?? inlineBytes(row.inline);
  }

  #message({ row, detail }: StoredExchange, side: MessageSide): MessageDetail | null {
    const head = side === 'request' ? detail.request_head : detail.response_head;
    if (head === null || head.length === 0) return null;
    const { startLine, headers } = parseHead(head);
    const sentHead = side === 'request' ? detail.request_sent_head : detail.response_sent_head;
    const contentType = fieldValue(headers, 'content-type');
    const run = this.openRun(row.id, side, 'body');
    const storedBytes = run?.length ?? 0;
    run?.close();
    return {
      startLine,
      headers,
      sent: sentHead === null ? null : parseHead(sentHead),
      trailers: parseTrailers(side === 'request' ? detail.request_trailers : detail.response_trailers),
      bodyBytes: side === 'request' ? row.request_body_bytes : row.response_body_bytes,
      storedBytes,
      contentEncoding: contentCodingsOf(headers),
      mediaType: mediaTypeOf(contentType),
      charset: charsetOf(contentType),
    };
  }

  #connectionFacts(row: ExchangeRow, id: number, stream: number, reused: boolean): ConnectionFacts | null {
    const found = this.#connection.get(row.session_id, id) as ConnectionRow | undefined;
    if (found === undefined) return null;
    const { address, protocol } = found;
    const program = this.#program.get(id) as ConnectionFacts['program'] | undefined;
    const tls = found.tls === null ? null : (JSON.parse(found.tls) as TlsFacts);
    return { id, address, protocol, tls, stream: stream === 0 ? null : stream, reused, program: program ?? null };
  }
}

/** Heads of 1xx responses, each behind its length. */
function readInformational(packed: Buffer | null): Buffer[] {
  const heads: Buffer[] = [];
  for (let at = 0; packed !== null && at + 4 <= packed.length;) {
    const length = packed.readUInt32LE(at);
    heads.push(packed.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return heads;
}
