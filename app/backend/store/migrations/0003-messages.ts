/**
 * Messages of WebSockets, event streams, gRPC and datagrams. A payload stands in a run of its exchange: in the body of its
 * side where it is there as it is, else (masked, compressed, fragmented) in the run of message payloads of that side, which
 * `message_run` holds as `exchange_detail` holds bodies: `stored_bytes` from `place` on are its own. That of a control frame
 * stands in its row.
 */
export const MESSAGES = `
ALTER TABLE exchange ADD COLUMN messages INTEGER NOT NULL DEFAULT 0;
-- -1: none was told.
ALTER TABLE exchange ADD COLUMN grpc_status INTEGER NOT NULL DEFAULT -1;

CREATE TABLE message (
  exchange_id INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  side TEXT NOT NULL,
  kind TEXT NOT NULL,
  time INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  wire_bytes INTEGER NOT NULL,
  run TEXT NOT NULL,
  place INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL,
  inline BLOB,
  marks TEXT NOT NULL,
  anomalies TEXT NOT NULL,
  facts TEXT,
  preview TEXT NOT NULL,
  PRIMARY KEY (exchange_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE TABLE message_run (
  exchange_id INTEGER NOT NULL,
  side TEXT NOT NULL,
  segment INTEGER,
  inline BLOB,
  PRIMARY KEY (exchange_id, side)
) STRICT, WITHOUT ROWID;
`;
