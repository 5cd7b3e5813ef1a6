/**
 * What people note on exchanges, and which program made them. `session_id` of an exchange that was deleted and can still
 * be brought back is the negative of its session's: it is in no list, whatever the list's order, and costs none anything.
 */
export const MARKS_AND_PROGRAMS = `
ALTER TABLE exchange ADD COLUMN commented INTEGER NOT NULL DEFAULT 0;
ALTER TABLE exchange ADD COLUMN program TEXT NOT NULL DEFAULT '';
ALTER TABLE exchange ADD COLUMN operation TEXT NOT NULL DEFAULT '';

-- The program at the client's end of a connection; ids of connections are those of the whole data folder.
CREATE TABLE client_program (
  connection_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  pid INTEGER NOT NULL,
  path TEXT NOT NULL
) STRICT;

CREATE TABLE program (
  session_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  exchanges INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  PRIMARY KEY (session_id, name)
) STRICT, WITHOUT ROWID;
`;
