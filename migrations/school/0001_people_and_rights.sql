-- What every school has from its first day: who may do what, and the books that
-- record what happened.

CREATE TABLE role (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    type       text NOT NULL CHECK (type IN ('SCHOOL_ADMIN', 'TEACHER', 'PARENT', 'DRIVER')),
    system     boolean NOT NULL DEFAULT false,
    version    int NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX role_name_key ON role (lower(name));
CREATE UNIQUE INDEX role_system_type_key ON role (type) WHERE system;

CREATE TABLE module (
    id           uuid PRIMARY KEY,
    name         text NOT NULL UNIQUE,
    display_name text NOT NULL
);

CREATE TABLE permission (
    id         uuid PRIMARY KEY,
    role_id    uuid NOT NULL REFERENCES role (id) ON DELETE CASCADE,
    module_id  uuid NOT NULL REFERENCES module (id) ON DELETE CASCADE,
    can_read   boolean NOT NULL DEFAULT false,
    can_write  boolean NOT NULL DEFAULT false,
    can_delete boolean NOT NULL DEFAULT false,
    version    int NOT NULL DEFAULT 1,
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (role_id, module_id)
);

-- "user" is a reserved word in SQL; the record is called user on the wire.
CREATE TABLE app_user (
    id              uuid PRIMARY KEY,
    role_id         uuid NOT NULL REFERENCES role (id),
    first_name      text NOT NULL DEFAULT '',
    last_name       text NOT NULL DEFAULT '',
    phone           text,
    email           text,
    password_hash   text,
    pin_hash        text,
    pin_failures    int NOT NULL DEFAULT 0,
    status          text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'DISABLED')),
    last_sign_in_at timestamptz,
    version         int NOT NULL DEFAULT 1,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX app_user_email_key ON app_user (lower(email)) WHERE email IS NOT NULL;
CREATE INDEX app_user_phone_idx ON app_user (phone) WHERE phone IS NOT NULL;
CREATE INDEX app_user_role_idx ON app_user (role_id);

-- The school's one record of how it wants things done.
CREATE TABLE school_setting (
    id                     boolean PRIMARY KEY DEFAULT true CHECK (id),
    evaluation_mode        boolean NOT NULL DEFAULT false,
    evaluation_mode_reason text NOT NULL DEFAULT '',
    -- Raised in the transaction of every change to who may do what.
    policy_version         bigint NOT NULL DEFAULT 1,
    version                int NOT NULL DEFAULT 1,
    updated_by             uuid,
    updated_at             timestamptz NOT NULL DEFAULT now()
);
INSERT INTO school_setting DEFAULT VALUES;

CREATE TABLE audit_event (
    id          uuid PRIMARY KEY,
    actor_id    uuid,
    actor_role  text NOT NULL,
    action      text NOT NULL,
    entity      text NOT NULL,
    entity_id   text NOT NULL,
    before      jsonb,
    after       jsonb,
    reason      text NOT NULL DEFAULT '',
    ip          text NOT NULL DEFAULT '',
    request_id  text NOT NULL DEFAULT '',
    occurred_at timestamptz NOT NULL
);
CREATE INDEX audit_event_occurred_idx ON audit_event (occurred_at DESC, id DESC);
CREATE INDEX audit_event_entity_idx ON audit_event (entity, entity_id, occurred_at DESC);
-- What was written in the books stays as it was written.
REVOKE UPDATE, DELETE, TRUNCATE ON audit_event FROM :school_role;

-- Facts waiting to be told. A row leaves when every listener has heard it.
CREATE TABLE outbox (
    id          uuid PRIMARY KEY,
    kind        text NOT NULL,
    payload     jsonb NOT NULL,
    occurred_at timestamptz NOT NULL,
    attempts    int NOT NULL DEFAULT 0,
    next_at     timestamptz NOT NULL DEFAULT now(),
    last_error  text NOT NULL DEFAULT ''
);
CREATE INDEX outbox_next_idx ON outbox (next_at, id);

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
