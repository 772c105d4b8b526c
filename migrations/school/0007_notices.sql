-- What people are told, and the log of it that each of them reads.

-- A notice is written in the transaction of the change it tells of. Until it is told
-- it can be withdrawn; the same key is told once.
CREATE TABLE notice (
    id         uuid PRIMARY KEY,
    type       text NOT NULL CHECK (type IN ('ANNOUNCEMENT', 'ATTENDANCE', 'RESULT', 'FEE', 'LEAVE_REQUEST', 'MESSAGE', 'TRANSPORT')),
    key        text NOT NULL CONSTRAINT notice_key_key UNIQUE,
    record_id  uuid,
    student_id uuid CONSTRAINT notice_student_fkey REFERENCES student (id) ON DELETE CASCADE,
    user_id    uuid CONSTRAINT notice_user_fkey REFERENCES app_user (id) ON DELETE CASCADE,
    title      text NOT NULL,
    body       text NOT NULL,
    teaser     text NOT NULL,
    due_at     timestamptz NOT NULL,
    told_at    timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT notice_addressee CHECK (student_id IS NOT NULL OR user_id IS NOT NULL)
);
CREATE INDEX notice_student_idx ON notice (student_id);
CREATE INDEX notice_user_idx ON notice (user_id);

-- The log: one line for each person a notice is for.
CREATE TABLE notification (
    id         uuid PRIMARY KEY,
    user_id    uuid NOT NULL CONSTRAINT notification_user_fkey REFERENCES app_user (id) ON DELETE CASCADE,
    dedupe_key text NOT NULL,
    type       text NOT NULL,
    title      text NOT NULL,
    body       text NOT NULL,
    record_id  uuid,
    student_id uuid,
    read_at    timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT notification_once UNIQUE (user_id, dedupe_key)
);
CREATE INDEX notification_user_idx ON notification (user_id, created_at DESC, id DESC);
CREATE INDEX notification_unread_idx ON notification (user_id) WHERE read_at IS NULL;
