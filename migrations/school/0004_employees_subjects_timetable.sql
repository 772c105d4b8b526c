-- The people who work at the school, what is taught, and when.

CREATE TABLE employee (
    id                  uuid PRIMARY KEY,
    -- Support staff have no account.
    user_id             uuid UNIQUE CONSTRAINT employee_user_fkey REFERENCES app_user (id),
    employee_code       text NOT NULL,
    first_name          text NOT NULL,
    last_name           text NOT NULL DEFAULT '',
    phone               text NOT NULL,
    email               text NOT NULL DEFAULT '',
    employee_type       text NOT NULL CHECK (employee_type IN ('TEACHER', 'DRIVER', 'ADMIN', 'SUPPORT')),
    designation         text NOT NULL DEFAULT '',
    department          text NOT NULL DEFAULT '',
    qualification       text NOT NULL DEFAULT '',
    joining_date        date,
    leaving_date        date,
    licence_number      text NOT NULL DEFAULT '',
    licence_expiry_date date,
    status              text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'INACTIVE')),
    search_text         text NOT NULL DEFAULT '',
    version             int NOT NULL DEFAULT 1,
    created_by          uuid,
    updated_by          uuid,
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX employee_code_key ON employee (lower(employee_code));
CREATE INDEX employee_search_idx ON employee USING gin (search_text extensions.gin_trgm_ops);
CREATE INDEX employee_type_idx ON employee (employee_type, id);

CREATE TABLE subject (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    code       text NOT NULL,
    type       text NOT NULL DEFAULT 'CORE' CHECK (type IN ('CORE', 'ELECTIVE', 'CO_SCHOLASTIC')),
    max_marks  int CHECK (max_marks > 0),
    pass_marks int CHECK (pass_marks >= 0),
    version    int NOT NULL DEFAULT 1,
    created_by uuid,
    updated_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT subject_marks_check CHECK (pass_marks IS NULL OR max_marks IS NULL OR pass_marks <= max_marks)
);
CREATE UNIQUE INDEX subject_code_key ON subject (lower(code));

CREATE TABLE class_subject (
    id             uuid PRIMARY KEY,
    class_id       uuid NOT NULL CONSTRAINT class_subject_class_fkey REFERENCES class (id) ON DELETE CASCADE,
    subject_id     uuid NOT NULL CONSTRAINT class_subject_subject_fkey REFERENCES subject (id),
    weekly_periods int NOT NULL DEFAULT 0 CHECK (weekly_periods >= 0),
    CONSTRAINT class_subject_key UNIQUE (class_id, subject_id)
);

ALTER TABLE teacher_assignment ADD CONSTRAINT teacher_assignment_subject_fkey FOREIGN KEY (subject_id) REFERENCES subject (id);

CREATE TABLE period (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    start_time time NOT NULL,
    end_time   time NOT NULL,
    is_break   boolean NOT NULL DEFAULT false,
    version    int NOT NULL DEFAULT 1,
    created_by uuid,
    updated_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT period_times_check CHECK (end_time > start_time)
);
CREATE UNIQUE INDEX period_name_key ON period (lower(name));

-- day_of_week as ISO has it: Monday is 1.
CREATE TABLE timetable_slot (
    id          uuid PRIMARY KEY,
    division_id uuid NOT NULL CONSTRAINT timetable_slot_division_fkey REFERENCES division (id) ON DELETE CASCADE,
    day_of_week smallint NOT NULL CHECK (day_of_week BETWEEN 1 AND 7),
    period_id   uuid NOT NULL CONSTRAINT timetable_slot_period_fkey REFERENCES period (id),
    subject_id  uuid NOT NULL CONSTRAINT timetable_slot_subject_fkey REFERENCES subject (id),
    teacher_id  uuid CONSTRAINT timetable_slot_teacher_fkey REFERENCES employee (id),
    room        text NOT NULL DEFAULT '',
    created_by  uuid,
    created_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT timetable_slot_division_key UNIQUE (division_id, day_of_week, period_id)
);
CREATE UNIQUE INDEX timetable_slot_teacher_key ON timetable_slot (teacher_id, day_of_week, period_id) WHERE teacher_id IS NOT NULL;
CREATE UNIQUE INDEX timetable_slot_room_key ON timetable_slot (lower(room), day_of_week, period_id) WHERE room <> '';

CREATE TABLE substitution (
    id                    uuid PRIMARY KEY,
    slot_id               uuid NOT NULL CONSTRAINT substitution_slot_fkey REFERENCES timetable_slot (id) ON DELETE CASCADE,
    date                  date NOT NULL,
    substitute_teacher_id uuid NOT NULL CONSTRAINT substitution_teacher_fkey REFERENCES employee (id),
    note                  text NOT NULL DEFAULT '',
    created_by            uuid,
    created_at            timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT substitution_key UNIQUE (slot_id, date)
);
CREATE INDEX substitution_date_idx ON substitution (date, substitute_teacher_id);

-- A secret address under which a teacher or a child has the timetable in a calendar.
CREATE TABLE calendar_feed (
    token_hash  bytea PRIMARY KEY,
    user_id     uuid NOT NULL CONSTRAINT calendar_feed_user_fkey REFERENCES app_user (id) ON DELETE CASCADE,
    student_id  uuid CONSTRAINT calendar_feed_student_fkey REFERENCES student (id) ON DELETE CASCADE,
    created_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX calendar_feed_user_idx ON calendar_feed (user_id);
