/**
 * From when the age of a session's exchanges counts, where that is later than when they began: what is imported may be years
 * old and came here today. Zero for what was recorded here.
 */
export const AGE_OF_IMPORTS = `
ALTER TABLE session ADD COLUMN kept_from INTEGER NOT NULL DEFAULT 0;
UPDATE session SET kept_from = started_at
WHERE EXISTS (SELECT 1 FROM exchange WHERE session_id = session.id AND exchange.started_at < session.started_at);
`;
