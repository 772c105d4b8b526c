-- A school may be restored from its archive beside the one it was made of: its people
-- keep their ids, so that an account is told by school and user.
DROP INDEX account_user_key;
CREATE UNIQUE INDEX account_user_key ON account (user_id, school_id) NULLS NOT DISTINCT;

-- Archives of whole schools, asked for by super-admins, made by a job, kept for a day.
CREATE TABLE school_export (
    id           uuid PRIMARY KEY,
    school_id    uuid NOT NULL REFERENCES school (id) ON DELETE CASCADE,
    state        text NOT NULL DEFAULT 'QUEUED' CHECK (state IN ('QUEUED', 'RUNNING', 'READY', 'FAILED')),
    attempts     int NOT NULL DEFAULT 0,
    tables       int NOT NULL DEFAULT 0,
    tables_done  int NOT NULL DEFAULT 0,
    row_count    bigint NOT NULL DEFAULT 0,
    size_bytes   bigint NOT NULL DEFAULT 0,
    sha256       text NOT NULL DEFAULT '',
    error        text NOT NULL DEFAULT '',
    requested_by uuid,
    created_at   timestamptz NOT NULL,
    finished_at  timestamptz,
    -- From then on it is not given any more, and its bytes go.
    expires_at   timestamptz
);
-- One at a time for a school.
CREATE UNIQUE INDEX school_export_open_key ON school_export (school_id) WHERE state IN ('QUEUED', 'RUNNING');
CREATE INDEX school_export_school_idx ON school_export (school_id, created_at DESC);
