-- Which installation this is. Every node keeps the id and the highest generation it was shown: a platform that was
-- restored to an earlier moment has a lower one than its nodes, and is refused by them until an operator says what it is.
CREATE TABLE installation (
    one                 boolean PRIMARY KEY DEFAULT true CHECK (one),
    id                  uuid NOT NULL DEFAULT gen_random_uuid(),
    -- Raised every minute while an instance runs.
    generation          bigint NOT NULL DEFAULT 1,
    -- Of a copy: what it was restored from. Nodes that were restored with it carry this.
    previous_id         uuid,
    previous_generation bigint,
    -- A MAC of HOMEROOM_SECRET; NULL: not recorded yet.
    secret_mac          bytea,
    updated_at          timestamptz NOT NULL DEFAULT now()
);
INSERT INTO installation DEFAULT VALUES;
