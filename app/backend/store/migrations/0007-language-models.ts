/**
 * What calls of language models say of themselves; no model: it is none, or was recorded before. Tokens and microseconds that are
 * not known are -1. Only such calls are in the index.
 */
export const LANGUAGE_MODELS = `
ALTER TABLE exchange ADD COLUMN llm_model TEXT NOT NULL DEFAULT '';
ALTER TABLE exchange ADD COLUMN llm_prompt_tokens INTEGER NOT NULL DEFAULT -1;
ALTER TABLE exchange ADD COLUMN llm_completion_tokens INTEGER NOT NULL DEFAULT -1;
ALTER TABLE exchange ADD COLUMN llm_estimated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE exchange ADD COLUMN llm_first_token INTEGER NOT NULL DEFAULT -1;
ALTER TABLE exchange ADD COLUMN llm_finish TEXT NOT NULL DEFAULT '';
CREATE INDEX exchange_by_model ON exchange (session_id, llm_model) WHERE llm_model <> '';
`;
