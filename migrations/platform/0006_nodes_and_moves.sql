-- Nodes are added, looked at and emptied; schools move between them.

ALTER TABLE node
    ADD COLUMN id          uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,
    -- The server and the database on it, by its own account: a database is one node only.
    ADD COLUMN identity    text UNIQUE,
    -- Measured now and then: new schools go where there is the least.
    ADD COLUMN size_bytes  bigint NOT NULL DEFAULT 0,
    ADD COLUMN measured_at timestamptz;

ALTER TABLE school
    -- How often it has moved: of two memories of a school, the one with more is the newer.
    ADD COLUMN home int NOT NULL DEFAULT 0,
    -- Its writes wait, for it is about to be served from another node.
    ADD COLUMN held boolean NOT NULL DEFAULT false;

CREATE TABLE school_move (
    id           uuid PRIMARY KEY,
    school_id    uuid NOT NULL REFERENCES school (id) ON DELETE CASCADE,
    source       text NOT NULL REFERENCES node (name),
    target       text NOT NULL REFERENCES node (name) CHECK (target <> source),
    -- RUNNING until the school is served from the target; MOVED while the old copy is
    -- kept; CONFIRMED when it is gone. FAILED: the school is where it was.
    state        text NOT NULL DEFAULT 'RUNNING' CHECK (state IN ('RUNNING', 'MOVED', 'CONFIRMED', 'FAILED')),
    -- What a failure or a confirmation has still to remove is removed until this is true.
    clean        boolean NOT NULL DEFAULT false,
    error        text NOT NULL DEFAULT '',
    shard        int,
    -- The subscription's number on the target: the names of its slots contain it.
    subscription bigint,
    -- Rights that were taken from the school's role on the source, as SQL that gives them back.
    rights       text[],
    tries         int NOT NULL DEFAULT 0, -- failures in a row that may pass
    holds         int NOT NULL DEFAULT 0, -- how often writes were held
    held_ms      int NOT NULL DEFAULT 0,
    row_count    bigint NOT NULL DEFAULT 0,
    created_at   timestamptz NOT NULL DEFAULT now(),
    progressed_at timestamptz NOT NULL DEFAULT now(),
    held_at      timestamptz,
    moved_at     timestamptz,
    ended_at     timestamptz
);
-- One at a time, and the old copy is confirmed before the next.
CREATE UNIQUE INDEX school_move_open_key ON school_move (school_id) WHERE state IN ('RUNNING', 'MOVED');
CREATE INDEX school_move_school_idx ON school_move (school_id, created_at DESC);
CREATE INDEX school_move_undone_idx ON school_move (source) WHERE state IN ('RUNNING', 'MOVED') OR NOT clean;

CREATE TABLE school_move_step (
    move_id     uuid NOT NULL REFERENCES school_move (id) ON DELETE CASCADE,
    step        text NOT NULL,
    position    int NOT NULL,
    started_at  timestamptz,
    finished_at timestamptz,
    attempts    int NOT NULL DEFAULT 0,
    error       text NOT NULL DEFAULT '',
    PRIMARY KEY (move_id, step)
);
