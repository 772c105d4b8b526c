-- Visits of students to the school's nurse.

CREATE TABLE nurse_visit (
    id         uuid PRIMARY KEY,
    student_id uuid NOT NULL CONSTRAINT nurse_visit_student_fkey REFERENCES student (id),
    visited_at timestamptz NOT NULL,
    complaint  text NOT NULL,
    given      text NOT NULL DEFAULT '',
    version    int NOT NULL DEFAULT 1,
    created_by uuid,
    updated_by uuid,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE INDEX nurse_visit_student_idx ON nurse_visit (student_id);
CREATE INDEX nurse_visit_visited_idx ON nurse_visit (visited_at DESC, id DESC);
