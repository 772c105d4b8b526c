-- What callers have of the lists they keep a copy of: of each record its id and a sum of what was answered, so that the next
-- answer can say what has changed and what is gone.
CREATE TABLE list_copy (
    id      uuid PRIMARY KEY,
    user_id uuid NOT NULL,
    list    text NOT NULL, -- a hash of the path and the filters
    base_id uuid,          -- the copy it came of, which is not needed once this one is asked with
    records bytea NOT NULL,
    used_at timestamptz NOT NULL
);
CREATE INDEX list_copy_user_idx ON list_copy (user_id, list, used_at);
CREATE INDEX list_copy_used_idx ON list_copy (used_at);
