-- Second factors of accounts that administer, and when the holder of a session last proved who they are.

-- The secret of an authenticator app (RFC 6238), encrypted under HOMEROOM_SECRET.
CREATE TABLE totp (
    account_id uuid PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    secret     bytea NOT NULL,
    -- The time step of the last code that was used: no code is good twice.
    last_step  bigint NOT NULL,
    created_at timestamptz NOT NULL
);

-- For whoever has lost the device: shown once, one use each.
CREATE TABLE recovery_code (
    account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    code_hash  bytea NOT NULL,
    used_at    timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (account_id, code_hash)
);

CREATE TABLE passkey (
    id            uuid PRIMARY KEY,
    account_id    uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    name          text NOT NULL,
    credential_id bytea NOT NULL,
    -- The public key and the counter, as the WebAuthn library writes them.
    credential    jsonb NOT NULL,
    last_used_at  timestamptz,
    created_at    timestamptz NOT NULL
);
CREATE UNIQUE INDEX passkey_credential_key ON passkey (credential_id);
CREATE INDEX passkey_account_idx ON passkey (account_id);

ALTER TABLE session
    -- By password, code, PIN or passkey; null: never, as after a switch between accounts.
    ADD COLUMN proved_at timestamptz,
    -- Whether a second factor was part of it.
    ADD COLUMN second_factor boolean NOT NULL DEFAULT false;
