-- Long work on many students at once, and how far it has come.

CREATE TABLE import_run (
    id          uuid PRIMARY KEY,
    kind        text NOT NULL CHECK (kind IN ('STUDENT', 'EMPLOYEE')),
    state       text NOT NULL CHECK (state IN ('RUNNING', 'DONE', 'REFUSED', 'FAILED')),
    dry_run     boolean NOT NULL,
    file_name   text NOT NULL DEFAULT '',
    rows_read   int NOT NULL DEFAULT 0,
    rows_bad    int NOT NULL DEFAULT 0,
    report      jsonb NOT NULL DEFAULT '{}',
    created_by  uuid,
    created_at  timestamptz NOT NULL DEFAULT now(),
    -- Moves while it runs: a run that stands still was killed, and nothing of it was kept.
    beat_at     timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz
);
CREATE INDEX import_run_created_idx ON import_run (created_at DESC);

CREATE TABLE promotion (
    id           uuid PRIMARY KEY,
    from_year_id uuid NOT NULL CONSTRAINT promotion_from_year_fkey REFERENCES academic_year (id),
    to_year_id   uuid NOT NULL CONSTRAINT promotion_to_year_fkey REFERENCES academic_year (id),
    class_id     uuid NOT NULL CONSTRAINT promotion_class_fkey REFERENCES class (id),
    summary      jsonb NOT NULL,
    undone_at    timestamptz,
    undone_by    uuid,
    created_by   uuid,
    created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX promotion_class_idx ON promotion (class_id, from_year_id);

CREATE TABLE leaving_certificate (
    id           uuid PRIMARY KEY,
    number       int NOT NULL UNIQUE,
    student_id   uuid NOT NULL CONSTRAINT leaving_certificate_student_fkey REFERENCES student (id),
    leaving_date date NOT NULL,
    reason       text NOT NULL,
    conduct      text NOT NULL DEFAULT '',
    snapshot     jsonb NOT NULL,
    created_by   uuid,
    created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX leaving_certificate_student_idx ON leaving_certificate (student_id);
