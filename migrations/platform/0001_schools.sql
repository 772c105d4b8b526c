-- The platform's own records: which schools there are and where they live.

CREATE TABLE node (
    name        text PRIMARY KEY CHECK (name ~ '^[a-z][a-z0-9-]{0,30}$'),
    -- Empty: the server the platform itself was configured with (DATABASE_URL).
    url         text NOT NULL DEFAULT '',
    -- Where school queries go when a pooler stands in front of this server.
    pool_url    text NOT NULL DEFAULT '',
    state       text NOT NULL DEFAULT 'ACTIVE' CHECK (state IN ('ACTIVE', 'DRAINING')),
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE school (
    id                     uuid PRIMARY KEY,
    code                   text NOT NULL,
    name                   text NOT NULL,
    -- Both are empty until the school's schema is reserved.
    node                   text REFERENCES node (name),
    schema_name            text UNIQUE CHECK (schema_name ~ '^school_[0-9a-f]{32}$'),
    shard                  int,
    status                 text NOT NULL CHECK (status IN ('PROVISIONING', 'ACTIVE', 'SUSPENDED', 'ARCHIVED', 'FAILED')),
    time_zone              text NOT NULL,
    locale                 text NOT NULL,
    currency               text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    weekend_days           smallint[] NOT NULL DEFAULT '{0,6}',
    address                text NOT NULL DEFAULT '',
    phone                  text NOT NULL DEFAULT '',
    email                  text NOT NULL DEFAULT '',
    logo_file_id           uuid,
    schema_version         int NOT NULL DEFAULT 0,
    migration_error        text NOT NULL DEFAULT '',
    version                int NOT NULL DEFAULT 1,
    created_at             timestamptz NOT NULL DEFAULT now(),
    updated_at             timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 80);
-- A fleet's migration changes schema_version in every row: with room on the page, and
-- no index on what changes, that touches no index at all.
CREATE UNIQUE INDEX school_code_key ON school (lower(code));
CREATE INDEX school_node_idx ON school (node, shard);

-- What onboarding one school has done so far; each step is done at most once.
CREATE TABLE provisioning_step (
    school_id    uuid NOT NULL REFERENCES school (id) ON DELETE CASCADE,
    step         text NOT NULL,
    position     int NOT NULL,
    started_at   timestamptz,
    finished_at  timestamptz,
    attempts     int NOT NULL DEFAULT 0,
    error        text NOT NULL DEFAULT '',
    PRIMARY KEY (school_id, step)
);

-- The first administrator as asked for, kept until the school exists.
CREATE TABLE provisioning_request (
    school_id  uuid PRIMARY KEY REFERENCES school (id) ON DELETE CASCADE,
    admin      jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Migrated, empty schemas that wait for a school.
CREATE TABLE spare_schema (
    schema_name    text PRIMARY KEY CHECK (schema_name ~ '^school_[0-9a-f]{32}$'),
    node           text NOT NULL REFERENCES node (name),
    shard          int NOT NULL,
    schema_version int NOT NULL,
    -- A spare under construction is not ready; one that never became ready is swept away.
    ready          boolean NOT NULL DEFAULT false,
    created_at     timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE audit_event (
    id          uuid PRIMARY KEY,
    actor_id    uuid,
    actor_role  text NOT NULL,
    action      text NOT NULL,
    entity      text NOT NULL,
    entity_id   text NOT NULL,
    school_id   uuid,
    before      jsonb,
    after       jsonb,
    reason      text NOT NULL DEFAULT '',
    ip          text NOT NULL DEFAULT '',
    request_id  text NOT NULL DEFAULT '',
    occurred_at timestamptz NOT NULL
);
CREATE INDEX audit_event_occurred_idx ON audit_event (occurred_at DESC, id DESC);

CREATE TABLE idempotency (
    actor_id    uuid NOT NULL,
    key         text NOT NULL,
    row_name    text NOT NULL,
    body_hash   bytea NOT NULL,
    status      int,
    answer      text, -- as it went out, byte for byte
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (actor_id, key)
);
CREATE INDEX idempotency_created_idx ON idempotency (created_at);
