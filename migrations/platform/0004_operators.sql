-- What the platform's operators look at and do: administrators of schools, migrations
-- they asked for, and how much is going on.

ALTER TABLE account
    -- How a school's administrator is called, copied from the school: a list over all
    -- schools cannot ask each of them. Nobody else's name is in the directory.
    ADD COLUMN name text NOT NULL DEFAULT '',
    -- Since when the platform keeps them out, whatever their school says of them.
    ADD COLUMN barred_at timestamptz;
CREATE INDEX account_school_idx ON account (school_id);
CREATE INDEX account_admin_idx ON account (created_at, id) WHERE role_type = 'SCHOOL_ADMIN';
-- Found by how they begin.
CREATE INDEX account_phone_prefix_idx ON account (phone text_pattern_ops) WHERE phone IS NOT NULL;
CREATE INDEX account_email_prefix_idx ON account (lower(email) text_pattern_ops) WHERE email IS NOT NULL;

-- What was done to a school is found by the school.
UPDATE audit_event SET school_id = entity_id::uuid WHERE entity = 'school' AND school_id IS NULL
    AND entity_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$';
CREATE INDEX audit_event_school_idx ON audit_event (school_id, occurred_at DESC) WHERE school_id IS NOT NULL;
CREATE INDEX audit_event_actor_idx ON audit_event (actor_id, occurred_at DESC);
CREATE INDEX audit_event_entity_idx ON audit_event (entity, entity_id, occurred_at DESC);

-- A migration of schools that an operator asked for.
CREATE TABLE migration_run (
    id          uuid PRIMARY KEY,
    -- Which schools; null is all that are behind.
    school_ids  uuid[],
    state       text NOT NULL DEFAULT 'QUEUED' CHECK (state IN ('QUEUED', 'RUNNING', 'DONE', 'FAILED')),
    -- Schemas: the schools, and with all of them the spares; one template for every node.
    total       int NOT NULL DEFAULT 0,
    done        int NOT NULL DEFAULT 0,
    failed      int NOT NULL DEFAULT 0,
    error       text NOT NULL DEFAULT '',
    asked_by    uuid,
    created_at  timestamptz NOT NULL,
    started_at  timestamptz,
    finished_at timestamptz,
    -- When somebody last worked on it.
    updated_at  timestamptz NOT NULL
);
CREATE INDEX migration_run_created_idx ON migration_run (created_at DESC);
-- Never two at once.
CREATE UNIQUE INDEX migration_run_open_key ON migration_run ((true)) WHERE state IN ('QUEUED', 'RUNNING');

-- What there is at a school, as last counted. Asking every school would take too long.
CREATE TABLE school_count (
    school_id      uuid PRIMARY KEY REFERENCES school (id) ON DELETE CASCADE,
    students       int NOT NULL,
    employees      int NOT NULL,
    guardians      int NOT NULL,
    file_bytes     bigint NOT NULL,
    database_bytes bigint NOT NULL,
    counted_at     timestamptz NOT NULL
);

-- What all instances together answered in a minute, and of each school in an hour. A row
-- a minute for every school would be millions a day.
CREATE TABLE traffic_minute (
    at       timestamptz PRIMARY KEY,
    requests bigint NOT NULL,
    errors   bigint NOT NULL,
    micros   bigint NOT NULL
);
CREATE TABLE traffic_hour (
    at        timestamptz NOT NULL,
    school_id uuid NOT NULL,
    requests  bigint NOT NULL,
    errors    bigint NOT NULL,
    micros    bigint NOT NULL,
    PRIMARY KEY (at, school_id)
);
CREATE INDEX traffic_hour_school_idx ON traffic_hour (school_id, at DESC);
