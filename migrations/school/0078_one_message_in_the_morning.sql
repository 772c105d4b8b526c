-- What waits for the end of quiet hours waits as what waits for a digest does, and is one message to each person. It goes by
-- the rule of what it tells.
ALTER TABLE digest_entry ADD COLUMN rule text NOT NULL DEFAULT 'DIGEST';
