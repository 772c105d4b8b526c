-- A parent's thread with the school's office: it has no recipients of its own, everybody of the
-- office who may read messages is part of it. What was sent up to office_read_at the office has read.
ALTER TABLE thread ADD COLUMN office boolean NOT NULL DEFAULT false;
ALTER TABLE thread ADD COLUMN office_read_at timestamptz;
CREATE INDEX thread_office_idx ON thread (last_message_at) WHERE office;
