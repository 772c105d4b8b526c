-- What telling people needs beyond one school: devices, the platform's own messages,
-- what could not be delivered anywhere, and what was spent.

-- A device belongs to whom it was last used by, at whichever school that is. It is
-- told only while that session lives.
CREATE TABLE device_token (
    token        text PRIMARY KEY,
    session_id   uuid NOT NULL REFERENCES session (id) ON DELETE CASCADE,
    school_id    uuid NOT NULL,
    user_id      uuid NOT NULL,
    platform     text NOT NULL DEFAULT '',
    last_seen_at timestamptz NOT NULL
);
CREATE INDEX device_token_user_idx ON device_token (user_id);
CREATE INDEX device_token_session_idx ON device_token (session_id);

-- Codes and links on their way out. The text is sealed: it lets people in.
CREATE TABLE message (
    id          uuid PRIMARY KEY,
    channel     text NOT NULL CHECK (channel IN ('SMS', 'EMAIL')),
    recipient   text NOT NULL,
    sealed      bytea NOT NULL,
    state       text NOT NULL DEFAULT 'QUEUED' CHECK (state IN ('QUEUED', 'SENT', 'FAILED')),
    attempts    int NOT NULL DEFAULT 0,
    next_at     timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    last_error  text NOT NULL DEFAULT '',
    provider_id text NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL
);
CREATE INDEX message_due_idx ON message (channel, next_at) WHERE state = 'QUEUED';

-- What was given up, over all schools. The delivery itself is in its school; one of
-- the platform's own has no school.
CREATE TABLE dead_letter (
    id         uuid PRIMARY KEY,
    school_id  uuid,
    channel    text NOT NULL,
    recipient  text NOT NULL,
    type       text NOT NULL,
    attempts   int NOT NULL,
    last_error text NOT NULL,
    created_at timestamptz NOT NULL,
    failed_at  timestamptz NOT NULL
);
CREATE INDEX dead_letter_failed_idx ON dead_letter (failed_at DESC, id DESC);
CREATE INDEX dead_letter_school_idx ON dead_letter (school_id, failed_at DESC);

-- Segments of SMS sent on a day (UTC), by all schools together.
CREATE TABLE sms_day (
    day      date PRIMARY KEY,
    segments int NOT NULL
);
