-- A refresh whose answer was lost was used by nobody, so the token from before stays good until a pair that was made of it has been
-- used. Tokens that were changed before this migration go by the ten seconds alone.
ALTER TABLE session
    ADD COLUMN rotation       int NOT NULL DEFAULT 0,
    ADD COLUMN answer_used    boolean NOT NULL DEFAULT true,
    ADD COLUMN sibling_hashes bytea[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN session.rotation IS 'How often its token was changed; access tokens say of which pair they are.';
COMMENT ON COLUMN session.answer_used IS 'A pair of the last change has been used.';
COMMENT ON COLUMN session.sibling_hashes IS 'The other tokens that the previous one was changed for, its answer being lost or late.';
