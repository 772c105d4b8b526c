-- Notices on browsers by the standard (RFC 8030): the key of this installation, who wants them where, and what is on its way.

-- The key by which push services know this installation (VAPID, RFC 8292). A subscription is bound to it for good.
CREATE TABLE web_push_key (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    -- The private key, encrypted under HOMEROOM_SECRET.
    sealed     bytea NOT NULL,
    created_at timestamptz NOT NULL
);

-- A browser that shows an account's notices, as long as the session lives. Accounts of one phone that are signed in side by
-- side share its endpoint.
CREATE TABLE web_subscription (
    id           uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    session_id   uuid NOT NULL CONSTRAINT web_subscription_session_key UNIQUE REFERENCES session (id) ON DELETE CASCADE,
    school_id    uuid NOT NULL,
    user_id      uuid NOT NULL,
    endpoint     text NOT NULL,
    -- The browser's public key and its secret, for which messages are encrypted (RFC 8291).
    p256dh       bytea NOT NULL,
    auth         bytea NOT NULL,
    last_seen_at timestamptz NOT NULL,
    CONSTRAINT web_subscription_endpoint_key UNIQUE (endpoint, user_id)
);
CREATE INDEX web_subscription_user_idx ON web_subscription (user_id);
CREATE INDEX web_subscription_school_idx ON web_subscription (school_id);

-- A notice on its way to one browser. What was sent stays until it expires, so that it is not queued again.
CREATE TABLE web_message (
    id              uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    delivery_id     uuid NOT NULL,
    subscription_id uuid NOT NULL REFERENCES web_subscription (id) ON DELETE CASCADE,
    -- Encrypted for the browser: nobody else can read it, we neither.
    body            bytea NOT NULL,
    topic           text NOT NULL,
    urgency         text NOT NULL,
    state           text NOT NULL DEFAULT 'QUEUED' CHECK (state IN ('QUEUED', 'SENT', 'FAILED')),
    attempts        int NOT NULL DEFAULT 0,
    -- When it is tried next. While it is being tried: when others may take it up.
    next_at         timestamptz NOT NULL,
    expires_at      timestamptz NOT NULL,
    last_error      text NOT NULL DEFAULT '',
    created_at      timestamptz NOT NULL,
    CONSTRAINT web_message_once UNIQUE (delivery_id, subscription_id)
);
CREATE INDEX web_message_due_idx ON web_message (next_at) WHERE state = 'QUEUED';
CREATE INDEX web_message_subscription_idx ON web_message (subscription_id);
CREATE INDEX web_message_expires_idx ON web_message (expires_at);

-- A browser's subscription ends with its session, as a device does.
CREATE OR REPLACE FUNCTION remove_devices() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    DELETE FROM device_token WHERE session_id = new.id;
    DELETE FROM web_subscription WHERE session_id = new.id;
    RETURN NULL;
END $$;
