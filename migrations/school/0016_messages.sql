-- What people of the school write to each other.

CREATE TABLE thread (
    id              uuid PRIMARY KEY,
    subject         text NOT NULL DEFAULT '',
    student_id      uuid CONSTRAINT thread_student_fkey REFERENCES student (id),
    last_message_at timestamptz NOT NULL,
    created_by      uuid NOT NULL,
    created_at      timestamptz NOT NULL
);
CREATE INDEX thread_student_idx ON thread (student_id) WHERE student_id IS NOT NULL;

CREATE TABLE thread_participant (
    thread_id uuid NOT NULL CONSTRAINT thread_participant_thread_fkey REFERENCES thread (id) ON DELETE CASCADE,
    user_id   uuid NOT NULL CONSTRAINT thread_participant_user_fkey REFERENCES app_user (id) ON DELETE CASCADE,
    -- What was sent up to here they have read.
    read_at   timestamptz,
    PRIMARY KEY (thread_id, user_id)
);
CREATE INDEX thread_participant_user_idx ON thread_participant (user_id, thread_id);

CREATE TABLE message (
    id        uuid PRIMARY KEY,
    thread_id uuid NOT NULL CONSTRAINT message_thread_fkey REFERENCES thread (id) ON DELETE CASCADE,
    sender_id uuid NOT NULL CONSTRAINT message_sender_fkey REFERENCES app_user (id),
    body      text NOT NULL,
    sent_at   timestamptz NOT NULL
);
CREATE INDEX message_thread_idx ON message (thread_id, sent_at, id);
