-- What other programs call the office's rows with. A key has a user and a role of its own, of the same id: records name it as
-- they name a person, and its rights are permissions as all others are.
ALTER TABLE role DROP CONSTRAINT role_type_check;
ALTER TABLE role ADD CONSTRAINT role_type_check CHECK (type IN ('SCHOOL_ADMIN', 'TEACHER', 'PARENT', 'DRIVER', 'KEY'));

CREATE TABLE api_key (
    id           uuid PRIMARY KEY CONSTRAINT api_key_user_fkey REFERENCES app_user (id),
    name         text NOT NULL,
    secret_hash  bytea NOT NULL,
    per_minute   int NOT NULL CHECK (per_minute BETWEEN 1 AND 600),
    ends_on      date, -- the last day, at the school
    last_used_at timestamptz,
    created_by   uuid NOT NULL,
    created_at   timestamptz NOT NULL,
    revoked_at   timestamptz,
    revoked_by   uuid
);
CREATE UNIQUE INDEX api_key_name_key ON api_key (lower(name)) WHERE revoked_at IS NULL;
CREATE INDEX api_key_created_idx ON api_key (created_at DESC, id DESC);
