-- How people are told: by which channel, when not, and what became of each message.

-- A person's wishes, where they differ from push and nothing else.
CREATE TABLE notification_preference (
    user_id uuid NOT NULL CONSTRAINT notification_preference_user_fkey REFERENCES app_user (id) ON DELETE CASCADE,
    type    text NOT NULL,
    push    boolean NOT NULL,
    sms     boolean NOT NULL,
    email   boolean NOT NULL,
    PRIMARY KEY (user_id, type)
);

-- The school's one record of how it tells people things.
CREATE TABLE delivery_setting (
    id              boolean PRIMARY KEY DEFAULT true CHECK (id),
    -- Between these what can wait waits; NULL: it never does.
    quiet_from      time,
    quiet_to        time,
    sms_price       bigint NOT NULL DEFAULT 0 CHECK (sms_price >= 0),
    sms_daily_limit int NOT NULL DEFAULT 2000 CHECK (sms_daily_limit >= 0),
    version         int NOT NULL DEFAULT 1,
    updated_by      uuid,
    updated_at      timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT delivery_setting_quiet_check CHECK ((quiet_from IS NULL) = (quiet_to IS NULL) AND (quiet_from IS NULL OR quiet_from <> quiet_to))
);
INSERT INTO delivery_setting DEFAULT VALUES;

-- One message on one channel. It is QUEUED until a provider took it or it is given up.
CREATE TABLE delivery (
    id          uuid PRIMARY KEY,
    channel     text NOT NULL CHECK (channel IN ('PUSH', 'SMS', 'EMAIL')),
    -- A topic or user_{id}, a phone, an e-mail address.
    recipient   text NOT NULL,
    user_id     uuid,
    purpose     text NOT NULL CHECK (purpose IN ('NOTICE', 'DISPATCH')),
    type        text NOT NULL DEFAULT '',
    record_id   uuid,
    student_id  uuid,
    dispatch_id uuid,
    title       text NOT NULL,
    body        text NOT NULL,
    badge       int NOT NULL DEFAULT 1,
    segments    int NOT NULL DEFAULT 1,
    dedupe_key  text NOT NULL CONSTRAINT delivery_once UNIQUE,
    state       text NOT NULL DEFAULT 'QUEUED' CHECK (state IN ('QUEUED', 'SENT', 'FAILED')),
    attempts    int NOT NULL DEFAULT 0,
    -- When it is tried next. While it is being sent: when others may take it up.
    next_at     timestamptz NOT NULL,
    last_error  text NOT NULL DEFAULT '',
    provider_id text NOT NULL DEFAULT '',
    sent_at     timestamptz,
    created_at  timestamptz NOT NULL
);
CREATE INDEX delivery_due_idx ON delivery (channel, next_at) WHERE state = 'QUEUED';
CREATE INDEX delivery_dispatch_idx ON delivery (dispatch_id, state) WHERE dispatch_id IS NOT NULL;
CREATE INDEX delivery_record_idx ON delivery (record_id) WHERE record_id IS NOT NULL AND state = 'QUEUED';

-- Segments of SMS sent on a day of the school's.
CREATE TABLE sms_day (
    day      date PRIMARY KEY,
    segments int NOT NULL
);

-- Texts the office sends again and again, and what it sent to many.
CREATE TABLE dispatch_template (
    id         uuid PRIMARY KEY,
    channel    text NOT NULL CHECK (channel IN ('SMS', 'EMAIL')),
    name       text NOT NULL,
    subject    text NOT NULL DEFAULT '',
    body       text NOT NULL,
    version    int NOT NULL DEFAULT 1,
    created_by uuid,
    updated_by uuid,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX dispatch_template_name_key ON dispatch_template (channel, lower(name));

CREATE TABLE dispatch (
    id         uuid PRIMARY KEY,
    channel    text NOT NULL CHECK (channel IN ('SMS', 'EMAIL')),
    subject    text NOT NULL DEFAULT '',
    body       text NOT NULL,
    audience   jsonb NOT NULL,
    recipients int NOT NULL,
    segments   int NOT NULL DEFAULT 0,
    cost       bigint NOT NULL DEFAULT 0,
    created_by uuid,
    created_at timestamptz NOT NULL
);
CREATE INDEX dispatch_created_idx ON dispatch (created_at DESC, id DESC);
ALTER TABLE delivery ADD CONSTRAINT delivery_dispatch_fkey FOREIGN KEY (dispatch_id) REFERENCES dispatch (id);

-- Who was told of a record, and who has read it.
CREATE INDEX notification_record_idx ON notification (record_id) WHERE type = 'ANNOUNCEMENT';
