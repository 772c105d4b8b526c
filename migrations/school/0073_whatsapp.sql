-- WhatsApp is a way to tell people things: to those who have agreed to it, on their phone.
ALTER TABLE delivery DROP CONSTRAINT delivery_channel_check,
    ADD CONSTRAINT delivery_channel_check CHECK (channel IN ('PUSH', 'SMS', 'EMAIL', 'WHATSAPP'));
ALTER TABLE notice_rule DROP CONSTRAINT notice_rule_ways_check,
    ADD CONSTRAINT notice_rule_ways_check CHECK (ways <@ ARRAY['PUSH', 'SMS', 'EMAIL', 'WHATSAPP'] AND cardinality(ways) BETWEEN 1 AND 4
        AND coalesce(array_position(ways, 'PUSH'), 1) = 1);
ALTER TABLE school_setting ADD COLUMN whatsapp_price bigint NOT NULL DEFAULT 0 CHECK (whatsapp_price >= 0);
-- Since when; NULL: they have not agreed.
ALTER TABLE app_user ADD COLUMN whatsapp_since timestamptz;
