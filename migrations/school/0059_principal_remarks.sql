-- What the principal says of a student's year, on the report card beside the class teacher's remark.
CREATE TABLE principal_remark (
    id               uuid PRIMARY KEY,
    student_id       uuid NOT NULL CONSTRAINT principal_remark_student_fkey REFERENCES student (id),
    academic_year_id uuid NOT NULL CONSTRAINT principal_remark_year_fkey REFERENCES academic_year (id),
    remark           text NOT NULL,
    version          int NOT NULL DEFAULT 1,
    created_by       uuid,
    updated_by       uuid,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT principal_remark_key UNIQUE (student_id, academic_year_id)
);
