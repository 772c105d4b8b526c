-- The frame everything dated or grouped hangs on.

CREATE TABLE academic_year (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    start_date date NOT NULL,
    end_date   date NOT NULL,
    active     boolean NOT NULL DEFAULT false,
    version    int NOT NULL DEFAULT 1,
    created_by uuid,
    updated_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT academic_year_dates_check CHECK (end_date > start_date),
    -- Every day belongs to one year at the most: "everything dated belongs to one".
    CONSTRAINT academic_year_overlap_excl EXCLUDE USING gist (daterange(start_date, end_date, '[]') WITH &&)
);
CREATE UNIQUE INDEX academic_year_name_key ON academic_year (lower(name));
CREATE UNIQUE INDEX academic_year_active_key ON academic_year (active) WHERE active;

CREATE TABLE class (
    id            uuid PRIMARY KEY,
    name          text NOT NULL,
    code          text NOT NULL DEFAULT '',
    level         int NOT NULL DEFAULT 0,
    next_class_id uuid CONSTRAINT class_next_class_fkey REFERENCES class (id),
    version       int NOT NULL DEFAULT 1,
    created_by    uuid,
    updated_by    uuid,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT class_next_class_check CHECK (next_class_id <> id)
);
CREATE UNIQUE INDEX class_name_key ON class (lower(name));
CREATE INDEX class_level_idx ON class (level, id);
CREATE INDEX class_next_class_idx ON class (next_class_id) WHERE next_class_id IS NOT NULL;

CREATE TABLE division (
    id               uuid PRIMARY KEY,
    class_id         uuid NOT NULL CONSTRAINT division_class_fkey REFERENCES class (id),
    name             text NOT NULL,
    capacity         int CHECK (capacity > 0),
    room             text NOT NULL DEFAULT '',
    version          int NOT NULL DEFAULT 1,
    created_by       uuid,
    updated_by       uuid,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX division_name_key ON division (class_id, lower(name));

-- Which divisions (and which subject there) a teacher answers for. Without a
-- division it is the whole class; without a subject, all of them.
CREATE TABLE teacher_assignment (
    id               uuid PRIMARY KEY,
    user_id          uuid NOT NULL CONSTRAINT teacher_assignment_user_fkey REFERENCES app_user (id) ON DELETE CASCADE,
    academic_year_id uuid CONSTRAINT teacher_assignment_year_fkey REFERENCES academic_year (id),
    class_id         uuid NOT NULL CONSTRAINT teacher_assignment_class_fkey REFERENCES class (id),
    division_id      uuid CONSTRAINT teacher_assignment_division_fkey REFERENCES division (id),
    subject_id       uuid,
    is_class_teacher boolean NOT NULL DEFAULT false,
    version          int NOT NULL DEFAULT 1,
    created_by       uuid,
    updated_by       uuid,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX teacher_assignment_key ON teacher_assignment
    (user_id, academic_year_id, class_id, division_id, subject_id) NULLS NOT DISTINCT;
CREATE INDEX teacher_assignment_division_idx ON teacher_assignment (division_id);
CREATE UNIQUE INDEX teacher_assignment_class_teacher_key ON teacher_assignment (academic_year_id, division_id)
    NULLS NOT DISTINCT WHERE is_class_teacher;
