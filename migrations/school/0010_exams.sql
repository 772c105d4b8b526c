-- Exams: what is sat when, what came of it, and by which scale it is graded.

-- bands are [{grade, minPercent, gradePoint, isPass}], the highest first, the last from 0.
CREATE TABLE grade_scale (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    -- The scale of classes that name none.
    is_default boolean NOT NULL DEFAULT false,
    bands      jsonb NOT NULL CHECK (jsonb_typeof(bands) = 'array'),
    version    int NOT NULL DEFAULT 1,
    created_by uuid,
    updated_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX grade_scale_name_key ON grade_scale (lower(name));
CREATE UNIQUE INDEX grade_scale_default_key ON grade_scale (is_default) WHERE is_default;

ALTER TABLE class ADD COLUMN grade_scale_id uuid CONSTRAINT class_grade_scale_fkey REFERENCES grade_scale (id);
CREATE INDEX class_grade_scale_idx ON class (grade_scale_id) WHERE grade_scale_id IS NOT NULL;

-- A part of the year that its exams are weighed in.
CREATE TABLE term (
    id               uuid PRIMARY KEY,
    academic_year_id uuid NOT NULL CONSTRAINT term_year_fkey REFERENCES academic_year (id),
    name             text NOT NULL,
    start_date       date NOT NULL,
    end_date         date NOT NULL,
    weight           numeric(6, 2) NOT NULL DEFAULT 1 CHECK (weight >= 0),
    version          int NOT NULL DEFAULT 1,
    created_by       uuid,
    updated_by       uuid,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT term_dates_check CHECK (end_date >= start_date)
);
CREATE UNIQUE INDEX term_name_key ON term (academic_year_id, lower(name));

CREATE TABLE exam (
    id                    uuid PRIMARY KEY,
    name                  text NOT NULL,
    academic_year_id      uuid NOT NULL CONSTRAINT exam_year_fkey REFERENCES academic_year (id),
    term_id               uuid CONSTRAINT exam_term_fkey REFERENCES term (id),
    start_date            date,
    end_date              date,
    weight                numeric(6, 2) NOT NULL DEFAULT 1 CHECK (weight >= 0),
    status                text NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'SCHEDULED', 'PUBLISHED')),
    schedule_published_at timestamptz,
    published_at          timestamptz,
    -- How often its results were published: each time is told once.
    publication           int NOT NULL DEFAULT 0,
    version               int NOT NULL DEFAULT 1,
    created_by            uuid,
    updated_by            uuid,
    created_at            timestamptz NOT NULL DEFAULT now(),
    updated_at            timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT exam_dates_check CHECK (end_date >= start_date)
);
CREATE UNIQUE INDEX exam_name_key ON exam (academic_year_id, lower(name));
CREATE INDEX exam_start_idx ON exam (start_date, id);
CREATE INDEX exam_term_idx ON exam (term_id) WHERE term_id IS NOT NULL;

CREATE TABLE exam_class (
    exam_id  uuid NOT NULL CONSTRAINT exam_class_exam_fkey REFERENCES exam (id) ON DELETE CASCADE,
    class_id uuid NOT NULL CONSTRAINT exam_class_class_fkey REFERENCES class (id),
    PRIMARY KEY (exam_id, class_id)
);
CREATE INDEX exam_class_class_idx ON exam_class (class_id);

CREATE TABLE exam_paper (
    id             uuid PRIMARY KEY,
    exam_id        uuid NOT NULL,
    class_id       uuid NOT NULL,
    subject_id     uuid NOT NULL CONSTRAINT exam_paper_subject_fkey REFERENCES subject (id),
    exam_date      date NOT NULL,
    start_time     time NOT NULL,
    end_time       time NOT NULL,
    room           text NOT NULL DEFAULT '',
    invigilator_id uuid CONSTRAINT exam_paper_invigilator_fkey REFERENCES employee (id),
    max_marks      numeric(7, 2) NOT NULL CHECK (max_marks > 0),
    pass_marks     numeric(7, 2) NOT NULL CHECK (pass_marks >= 0),
    version        int NOT NULL DEFAULT 1,
    created_by     uuid,
    updated_by     uuid,
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT exam_paper_times_check CHECK (end_time > start_time),
    CONSTRAINT exam_paper_marks_check CHECK (pass_marks <= max_marks),
    CONSTRAINT exam_paper_key UNIQUE (exam_id, class_id, subject_id),
    -- A class of the exam's: one that has papers cannot be taken out of the exam.
    CONSTRAINT exam_paper_class_fkey FOREIGN KEY (exam_id, class_id) REFERENCES exam_class (exam_id, class_id),
    -- Checked at the end, so that two papers can change places in one call.
    CONSTRAINT exam_paper_class_excl EXCLUDE USING gist
        (class_id extensions.gist_uuid_ops WITH =, tsrange(exam_date + start_time, exam_date + end_time) WITH &&) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT exam_paper_invigilator_excl EXCLUDE USING gist
        (invigilator_id extensions.gist_uuid_ops WITH =, tsrange(exam_date + start_time, exam_date + end_time) WITH &&)
        WHERE (invigilator_id IS NOT NULL) DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT exam_paper_room_excl EXCLUDE USING gist
        (lower(room) extensions.gist_text_ops WITH =, tsrange(exam_date + start_time, exam_date + end_time) WITH &&)
        WHERE (room <> '') DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX exam_paper_date_idx ON exam_paper (exam_date);

CREATE TABLE exam_result (
    id             uuid PRIMARY KEY,
    paper_id       uuid NOT NULL CONSTRAINT exam_result_paper_fkey REFERENCES exam_paper (id),
    student_id     uuid NOT NULL CONSTRAINT exam_result_student_fkey REFERENCES student (id),
    marks_obtained numeric(7, 2) CHECK (marks_obtained >= 0),
    is_absent      boolean NOT NULL DEFAULT false,
    is_exempt      boolean NOT NULL DEFAULT false,
    -- By the class's scale when it was last written or published: a scale that changes
    -- later does not change what was published.
    grade          text NOT NULL DEFAULT '',
    remark         text NOT NULL DEFAULT '',
    version        int NOT NULL DEFAULT 1,
    created_by     uuid,
    updated_by     uuid,
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT exam_result_key UNIQUE (paper_id, student_id),
    CONSTRAINT exam_result_marks_check CHECK (NOT (is_absent AND is_exempt) AND (marks_obtained IS NULL) = (is_absent OR is_exempt))
);
CREATE INDEX exam_result_student_idx ON exam_result (student_id);
