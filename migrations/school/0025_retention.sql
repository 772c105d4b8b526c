-- What people were told is cleared away some time after. The tables are written in the
-- order of time and cleared in it, so that their oldest rows are found by little.
CREATE INDEX delivery_created_idx ON delivery USING brin (created_at) WITH (pages_per_range = 16);
CREATE INDEX notice_created_idx ON notice USING brin (created_at) WITH (pages_per_range = 16);
CREATE INDEX notification_created_idx ON notification USING brin (created_at) WITH (pages_per_range = 16);

-- How many of a dispatch's messages were sent and given up whose lines are cleared.
ALTER TABLE dispatch ADD COLUMN cleared_sent int NOT NULL DEFAULT 0, ADD COLUMN cleared_failed int NOT NULL DEFAULT 0;
