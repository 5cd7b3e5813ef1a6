/** Which exchange a row repeats; 0 for one that a client sent by itself. Only replays are in the index. */
export const REPLAYS = `
ALTER TABLE exchange ADD COLUMN replay_of INTEGER NOT NULL DEFAULT 0;
CREATE INDEX exchange_replays ON exchange (replay_of, id) WHERE replay_of > 0;
`;
