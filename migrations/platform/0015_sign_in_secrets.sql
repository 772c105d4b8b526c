-- The client secrets of schools' identity providers, encrypted under HOMEROOM_SECRET. They are here and not at the schools, so that a
-- new secret of the installation encrypts all of them in one transaction, and an archive of a school has none.
CREATE TABLE sign_in_secret (
    school_id   uuid NOT NULL REFERENCES school (id) ON DELETE CASCADE,
    provider_id uuid NOT NULL,
    sealed      bytea NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (school_id, provider_id)
);
