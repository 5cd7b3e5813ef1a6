/**
 * The first schema. `exchange` is what lists show and sort; `exchange_detail` is what one opened row needs. Unknown values
 * of sorted columns are 0, -1 or '' rather than NULL, so that a page key compares with every row.
 *
 * Bodies and framing stand inline up to 16 KiB; beyond that `…_segment` names a row of `segment`, whose file is
 * `bodies/` and the hash in hex. `refs` counts the columns that name it; a row without any is deleted with its file.
 */
export const FIRST_SCHEMA = `
CREATE TABLE session (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  sample INTEGER NOT NULL,
  exchanges INTEGER NOT NULL
) STRICT;

CREATE TABLE exchange (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  duration INTEGER NOT NULL,
  method TEXT NOT NULL,
  scheme TEXT NOT NULL,
  host TEXT NOT NULL,
  port INTEGER NOT NULL,
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  media_type TEXT NOT NULL,
  client_address TEXT NOT NULL,
  client_protocol TEXT NOT NULL,
  origin_address TEXT,
  origin_protocol TEXT,
  request_body_bytes INTEGER NOT NULL,
  response_body_bytes INTEGER NOT NULL,
  error TEXT,
  anomalies TEXT NOT NULL,
  bodies TEXT NOT NULL,
  label INTEGER NOT NULL,
  pinned INTEGER NOT NULL
) STRICT;

CREATE INDEX exchange_by_time ON exchange (session_id, started_at);
CREATE INDEX exchange_by_status ON exchange (session_id, status);
CREATE INDEX exchange_by_host ON exchange (session_id, host);
-- An index on a duration or a size would be written at a place of its own for each row, which costs the writer as much
-- as all other indexes together. These figures stand in the order of the rows instead, and are sorted when asked for.
CREATE INDEX exchange_figures ON exchange (session_id, id, duration, response_body_bytes);
CREATE INDEX exchange_by_method ON exchange (session_id, method);
CREATE INDEX exchange_by_type ON exchange (session_id, media_type);
CREATE INDEX exchange_active ON exchange (id) WHERE state = 'active';

CREATE TABLE exchange_detail (
  exchange_id INTEGER PRIMARY KEY,
  client_connection INTEGER NOT NULL,
  origin_connection INTEGER,
  origin_reused INTEGER NOT NULL,
  time_dns INTEGER,
  time_connect INTEGER,
  time_tls INTEGER,
  time_sent INTEGER,
  time_first_byte INTEGER,
  time_end INTEGER,
  request_sent_framing TEXT NOT NULL,
  response_sent_framing TEXT NOT NULL,
  request_body_segment INTEGER,
  response_body_segment INTEGER,
  request_framing_segment INTEGER,
  response_framing_segment INTEGER,
  comment TEXT NOT NULL,
  request_head BLOB NOT NULL,
  request_sent_head BLOB,
  response_head BLOB,
  response_sent_head BLOB,
  informational BLOB,
  request_trailers BLOB,
  response_trailers BLOB,
  request_framing BLOB,
  response_framing BLOB,
  request_body BLOB,
  response_body BLOB
) STRICT;

CREATE TABLE connection (
  session_id INTEGER NOT NULL,
  id INTEGER NOT NULL,
  side TEXT NOT NULL,
  address TEXT NOT NULL,
  protocol TEXT NOT NULL,
  tls TEXT,
  PRIMARY KEY (session_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE segment (
  id INTEGER PRIMARY KEY,
  hash BLOB NOT NULL UNIQUE,
  bytes INTEGER NOT NULL,
  refs INTEGER NOT NULL
) STRICT;

CREATE TABLE host (
  session_id INTEGER NOT NULL,
  host TEXT NOT NULL,
  port INTEGER NOT NULL,
  exchanges INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  PRIMARY KEY (session_id, host, port)
) STRICT, WITHOUT ROWID;

-- Ids below these may have been used by rows that are deleted now.
CREATE TABLE watermark (exchange INTEGER NOT NULL, connection INTEGER NOT NULL) STRICT;
INSERT INTO watermark VALUES (1, 1);
`;
