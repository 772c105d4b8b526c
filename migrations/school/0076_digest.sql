-- What can wait is gathered for each person and sent as one message at the school's hour, by the rule DIGEST.
ALTER TABLE notice_rule ADD COLUMN digest boolean NOT NULL DEFAULT false,
    ADD CONSTRAINT notice_rule_digest_check CHECK (NOT digest OR type NOT IN ('URGENT', 'DIGEST'));
UPDATE notice_rule SET digest = true WHERE type = 'LIBRARY';
INSERT INTO notice_rule (type, ways) VALUES ('DIGEST', '{PUSH,EMAIL}');
CREATE TABLE digest_entry (
    user_id uuid NOT NULL CONSTRAINT digest_entry_user_fkey REFERENCES app_user (id) ON DELETE CASCADE,
    -- Of the line of the person's log.
    key     text NOT NULL,
    -- RULE: by the first way of the rule DIGEST. SMS and EMAIL: as the person asked for.
    way     text NOT NULL CHECK (way IN ('RULE', 'SMS', 'EMAIL')),
    due_at  timestamptz NOT NULL,
    -- When it is of no use any more; NULL: it always is.
    until   timestamptz,
    PRIMARY KEY (user_id, key, way)
);
CREATE INDEX digest_entry_due_idx ON digest_entry (due_at);
-- A digest is about several records: who was reached by it is found by the keys of its lines.
CREATE INDEX delivery_digest_idx ON delivery (user_id) WHERE record_id IS NULL AND log_keys IS NOT NULL;

ALTER TABLE school_setting
    -- When digests are sent; NULL: there are none, everything is sent at once.
    ADD COLUMN digest_at time DEFAULT '18:00',
    ADD COLUMN whatsapp_daily_limit int NOT NULL DEFAULT 2000 CHECK (whatsapp_daily_limit >= 0);
-- Messages by WhatsApp sent on a day of the school's.
CREATE TABLE whatsapp_day (
    day      date PRIMARY KEY,
    messages int NOT NULL
);
