-- Identity providers (OpenID Connect) by which a school's staff may sign in, and who has done so. The providers' secrets are in the
-- platform's schema, sealed.
CREATE TABLE sign_in_provider (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    issuer     text NOT NULL,
    client_id  text NOT NULL,
    domains    jsonb NOT NULL, -- an array of texts: of e-mails that may sign in
    status     text NOT NULL CHECK (status IN ('ON', 'OFF')),
    version    int NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    created_by uuid,
    updated_by uuid
);
CREATE UNIQUE INDEX sign_in_provider_name_key ON sign_in_provider (lower(name));

-- The identity that signs a user in: the subject is the provider's own name of a person, which never becomes another's. The e-mail is
-- the one that both had when they were linked.
CREATE TABLE sign_in_link (
    id           uuid PRIMARY KEY,
    provider_id  uuid NOT NULL CONSTRAINT sign_in_link_provider_fkey REFERENCES sign_in_provider (id) ON DELETE CASCADE,
    user_id      uuid NOT NULL CONSTRAINT sign_in_link_user_fkey REFERENCES app_user (id) ON DELETE CASCADE,
    subject      text NOT NULL,
    email        text NOT NULL,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz NOT NULL,
    CONSTRAINT sign_in_link_user_key UNIQUE (provider_id, user_id),
    CONSTRAINT sign_in_link_subject_key UNIQUE (provider_id, subject)
);
CREATE INDEX sign_in_link_user_idx ON sign_in_link (user_id);
