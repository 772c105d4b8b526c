-- Who can sign in, and where they belong. The directory that finds a person's
-- school by phone or e-mail, the operators of the platform, and everyone's sessions.

CREATE TABLE account (
    id           uuid PRIMARY KEY,
    school_id    uuid REFERENCES school (id),
    user_id      uuid NOT NULL,
    role_type    text NOT NULL CHECK (role_type IN ('SCHOOL_ADMIN', 'SUPER_ADMIN', 'TEACHER', 'PARENT', 'DRIVER')),
    phone        text,
    email        text,
    disabled     boolean NOT NULL DEFAULT false,
    last_used_at timestamptz,
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    CHECK ((role_type = 'SUPER_ADMIN') = (school_id IS NULL))
);
CREATE UNIQUE INDEX account_user_key ON account (user_id);
CREATE INDEX account_phone_idx ON account (phone) WHERE phone IS NOT NULL;
CREATE UNIQUE INDEX account_email_key ON account (lower(email)) WHERE email IS NOT NULL;

CREATE TABLE super_admin (
    id                  uuid PRIMARY KEY,
    email               text NOT NULL,
    name                text NOT NULL DEFAULT '',
    password_hash       text NOT NULL,
    status              text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'DISABLED')),
    last_sign_in_at     timestamptz,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now(),
    version             int NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX super_admin_email_key ON super_admin (lower(email));

CREATE TABLE session (
    id                  uuid PRIMARY KEY,
    account_id          uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    token_hash          bytea NOT NULL,
    previous_token_hash bytea,
    rotated_at          timestamptz,
    expires_at          timestamptz NOT NULL,
    revoked_at          timestamptz,
    revoke_reason       text NOT NULL DEFAULT '',
    -- How it began: OTP, PIN, PASSWORD, SWITCH. A new PIN may follow a fresh OTP.
    method              text NOT NULL DEFAULT '',
    device              text NOT NULL DEFAULT '',
    ip                  text NOT NULL DEFAULT '',
    created_at          timestamptz NOT NULL DEFAULT now(),
    last_used_at        timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX session_account_idx ON session (account_id);
CREATE INDEX session_expires_idx ON session (expires_at);

-- One-use links that let someone set a password: an invitation, or a forgotten one.
CREATE TABLE password_link (
    token_hash bytea PRIMARY KEY,
    account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    purpose    text NOT NULL CHECK (purpose IN ('INVITE', 'RESET')),
    expires_at timestamptz NOT NULL,
    used_at    timestamptz,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX password_link_account_idx ON password_link (account_id);
