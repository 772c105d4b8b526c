-- Certificates that a school issues besides leaving certificates. Each kind is numbered without gaps. What one says
-- is kept as it was on the day of issue; erasing a person takes out who it was about.
CREATE TABLE certificate (
    id         uuid PRIMARY KEY,
    kind       text NOT NULL CHECK (kind IN ('BONAFIDE', 'FEE')),
    number     int NOT NULL CHECK (number > 0),
    student_id uuid NOT NULL CONSTRAINT certificate_student_fkey REFERENCES student (id),
    purpose    text NOT NULL DEFAULT '' CHECK (length(purpose) <= 200),
    snapshot   jsonb NOT NULL,
    created_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT certificate_number_key UNIQUE (kind, number)
);
CREATE INDEX certificate_student_idx ON certificate (student_id);
CREATE INDEX certificate_moment_idx ON certificate (kind, created_at, id);
REVOKE UPDATE, DELETE, TRUNCATE ON certificate FROM :school_role;
GRANT UPDATE (purpose, snapshot) ON certificate TO :school_role;
