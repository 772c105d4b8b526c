-- A proof ages: who had a number half a year ago may not have it any more.
ALTER TABLE session ADD COLUMN proven_at timestamptz;
UPDATE session SET proven_at = created_at WHERE proven_phone <> '';

-- A sign-in that waits for its second factor ends when the password or the contact it came
-- from is changed, or all sessions are ended: each of these raises the epoch.
ALTER TABLE account ADD COLUMN epoch integer NOT NULL DEFAULT 0;
