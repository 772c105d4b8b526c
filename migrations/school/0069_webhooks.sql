-- Addresses that are told what happened at the school, and what was sent to them.
CREATE TABLE webhook (
    id            uuid PRIMARY KEY,
    name          text NOT NULL,
    url           text NOT NULL,
    kinds         jsonb NOT NULL, -- an array of texts
    status        text NOT NULL CHECK (status IN ('ACTIVE', 'OFF', 'SUSPENDED')),
    -- How it does: since when it has taken nothing, how often in a row, and until when it is left alone.
    failing_since timestamptz,
    failures      int NOT NULL DEFAULT 0,
    paused_until  timestamptz,
    last_error    text NOT NULL DEFAULT '',
    delivered_at  timestamptz,
    version       int NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    created_by    uuid,
    updated_by    uuid
);
CREATE UNIQUE INDEX webhook_name_key ON webhook (lower(name));

CREATE TABLE webhook_delivery (
    id             uuid PRIMARY KEY,
    webhook_id     uuid NOT NULL CONSTRAINT webhook_delivery_webhook_fkey REFERENCES webhook (id) ON DELETE CASCADE,
    event_id       uuid NOT NULL,
    kind           text NOT NULL,
    record_type    text NOT NULL,
    record_id      uuid NOT NULL,
    record_version int,
    action         text NOT NULL DEFAULT '',
    occurred_at    timestamptz NOT NULL,
    -- The order in which facts of a record are sent.
    queued_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    state          text NOT NULL DEFAULT 'QUEUED' CHECK (state IN ('QUEUED', 'SENT', 'FAILED')),
    attempts       int NOT NULL DEFAULT 0,
    first_tried_at timestamptz,
    -- When it is tried next. While it is being tried: when others may take it up.
    next_at        timestamptz NOT NULL,
    last_status    int,
    last_error     text NOT NULL DEFAULT '',
    sent_at        timestamptz,
    CONSTRAINT webhook_delivery_once UNIQUE (webhook_id, event_id)
);
CREATE INDEX webhook_delivery_queue_idx ON webhook_delivery (queued_at, id) WHERE state = 'QUEUED';
CREATE INDEX webhook_delivery_record_idx ON webhook_delivery (webhook_id, record_id, queued_at, id) WHERE state = 'QUEUED';
CREATE INDEX webhook_delivery_log_idx ON webhook_delivery (occurred_at DESC, id DESC);
CREATE INDEX webhook_delivery_queued_idx ON webhook_delivery (queued_at);
