-- Files of any kind are imported in one frame. What a run wrote is kept for some weeks, so that it can be taken back while nothing
-- depends on it: rows it made have no state before it. sum is of the row as the run left it.
ALTER TABLE import_run
    DROP CONSTRAINT import_run_kind_check,
    ADD CONSTRAINT import_run_kind_check CHECK (kind ~ '^[A-Z_]{1,40}$'),
    ADD COLUMN undone_at timestamptz,
    ADD COLUMN undone_by uuid,
    ADD COLUMN undo jsonb NOT NULL DEFAULT '{}'; -- what taking it back needs, of kinds that are not taken back row by row
CREATE INDEX import_run_kind_idx ON import_run (kind, created_at DESC);

CREATE TABLE import_change (
    run_id     uuid NOT NULL CONSTRAINT import_change_run_fkey REFERENCES import_run (id) ON DELETE CASCADE,
    table_name text NOT NULL,
    row_key    text NOT NULL, -- its primary key, | between the columns
    sum        text NOT NULL,
    before     jsonb,
    PRIMARY KEY (run_id, table_name, row_key)
);
