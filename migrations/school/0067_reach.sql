-- The office looks up whom a notice about a record has reached, whatever it is about.
CREATE INDEX notification_about_idx ON notification (record_id) WHERE record_id IS NOT NULL;
CREATE INDEX delivery_about_idx ON delivery (record_id, user_id) WHERE record_id IS NOT NULL;
