-- Pushes of one notice, to devices and to a topic, which a phone shows as one.
ALTER TABLE delivery ADD COLUMN collapse_id uuid;
