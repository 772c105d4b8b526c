-- What webhooks of schools are signed with, encrypted under HOMEROOM_SECRET. They are here and not at the schools, so that a new
-- secret of the installation encrypts all of them in one transaction, and an archive of a school has none.
CREATE TABLE webhook_secret (
    webhook_id uuid PRIMARY KEY,
    school_id  uuid NOT NULL REFERENCES school (id) ON DELETE CASCADE,
    sealed     bytea NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX webhook_secret_school_idx ON webhook_secret (school_id);
