/**
 * Frames of HTTP/2 connections, as many in a row as came between two commits, packed as batches have them. `sequence` is the
 * first one's and `last` the last one's; `newest_exchange` is the youngest exchange of that time, with which they are deleted.
 * Streams are 0 where there is none.
 */
export const HTTP2_FRAMES = `
ALTER TABLE exchange_detail ADD COLUMN client_stream INTEGER NOT NULL DEFAULT 0;
ALTER TABLE exchange_detail ADD COLUMN origin_stream INTEGER NOT NULL DEFAULT 0;

CREATE TABLE http2_frames (
  connection_id INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  last INTEGER NOT NULL,
  newest_exchange INTEGER NOT NULL,
  packed BLOB NOT NULL,
  PRIMARY KEY (connection_id, sequence)
) STRICT, WITHOUT ROWID;

CREATE INDEX http2_frames_by_age ON http2_frames (newest_exchange, connection_id);
`;
